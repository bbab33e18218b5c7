//===- TitanTypes.td - memories, maps, tokens --------------*- tablegen -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_DIALECT_TITAN_TYPES_TD
#define TITAN_DIALECT_TITAN_TYPES_TD

include "titan/Dialect/Titan/TitanDialect.td"
include "titan/Dialect/Titan/TitanInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinTypes.td"

class Titan_Type<string name, string typeMnemonic> : TypeDef<Titan_Dialect, name> {
  let mnemonic = typeMnemonic;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

def Titan_GlobalType : Titan_Type<"Global", "global"> {
  let summary = "a tensor in global memory";
  let description = [{
    `!titan.global<?x?xbf16>`: outermost dimension first; the innermost stride is
    1 element, the others are known at launch unless `strides` gives them
    (elements): `!titan.global<128x64xf32, strides = [64, 1]>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
  }];
}

def Titan_SharedType : Titan_Type<"Shared", "shared"> {
  let summary = "a tile in shared memory, or a ring of such tiles";
  let description = [{
    `!titan.shared<128x64xbf16, swizzle = 128, slots = 4>`: four slots of 128 x 64
    elements. Rows lie one after another; with a swizzle of S bytes (32, 64, 128)
    a row wider than S bytes is cut into panels S bytes wide, stored one panel
    after another, and the 16-byte chunks of each are exchanged by the XOR of PTX
    ISA "Swizzling modes". A slot begins at a multiple of the swizzle's period
    (8 * S bytes), or of 128 bytes without swizzle. `cluster`: the memory may be
    that of a peer CTA (the window .shared::cluster).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "int64_t":$swizzle, "int64_t":$slots, "bool":$cluster);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    /// Bytes of one element.
    int64_t getElementBytes() const;
    /// Bytes of data of one slot (no padding between rows).
    int64_t getTileBytes() const;
    /// Bytes from one slot of a ring to the next: getTileBytes() rounded up to
    /// the alignment.
    int64_t getSlotBytes() const;
    /// Bytes: the swizzle's period, at least 128 (PTX ISA, tensor copies).
    int64_t getAlignment() const;
    /// The type of one slot.
    SharedType getSlotType() const;
    /// How the tile's rows lie, all dimensions but the innermost being rows.
    ::titan::SharedImage getImage() const;
    /// The byte of each element, from the start of the tile, swizzle included:
    /// an axis a dimension, outermost first. The tile starts at a multiple of the
    /// swizzle's period.
    ::titan::Layout getLayout() const;
    /// One value of getLayout().
    int64_t getByteOffset(::llvm::ArrayRef<int64_t> coords) const;
  }];
}

def Titan_TensorMemoryType : Titan_Type<"TensorMemory", "tensor_memory"> {
  let summary = "a tile in tensor memory (sm_100a): rows are lanes, 32-bit columns";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "int64_t":$slots);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// 32-bit columns of one slot.
    int64_t getColumns() const;
  }];
}

def Titan_MBarrierType : Titan_Type<"MBarrier", "mbarrier"> {
  let summary = "an mbarrier in shared memory, or a ring of them";
  let description = "`!titan.mbarrier` or `!titan.mbarrier<4>`; `cluster`: perhaps a peer CTA's.";
  let parameters = (ins "int64_t":$slots, "bool":$cluster);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Titan_TensorMapType : Titan_Type<"TensorMap", "tensor_map"> {
  let summary = "a tensor map: the box, its element type and the swizzle of its image";
  let description = [{
    `!titan.tensor_map<128x64xbf16, swizzle = 128>`: the box in elements, outermost
    dimension first. Made by `titan.tensor_map` when the kernel is launched.
    `element_strides = [2, 1]`: of the box every second row is copied, so that the
    tile in shared memory is 64x64; 1 to 8, the innermost 1.

    `!titan.tensor_map<im2col 128x64xbf16, lower = [-1, -1], upper = [-1, -1],
    element_strides = [1, 2, 2, 1], swizzle = 128>`: the shape is pixels x channels,
    and so is the tile in shared memory, whatever the element strides are. Dimensions
    are N, (D,) (H,) W, C, outermost first: the rank is two more than there are
    corners, 3 to 5. A copy starts at a pixel and walks through the bounding box, from
    `lower` to the size - 1 + `upper` of each spatial dimension, W first, in steps of
    the element strides; past an image it goes on with the next. C's stride is 1.

    `interleave = 16` or `32`: channels lie in slices of so many bytes, a slice of 16
    bytes of bf16 being 8 elements. Dimensions are N, slices of C, (D,) (H,) W, 3 to 5
    of them, and boxes, coordinates and element strides count whole slices in W, too:
    `!titan.tensor_map<2x1x4x16xbf16, interleave = 16>` moves, of two images, one slice
    (a copy never moves more: that dimension is 1, its element stride 1) of 4 x 16
    pixels, a tile of 2x1x4x16x8 elements in shared memory. The tensor behind it is
    N x C/8 x H x W x 8, its slices one after another along W. Of an interleaved im2col
    map the shape is pixels x channels of a slice. Slices follow one another in shared
    memory without a gap; under a swizzle, which acts on the address as ever, the
    buffer is written in rows of its span.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "int64_t":$swizzle, ArrayRefParameter<"int64_t">:$elementStrides,
                        "int64_t":$interleave, ArrayRefParameter<"int64_t">:$lower,
                        ArrayRefParameter<"int64_t">:$upper);
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
                     CArg<"int64_t", "0">:$swizzle,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$elementStrides,
                     CArg<"int64_t", "0">:$interleave,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$lower,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$upper), [{
      // Without element strides, all are 1.
      ::llvm::SmallVector<int64_t> ones(lower.empty() ? shape.size() : lower.size() + 2, 1);
      return $_get($_ctxt, shape, elementType, swizzle,
                   elementStrides.empty() ? ::llvm::ArrayRef<int64_t>(ones) : elementStrides,
                   interleave, lower, upper);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether copies walk through a bounding box, whose corners `lower` and
    /// `upper` are, one for each spatial dimension, outermost first.
    bool isIm2col() const { return !getLower().empty(); }
    /// Dimensions of the map: as many coordinates has a copy.
    unsigned getRank() const { return getElementStrides().size(); }
    /// Bytes of what the innermost dimension counts: an element, or a slice of
    /// channels.
    int64_t getUnitBytes() const;
    /// Elements of the tile in shared memory, outermost dimension first: what one
    /// copy moves, ceil(box / element stride) along each dimension; im2col, pixels
    /// and channels; interleaved, the elements of a slice come last.
    ::llvm::SmallVector<int64_t> getTileShape() const;
    /// Bytes that one copy of the box completes: the whole tile, whatever part of
    /// it lies outside the tensor.
    int64_t getBoxBytes() const;
  }];
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

def Titan_TokenKind : I32EnumAttr<"TokenKind", "how asynchronous work completes", [
    I32EnumAttrCase<"Bulk", 0, "bulk">, I32EnumAttrCase<"Async", 1, "async">,
    I32EnumAttrCase<"Mma", 2, "mma">, I32EnumAttrCase<"Tmem", 3, "tmem">,
    I32EnumAttrCase<"Counter", 4, "counter">]> {
  let cppNamespace = "::titan";
  let genSpecializedAttr = 0;
}

def Titan_TokenType : Titan_Type<"Token", "token"> {
  let summary = "a group of asynchronous work in flight";
  let description = [{
    `!titan.token<bulk>`: pending, then sources read, then done. Groups of one
    class complete in order, so a wait on a token is a wait on every older one.
  }];
  let parameters = (ins EnumParameter<Titan_TokenKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
}

def Titan_PhaseType : Titan_Type<"Phase", "phase"> {
  let summary = "the state that an arrive yields: the phase it arrived in";
}

def Titan_InFlightType : Titan_Type<"InFlight", "inflight"> {
  let summary = "a register tile that an asynchronous operation is still writing";
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

def Titan_PipeType : Titan_Type<"Pipe", "pipe"> {
  let summary = "a ring of slots between partitions";
  let parameters = (ins "int64_t":$depth);
  let assemblyFormat = "`<` $depth `>`";
}

def Titan_SlotType : Titan_Type<"Slot", "slot"> {
  let summary = "one use of a slot of a pipe: a stage and its sequence number";
}

#endif
