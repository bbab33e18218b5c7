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
  string syntax = "";
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

def Titan_GlobalType : Titan_Type<"Global", "global"> {
  let summary = "a tensor in global memory";
  let description = [{
    ```mlir
    !matrix = !titan.global<?x?xbf16>                        // sizes and strides: known at launch
    !packed = !titan.global<128x64xf32, strides = [64, 1]>   // rows one after another
    !rows = !titan.global<?x64xf16, strides = [?, 1]>        // rows anywhere
    ```
    Without `strides` all but the innermost, which is 1, are known at launch.
  }];
  let parameters = (ins
      Titan_Ints<"sizes in elements, 1 to 5 of them, outermost first; ?: known at launch">:$shape,
      Titan_Element<"the type of an element, 8, 16, 32 or 64 bits">:$elementType,
      Titan_Ints<"elements from one index to the next, a number a dimension; ?: known at launch">:$strides);
  let syntax = "<$shape x $elementType (, strides = [$strides])?>";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
  }];
}

def Titan_SharedType : Titan_Type<"Shared", "shared"> {
  let summary = "a tile in shared memory, or a ring of such tiles";
  let description = [{
    ```mlir
    !ring = !titan.shared<128x64xbf16, swizzle = 128, slots = 4>   // four slots of 128 x 64 elements
    !tile = !titan.shared<128x64xbf16, swizzle = 128>              // one of them
    !peer = !titan.shared<128x64xbf16, swizzle = 128, cluster>     // perhaps another CTA's
    !line = !titan.shared<256xf32>
    ```
    Rows lie one after another; with a swizzle of S bytes (32, 64, 128)
    a row wider than S bytes is cut into panels S bytes wide, stored one panel
    after another, and the 16-byte chunks of each are exchanged by the XOR of PTX
    ISA "Swizzling modes". A slot begins at a multiple of the swizzle's period
    (8 * S bytes), or of 128 bytes without swizzle. `titan explain layout` draws a type.
  }];
  let parameters = (ins Titan_Ints<"elements of one slot, outermost dimension first">:$shape,
      Titan_Element<"the type of an element, 8, 16, 32 or 64 bits">:$elementType,
      Titan_Int<"bytes of a swizzled row: 32, 64 or 128; without swizzle left out">:$swizzle,
      Titan_Int<"tiles of the ring, 1 to 4096; 1 where it is left out">:$slots,
      Titan_Flag<"the memory may be that of a peer CTA (the window .shared::cluster)">:$cluster);
  let syntax = "<$shape x $elementType (, swizzle = $swizzle)? (, slots = $slots)? (, cluster)?>";
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
  let description = [{
    ```mlir
    !sums = !titan.tensor_memory<128x128xf32, slots = 2>   // 2 * 128 columns
    !half = !titan.tensor_memory<128x128xbf16>             // 64 columns, two elements each
    ```
    All slots together have at most 512 columns of 32 bits.
  }];
  let parameters = (ins Titan_Ints<"rows (64 or 128 lanes) and columns, in elements">:$shape,
      Titan_Element<"the type of an element, 8, 16, 32 or 64 bits">:$elementType,
      Titan_Int<"tiles side by side; 1 where it is left out">:$slots);
  let syntax = "<$shape x $elementType (, slots = $slots)?>";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// 32-bit columns of one slot.
    int64_t getColumns() const;
  }];
}

def Titan_MBarrierType : Titan_Type<"MBarrier", "mbarrier"> {
  let summary = "an mbarrier in shared memory, or a ring of them";
  let description = [{
    ```mlir
    !barrier = !titan.mbarrier
    !ring = !titan.mbarrier<4>             // four, 8 bytes each
    !theirs = !titan.mbarrier<4, cluster>  // perhaps another CTA's
    ```
  }];
  let parameters = (ins Titan_Int<"barriers of the ring, 1 to 4096; 1 where it is left out">:$slots,
      Titan_Flag<"the memory may be that of a peer CTA (the window .shared::cluster)">:$cluster);
  let syntax = "(<$slots (, cluster)?>)?";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Titan_TensorMapType : Titan_Type<"TensorMap", "tensor_map"> {
  let summary = "a tensor map: the box, its element type and the swizzle of its image";
  let description = [{
    ```mlir
    !map = !titan.tensor_map<128x64xbf16, swizzle = 128>     // a box of 128 x 64 elements
    !second = !titan.tensor_map<128x64xbf16, element_strides = [2, 1]>
    !pixels = !titan.tensor_map<im2col 128x64xbf16, lower = [-1, -1], upper = [-1, -1],
                                element_strides = [1, 2, 2, 1], swizzle = 128>
    !slices = !titan.tensor_map<2x1x4x16xbf16, interleave = 16>
    ```
    Made by `titan.tensor_map` when the kernel is launched. With `element_strides = [2, 1]`
    every second row of the box is copied, so that the tile in shared memory is 64x64.

    **im2col.** The shape is pixels x channels,
    and so is the tile in shared memory, whatever the element strides are. Dimensions
    are N, (D,) (H,) W, C, outermost first: the rank is two more than there are
    corners, 3 to 5. A copy starts at a pixel and walks through the bounding box, from
    `lower` to the size - 1 + `upper` of each spatial dimension, W first, in steps of
    the element strides; past an image it goes on with the next. C's stride is 1.

    **Interleaved.** Channels lie in slices of 16 or 32 bytes, a slice of 16
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
  let parameters = (ins
      Titan_Ints<"the box in elements, outermost dimension first; im2col: pixels and channels">:$shape,
      Titan_Element<"the type of an element">:$elementType,
      Titan_Int<"bytes of a swizzled row of the tile: 32, 64 or 128; without swizzle left out">:$swizzle,
      Titan_Ints<"of each dimension every so many-th element, 1 to 8, the innermost 1; "
                 "all 1 where they are left out">:$elementStrides,
      Titan_Int<"bytes of a slice of channels, 16 or 32; without slices left out">:$interleave,
      Titan_Ints<"im2col: where the bounding box begins, pixels from the first one, "
                 "a number a spatial dimension">:$lower,
      Titan_Ints<"im2col: where it ends, pixels from the last one">:$upper);
  let syntax = "<(im2col)? $shape x $elementType (, lower = [$lower], upper = [$upper])? "
               "(, element_strides = [$elementStrides])? (, interleave = $interleave)? (, swizzle = $swizzle)?>";
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
    ```mlir
    !store = !titan.token<bulk>   // pending, then sources read, then done
    ```
    Groups of one class complete in order, so a wait on a token is a wait on every older one.

    | class | groups of | made by |
    |---|---|---|
    | `bulk` | bulk copies of a thread | `titan.bulk.commit` |
    | `async` | cp.async of each thread | `titan.cp_async.commit` |
    | `mma` | wgmma of a warpgroup | `titan.mma.commit` |
    | `tmem` | accesses to tensor memory | no operation: `titan.tmem.wait_store` waits for all |
    | `counter` | loads to LDS of a wave (gfx942) | `titan.buffer_load_lds` |
  }];
  let parameters = (ins EnumParameter<Titan_TokenKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
}

def Titan_PhaseType : Titan_Type<"Phase", "phase"> {
  let summary = "the state that an arrive yields: the phase it arrived in";
  let description = [{
    ```mlir
    !state = !titan.phase
    ```
    `titan.mbarrier.arrive` yields it, `titan.mbarrier.wait_state` waits for the end of that phase.
  }];
  // (MLIR's own parser of a type without parameters passes over what stands in `<>`.)
  let hasCustomAssemblyFormat = 1;
}

def Titan_InFlightType : Titan_Type<"InFlight", "inflight"> {
  let summary = "a register tile that an asynchronous operation is still writing";
  let description = [{
    ```mlir
    !sums = !titan.inflight<tensor<64x128xf32, #titan.wgmma<1, 1>>>
    ```
    It becomes a tensor by what waits for it: `titan.mma.result`, `titan.tmem.wait_load`,
    `titan.s_waitcnt`.
  }];
  let parameters = (ins AttrOrTypeParameter<"::mlir::RankedTensorType", "the tile, and its layout">:$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

//===----------------------------------------------------------------------===//
// Pipes
//===----------------------------------------------------------------------===//

def Titan_PipeType : Titan_Type<"Pipe", "pipe"> {
  let summary = "a ring of slots between partitions";
  let description = [{
    ```mlir
    !pipe = !titan.pipe<4>
    ```
    `titan.pipe.create` makes it, and says who fills and who empties its slots.
  }];
  let parameters = (ins Titan_Int<"slots; without buffers, turns">:$depth);
  let assemblyFormat = "`<` $depth `>`";
}

def Titan_SlotType : Titan_Type<"Slot", "slot"> {
  let summary = "one use of a slot of a pipe: a stage and its sequence number";
  let description = [{
    ```mlir
    !slot = !titan.slot
    ```
    `titan.pipe.acquire` and `titan.pipe.wait` yield it; `titan.pipe.commit` and
    `titan.pipe.release` end its use.
  }];
  let hasCustomAssemblyFormat = 1; // as of Phase
}

#endif
