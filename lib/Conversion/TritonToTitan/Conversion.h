//===- Conversion.h - one Triton program on its way to titan IR -*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in the lowering (LoweringTable.h), a family tells of each of its operations
// one function, and all of a family stand in one file. There are two kinds:
//
//   convert    builds what the operation is, where it stands
//   make       builds the one tensor that it yields as a tile (View). Of a tensor
//              that has a home it is called once, of another one for each view in
//              which the tensor is wanted (Layouts.h).
//
// Pointers are offsets, i32, here: `base` says into which argument, or from which
// address on.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LIB_CONVERSION_TRITONTOTITAN_CONVERSION_H
#define TITAN_LIB_CONVERSION_TRITONTOTITAN_CONVERSION_H

#include "Layouts.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace titan {

/// A tensor as a tile of `type`: at place p stands element (p[dims[0]],
/// p[dims[1]], ...). Dimensions of the tile that are not among `dims`, and those
/// along which the tensor has one element, repeat it.
struct View {
  mlir::RankedTensorType type;
  llvm::SmallVector<int64_t> dims;

  View(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims)
      : type(type), dims(dims) {}
  /// The tensor itself.
  View(mlir::RankedTensorType type)
      : type(type), dims(llvm::to_vector(llvm::seq(type.getRank()))) {}
  /// The same places of elements of another type.
  View of(mlir::Type element) const {
    return {mlir::RankedTensorType::get(type.getShape(), element,
                                        type.getEncoding()),
            dims};
  }
};

/// What a tensor descriptor says: an argument of the kernel, where the tensor begins
/// in it, its sizes, and its strides but for the last, which is 1.
struct Descriptor {
  mlir::Value memory, offset;
  llvm::SmallVector<mlir::Value> shape, strides;
  bool fillsNaN = false;
};

/// What is left of an angle without multiples of pi/2, and how many they were, modulo 4.
struct ReducedAngle {
  mlir::Value rest, quadrant;
};

class ProgramConversion {
public:
  ProgramConversion(tt::FuncOp function, const TritonToTitanOptions &options);
  /// The kernel, before the function; the function stays.
  mlir::LogicalResult run();

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  /// What has become of a scalar; of a pointer the offset.
  mlir::Value scalar(mlir::Value old) const;
  /// A tensor as a tile: of pointers, offsets.
  mlir::FailureOr<mlir::Value> tile(mlir::Value old, const View &view);
  mlir::FailureOr<mlir::Value> tile(mlir::Value old, mlir::Attribute layout) {
    return tile(old, View(typeOf(old, layout)));
  }
  /// The tile, if it has been made; else null.
  mlir::Value find(mlir::Value old, const View &view) const;
  /// A scalar, or a tensor in its home or in the layout of its shape.
  mlir::FailureOr<mlir::Value> value(mlir::Value old);
  /// The type of `old` as a tile in that layout, or as a scalar (null).
  mlir::Type elementOf(mlir::Type type) const;
  mlir::RankedTensorType typeOf(mlir::Value old, mlir::Attribute layout) const;
  /// In which layout `value` is.
  mlir::Attribute layoutOf(mlir::Value old) const;
  /// A scalar, or a tensor in its home.
  void set(mlir::Value old, mlir::Value now);

  /// A tensor that is `from` and, in all its elements, a number more.
  void derive(mlir::Value old, mlir::Value from, mlir::Value number) {
    derived[old] = {from, number};
  }

  /// The tensor that a pointer, or a tensor of pointers, points into: an argument, or
  /// what has been made of an address. Null, and an error: it is not known.
  mlir::Value base(mlir::Operation *at, mlir::Value pointer);
  /// Whether it is made of a number (tt.int_to_ptr).
  bool isByAddress(mlir::Value pointer);
  /// `tensor` is what lies at the address of which `pointer` (tt.int_to_ptr) is made.
  void setBase(mlir::Value pointer, mlir::Value tensor) {
    atAddress[pointer] = tensor;
  }
  /// The elements that memory has which a pointer leads to; null: there are none such
  /// in a kernel.
  mlir::Type elementOfMemory(tt::PointerType pointer);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  mlir::Value constant(mlir::Type type, int64_t number);
  /// The lower 32 bits.
  mlir::Value asI32(mlir::Value number);
  /// The same tile in another layout.
  mlir::FailureOr<mlir::Value> convertLayout(mlir::Value tile,
                                             mlir::RankedTensorType type);
  /// The same registers under other coordinates.
  mlir::Value relabel(mlir::Value tile, mlir::RankedTensorType type);
  /// Shared memory that an exchange between warps goes through, from byte `at` of it
  /// on.
  mlir::Value scratch(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                      int64_t at = 0);
  /// `tile` with its dimensions in another order (dimension d of the result is
  /// order[d]), or with `axis` moved behind all others; no data moves.
  mlir::FailureOr<mlir::Value> permute(mlir::Value tile,
                                       llvm::ArrayRef<int64_t> order);
  mlir::FailureOr<mlir::RankedTensorType>
  permutedType(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);
  mlir::FailureOr<mlir::Value> withLast(mlir::Value tile, int64_t axis);
  /// `row`, which lies as `type` without dimension `axis` does, all along it.
  mlir::FailureOr<mlir::Value>
  repeat(mlir::Value row, mlir::RankedTensorType type, int64_t axis);
  /// The same elements, in row-major order, as a tile of `type`, by the same
  /// registers. An error (layout-mismatch) where these hold other elements of it.
  mlir::FailureOr<mlir::Value> reshape(mlir::Value tile,
                                       mlir::RankedTensorType type);
  /// `type` without dimension `axis`, and without its layout's.
  static mlir::RankedTensorType without(mlir::RankedTensorType type,
                                        int64_t axis);
  /// The operations of a block, and values for its terminator, which the caller
  /// writes.
  mlir::LogicalResult convertBlock(mlir::Block &block);
  /// Tiles of `old`, arguments of `block`, may be wanted in other layouts.
  void enter(mlir::Block::BlockArgListType old, mlir::Block *block);
  mlir::InFlightDiagnostic unsupported(mlir::Operation *op,
                                       const llvm::Twine &what);

  const TritonToTitanOptions options;
  mlir::ImplicitLocOpBuilder b;
  TensorLayouts layouts;
  KernelOp kernel;
  llvm::DenseMap<mlir::Value, Descriptor> descriptors;
  /// Of those whose sine or cosine has been asked for (Functions.cpp).
  llvm::DenseMap<mlir::Value, ReducedAngle> angles;
  /// titan.assume of a condition (of each element of a tile of i1), which was `old`,
  /// if it is computed from what the program loads.
  void promise(mlir::Value condition, mlir::Value old);

private:
  mlir::LogicalResult makeKernel();
  void makeLaunch();
  /// A condition on arguments (LaunchChecks.cpp has its grammar).
  mlir::LogicalResult requireAtLaunch(llvm::StringRef text);
  mlir::LogicalResult convert(mlir::Operation *op);
  /// Conversions of tensors made before it stand in front of this.
  mlir::Operation *mark();
  /// Whether to make a tensor that has a home elsewhere from its operands costs less
  /// than to move it (ExchangeCost.cpp).
  bool isCheaperAnew(mlir::Value tensor, const View &view);

  tt::FuncOp function;
  /// Of the grid: those that the program asks for.
  bool axes[3] = {false, false, false};
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  /// By the tile's type and the view's dimensions.
  llvm::DenseMap<
      mlir::Value,
      std::map<std::pair<const void *, std::vector<int64_t>>, mlir::Value>>
      tiles;
  static std::pair<const void *, std::vector<int64_t>> key(const View &view) {
    return {view.type.getAsOpaquePointer(),
            {view.dims.begin(), view.dims.end()}};
  }
  llvm::DenseMap<mlir::Value, mlir::Value> atAddress;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> derived;
  llvm::DenseMap<mlir::Value, mlir::Operation *> places;
  llvm::SmallVector<mlir::Operation *> marks;
  /// The pool of shared memory, and the bytes that exchanges take.
  SharedAllocOp pool;
  int64_t poolBytes = 0;
};

/// The table of operations, by name.
class TritonToTitanTable {
public:
  using Convert = std::function<mlir::LogicalResult(ProgramConversion &,
                                                    mlir::Operation *)>;
  using Make = std::function<mlir::FailureOr<mlir::Value>(
      ProgramConversion &, mlir::Operation *, const View &)>;

  static const TritonToTitanTable &get();

  template <typename Op, typename Function> void convert(Function function) {
    converts[Op::getOperationName()] = [function](ProgramConversion &c,
                                                  mlir::Operation *op) {
      return mlir::LogicalResult(function(c, mlir::cast<Op>(op)));
    };
  }
  void convert(llvm::StringRef name, Convert function) {
    converts[name] = std::move(function);
  }
  template <typename Op, typename Function> void make(Function function) {
    makes[Op::getOperationName()] = [function](ProgramConversion &c,
                                               mlir::Operation *op,
                                               const View &view) {
      return mlir::FailureOr<mlir::Value>(
          function(c, mlir::cast<Op>(op), view));
    };
  }
  /// Null: none.
  const Convert *findConvert(mlir::Operation *op) const {
    auto found = converts.find(op->getName().getStringRef());
    return found == converts.end() ? nullptr : &found->second;
  }
  const Make *findMake(mlir::Operation *op) const {
    auto found = makes.find(op->getName().getStringRef());
    return found == makes.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Convert> converts;
  llvm::StringMap<Make> makes;
};

// The families, one file each.
void populateTritonProgram(TritonToTitanTable &table);
void populateTritonElementwise(TritonToTitanTable &table);
void populateTritonMemory(TritonToTitanTable &table);
void populateTritonPointers(TritonToTitanTable &table);
void populateTritonDescriptors(TritonToTitanTable &table);
void populateTritonProducts(TritonToTitanTable &table);
void populateTritonShapes(TritonToTitanTable &table);
void populateTritonRegions(TritonToTitanTable &table);

/// `load`, which `op` has become, may be issued ahead of its round; null: it is of one
/// element of `memory`. A remark says why one stays (Prefetch.cpp).
void markAhead(ProgramConversion &c, mlir::Operation *op, mlir::Value memory,
               GlobalLoadOp load);
/// Whether `tile`, or null, is such a load.
bool isCopiedAhead(mlir::Value tile);
/// The pool of so many bytes that exchanges go through.
SharedType poolType(mlir::MLIRContext *context, int64_t bytes);
/// Such loads become copies to shared memory. `pool`, or null: what exchanges go
/// through; those in front of all loops that copy ahead, and behind them, go through
/// what their copies take, where that takes fewer bytes in all. Erased, and null, where none is left.
mlir::LogicalResult prefetchLoads(ProgramConversion &c, SharedAllocOp &pool);
/// Barriers that the program's order takes.
void separateTouches(KernelOp kernel);
/// Layouts have no more dimensions than Coord: tensors of more become such of one.
mlir::LogicalResult flattenDeepTensors(tt::FuncOp function);
/// A reduction that a loop accumulates becomes one of each thread's own elements in
/// the loop, and one of what threads have behind it.
void keepReductionsLocal(tt::FuncOp function,
                         const TritonToTitanOptions &options);
/// The word for what a region of a reduction combines by; none: there is no word.
std::optional<ReduceKind> kindOf(mlir::Region &combine);
/// llvm.intr.assume.
mlir::LogicalResult convertAssume(ProgramConversion &c, mlir::Operation *op);
/// "index >= 0 and index < rows": a condition of tt as Python has it, for people
/// (ConditionText.cpp).
std::string conditionText(mlir::Value condition);
/// The same operation of `operands`; hints of tt are left behind.
mlir::Operation *repeatOperation(ProgramConversion &c, mlir::Operation *op,
                                 mlir::ValueRange operands,
                                 mlir::TypeRange results);
/// A function of math or of libdevice, by its name there without `__nv_` and `f`, in
/// arith and math; null: it is not one of those that are written out.
mlir::Value writeOutFunction(ProgramConversion &c, llvm::StringRef name,
                             mlir::Value x);
/// A layout of rows along the last dimension, each in one warp.
BlockedAttr rowsOfWarps(ProgramConversion &c, llvm::ArrayRef<int64_t> shape);
/// `whole` combined along a dimension, and without it.
mlir::FailureOr<mlir::Value> reduceAlong(ProgramConversion &c,
                                         mlir::Operation *op, mlir::Value whole,
                                         int64_t axis, ReduceKind kind);
/// A reduction or a scan by its region, written out (RowsByRegion.cpp).
mlir::LogicalResult reduceByRegion(ProgramConversion &c, tt::ReduceOp op);
mlir::LogicalResult scanByRegion(ProgramConversion &c, tt::ScanOp op);
/// An arith or math operation, or one of tt that is one, element by element.
mlir::LogicalResult convertElementwise(ProgramConversion &c,
                                       mlir::Operation *op);
mlir::FailureOr<mlir::Value>
makeElementwise(ProgramConversion &c, mlir::Operation *op, const View &view);

} // namespace titan

#endif
