//===- Program.cpp - translates a kernel's body ---------------------------===//
#include "Program.h"

#include "titan/Target/Target.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace titan;
using namespace titan::sim;

namespace {

class Compiler {
public:
  Compiler(KernelOp kernel, Program &program, std::vector<Finding> &problems)
      : kernel(kernel), p(program), problems(problems) {}

  void run();

private:
  //===--------------------------------------------------------------------===//
  // Helpers
  //===--------------------------------------------------------------------===//

  void problem(Operation *op, Code code, const Twine &message) {
    problems.push_back(
        {code, Severity::Error, message.str(), op->getLoc(), {}, {}, {}});
  }
  void unsupported(Operation *op, const Twine &why = "") {
    problem(op, Code::NotSupportedYet,
            "'" + op->getName().getStringRef() + "' cannot be simulated yet" +
                why);
  }

  SlotOf slot(Value value) {
    auto [entry, isNew] = p.slots.try_emplace(value);
    if (!isNew)
      return entry->second;
    SlotOf result;
    bool inflight = isa<InFlightType>(value.getType());
    bool tile = isa<RankedTensorType>(value.getType());
    if (!tile) {
      result.scalar = p.scalars.size();
      p.scalars.push_back(0);
    }
    if (tile || inflight) {
      result.ref = p.refs.size();
      p.refs.push_back(nullptr);
    }
    return p.slots[value] = result;
  }
  uint32_t scalar(Value value) { return value ? slot(value).scalar : none; }
  uint32_t ref(Value value) { return value ? slot(value).ref : none; }

  Inst &emit(Opcode op, Operation *origin) {
    Inst inst{};
    inst.op = op;
    inst.origin = origin;
    inst.loop = loop;
    p.code.push_back(inst);
    return p.code.back();
  }
  uint32_t here() const { return p.code.size(); }

  void setList(Inst &inst, ValueRange values, bool refs = false) {
    std::vector<uint32_t> found;
    for (Value value : values)
      found.push_back(refs ? ref(value) : scalar(value));
    inst.list = p.lists.size();
    inst.count = found.size();
    p.lists.insert(p.lists.end(), found.begin(), found.end());
  }

  /// Moves all at once; a null source clears the destination.
  void moves(Operation *origin, ValueRange to, ArrayRef<Value> from) {
    std::vector<uint32_t> triples;
    for (auto [dst, src] : llvm::zip(to, from)) {
      SlotOf d = slot(dst), s = src ? slot(src) : SlotOf{};
      if (d.scalar != none)
        triples.insert(triples.end(), {0, d.scalar, s.scalar});
      if (d.ref != none)
        triples.insert(triples.end(), {1, d.ref, s.ref});
    }
    if (triples.empty())
      return;
    Inst &inst = emit(Opcode::Move, origin);
    inst.list = p.lists.size();
    inst.count = triples.size();
    p.lists.insert(p.lists.end(), triples.begin(), triples.end());
  }

  const WarpRegion &region() const { return p.regions[currentRegion]; }

  //===--------------------------------------------------------------------===//
  // Tables
  //===--------------------------------------------------------------------===//

  /// The table of a tile type; null (and a problem) where it has none.
  const TileTable *tileTable(Operation *op, mlir::Type type);
  uint32_t indexOf(const TileTable *table) const {
    for (uint32_t i = 0; i < p.tiles.size(); ++i)
      if (p.tiles[i].get() == table)
        return i;
    llvm_unreachable("a table of another program");
  }
  std::optional<uint32_t> access(Operation *op, RankedTensorType tile,
                                 SharedType view);
  std::optional<uint32_t> viewTable(Operation *op, SharedType type);
  std::optional<uint32_t> mmaTable(MmaOp op);
  std::optional<ElementType> elementType(Operation *op, mlir::Type type);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  void block(Block &block);
  void operation(Operation &op);
  void control(scf::ForOp op);
  void control(scf::IfOp op);
  void control(ElectOp op);
  void control(WarpSpecializeOp op);
  bool elementwise(Operation &op);
  void constant(arith::ConstantOp op);
  bool tileOperation(Operation &op);
  bool memoryOperation(Operation &op);
  bool barrierOperation(Operation &op);
  bool asyncOperation(Operation &op);
  void allocate(Operation *op, Value result, int64_t bytes, int64_t alignment,
                bool barriers);
  void barrierOperands(Inst &inst, Value barrier, Value index);

  KernelOp kernel;
  Program &p;
  std::vector<Finding> &problems;
  uint32_t loop = none;
  size_t currentRegion = 0;
  std::map<std::pair<const void *, const void *>, uint32_t> accessCache;
  std::map<const void *, uint32_t> viewCache;
  std::map<const void *, const TileTable *> tileCache;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

const TileTable *Compiler::tileTable(Operation *op, mlir::Type type) {
  auto tile = cast<RankedTensorType>(type);
  auto known = tileCache.find(tile.getAsOpaquePointer());
  const TileTable *table = nullptr;
  if (known != tileCache.end()) {
    table = known->second;
  } else {
    if (auto element = typeOf(tile.getElementType());
        !element || bitsOf(*element) > 32) {
      std::string text;
      llvm::raw_string_ostream(text) << tile.getElementType();
      unsupported(op, ": tiles of " + text);
      return nullptr;
    }
    Result<Layout> layout = getTileLayout(tile);
    if (!layout) {
      const CodeInfo *info = lookupCode(layout.problem().code);
      problem(op, info ? info->id : Code::LayoutInvalid,
              layout.problem().message);
      return nullptr;
    }
    if (layout->lanes() != laneCount) {
      unsupported(op,
                  llvm::formatv(": a layout of {0} lanes", layout->lanes()));
      return nullptr;
    }
    auto made = std::make_unique<TileTable>();
    made->registers = layout->registers();
    made->warps = layout->warps();
    made->shape.assign(tile.getShape().begin(), tile.getShape().end());
    std::vector<int64_t> elements = layout->elementTable();
    made->element.resize(elements.size());
    made->owner.resize(elements.size());
    std::vector<bool> seen(tile.getNumElements());
    size_t from = 0;
    for (uint32_t warp = 0; warp < made->warps; ++warp)
      for (uint32_t lane = 0; lane < laneCount; ++lane)
        for (uint32_t reg = 0; reg < made->registers; ++reg, ++from) {
          size_t to = (size_t(warp) * made->registers + reg) * laneCount + lane;
          made->element[to] = elements[from];
          made->owner[to] = !seen[elements[from]];
          seen[elements[from]] = true;
        }
    table = made.get();
    p.tiles.push_back(std::move(made));
    tileCache[tile.getAsOpaquePointer()] = table;
  }
  if (table->warps > region().warps || region().warps % table->warps) {
    problem(op, Code::LayoutMismatch,
            llvm::formatv("the tile's layout is for {0} warps, {1} has {2}",
                          table->warps, region().name, region().warps));
    return nullptr;
  }
  return table;
}

std::optional<uint32_t> Compiler::viewTable(Operation *op, SharedType type) {
  type = SharedType::get(type.getContext(), type.getShape(),
                         type.getElementType(), type.getSwizzle(), 1, false);
  auto [entry, isNew] =
      viewCache.try_emplace(type.getAsOpaquePointer(), p.views.size());
  if (!isNew)
    return entry->second;
  auto table = std::make_unique<ViewTable>();
  table->bytes = type.getElementBytes();
  table->viewBytes = type.getTileBytes();
  table->shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t elements = type.getTileBytes() / table->bytes;
  SmallVector<int64_t> coords(type.getRank(), 0);
  table->offset.reserve(elements);
  for (int64_t i = 0; i < elements; ++i) {
    table->offset.push_back(type.getByteOffset(coords));
    for (int d = type.getRank() - 1; d >= 0; --d) {
      if (++coords[d] < type.getShape()[d])
        break;
      coords[d] = 0;
    }
  }
  p.views.push_back(std::move(table));
  return entry->second;
}

std::optional<uint32_t> Compiler::access(Operation *op, RankedTensorType tile,
                                         SharedType view) {
  const TileTable *table = tileTable(op, tile);
  auto viewIndex = viewTable(op, view);
  if (!table || !viewIndex)
    return std::nullopt;
  const ViewTable *offsets = p.views[*viewIndex].get();
  auto [entry, isNew] =
      accessCache.try_emplace({table, offsets}, p.accesses.size());
  if (!isNew)
    return entry->second;
  auto made = std::make_unique<TileAccess>();
  made->tile = table;
  made->bytes = offsets->bytes;
  made->viewBytes = offsets->viewBytes;
  made->type = *typeOf(tile.getElementType());
  made->offset.reserve(table->element.size());
  for (uint32_t element : table->element)
    made->offset.push_back(offsets->offset[element]);
  p.accesses.push_back(std::move(made));
  return entry->second;
}

std::optional<uint32_t> Compiler::mmaTable(MmaOp op) {
  auto accType = op.getType().getTensor();
  const TileTable *acc = tileTable(op, accType);
  auto aType = dyn_cast<SharedType>(op.getA().getType());
  auto aTile = dyn_cast<RankedTensorType>(op.getA().getType());
  const TileTable *registers = aTile ? tileTable(op, aTile) : nullptr;
  auto a = aType ? viewTable(op, aType) : std::nullopt;
  auto b = viewTable(op, op.getB().getType());
  if (!acc || !b || (aType ? !a : !registers))
    return std::nullopt;
  if (acc->warps % 4 || region().firstWarp % 4) {
    problem(op, Code::PartitionShape,
            llvm::formatv("a product is a warpgroup's: its accumulator is laid "
                          "out for {0} warps",
                          acc->warps));
    return std::nullopt;
  }
  auto table = std::make_unique<MmaTable>();
  table->acc = acc;
  table->a = a ? p.views[*a].get() : nullptr;
  table->registers = registers;
  table->b = p.views[*b].get();
  table->transposeA = op.getTransposeA();
  table->transposeB = op.getTransposeB();
  table->type = *typeOf(op.getB().getType().getElementType());
  table->m = accType.getShape()[0];
  table->n = accType.getShape()[1];
  table->k = op.getB().getType().getShape()[!op.getTransposeB()];
  for (uint32_t group = 0; group < acc->warps / 4; ++group) {
    MmaTable::Group &made = table->groups.emplace_back();
    std::vector<uint32_t> rowAt(table->m, none), columnAt(table->n, none);
    auto begin = acc->element.begin() + size_t(group) * 4 * acc->perWarp();
    for (auto it = begin; it != begin + 4 * acc->perWarp(); ++it) {
      rowAt[*it / table->n] = 0;
      columnAt[*it % table->n] = 0;
    }
    auto number = [](std::vector<uint32_t> &at, std::vector<uint32_t> &list) {
      for (uint32_t i = 0; i < at.size(); ++i)
        if (at[i] == 0) {
          at[i] = list.size();
          list.push_back(i);
        }
    };
    number(rowAt, made.rows);
    number(columnAt, made.columns);
    for (int warp = 0; warp < 4; ++warp)
      for (uint32_t i = 0; i < acc->perWarp(); ++i) {
        uint32_t element = begin[warp * acc->perWarp() + i];
        made.place[warp].push_back(rowAt[element / table->n] *
                                       made.columns.size() +
                                   columnAt[element % table->n]);
      }
  }
  p.products.push_back(std::move(table));
  return p.products.size() - 1;
}

std::optional<ElementType> Compiler::elementType(Operation *op,
                                                 mlir::Type type) {
  mlir::Type element = type;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    element = tile.getElementType();
  auto found = typeOf(element);
  if (!found || (isa<RankedTensorType>(type) && bitsOf(*found) > 32)) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    unsupported(op, " on " + text);
    return std::nullopt;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Compiler::block(Block &block) {
  for (Operation &op : block)
    if (!isa<scf::YieldOp, YieldOp>(op))
      operation(op);
}

void Compiler::control(scf::ForOp op) {
  SmallVector<Value> inits(op.getInitArgs()), yields;
  moves(op, op.getRegionIterArgs(), inits);
  uint32_t outer = loop;
  loop = p.loops.size();
  p.loops.push_back({outer, op});
  auto set = [&](Inst &inst) {
    inst.dst = scalar(op.getInductionVar());
    inst.a = scalar(op.getLowerBound());
    inst.b = scalar(op.getUpperBound());
    inst.c = scalar(op.getStep());
    inst.type = *typeOf(op.getInductionVar().getType());
    inst.flag = op.getUnsignedCmp();
  };
  set(emit(Opcode::LoopBegin, op));
  uint32_t test = here();
  set(emit(Opcode::LoopTest, op));
  block(*op.getBody());
  yields.assign(op.getYieldedValues().begin(), op.getYieldedValues().end());
  moves(op, op.getRegionIterArgs(), yields);
  set(emit(Opcode::LoopNext, op));
  p.code.back().target = test;
  p.code[test].target = here();
  loop = outer;
  SmallVector<Value> last(op.getRegionIterArgs().begin(),
                          op.getRegionIterArgs().end());
  moves(op, op.getResults(), last);
}

void Compiler::control(scf::IfOp op) {
  uint32_t branch = here();
  emit(Opcode::BranchFalse, op).a = scalar(op.getCondition());
  auto emitArm = [&](mlir::Region &body) {
    block(body.front());
    auto yield = cast<scf::YieldOp>(body.front().getTerminator());
    SmallVector<Value> values(yield.getOperands());
    moves(op, op.getResults(), values);
  };
  emitArm(op.getThenRegion());
  if (op.getElseRegion().empty()) {
    p.code[branch].target = here();
    return;
  }
  uint32_t over = here();
  emit(Opcode::Jump, op);
  p.code[branch].target = here();
  emitArm(op.getElseRegion());
  p.code[over].target = here();
}

void Compiler::control(ElectOp op) {
  moves(op, op.getResults(), SmallVector<Value>(op.getNumResults()));
  uint32_t begin = here();
  emit(Opcode::ElectBegin, op).imm =
      op.getWarp() ? static_cast<int64_t>(*op.getWarp()) : -1;
  block(op.getBody().front());
  SmallVector<Value> values(
      op.getBody().front().getTerminator()->getOperands());
  moves(op, op.getResults(), values);
  emit(Opcode::ElectEnd, op);
  p.code[begin].target = here();
}

void Compiler::control(WarpSpecializeOp op) {
  uint32_t begin = here();
  emit(Opcode::Specialize, op);
  SmallVector<uint32_t> ends;
  uint32_t first = p.regions.size();
  for (auto partition : op.getBody().getOps<PartitionOp>()) {
    currentRegion = p.regions.size();
    WarpRegion region;
    region.name = "partition " + partition.getName().str();
    region.firstWarp = op.getFirstWarp(partition);
    region.warps = partition.getWarps();
    region.padded = partition.getPaddedWarps();
    region.registers = partition.getRegisters().value_or(0);
    region.entry = here();
    p.regions.push_back(region);
    if (region.registers)
      emit(Opcode::SetRegisters, partition).imm = region.registers;
    // Idle warps of a padded warpgroup leave here.
    ends.push_back(here());
    emit(Opcode::PartitionEnd, partition).flag = true;
    block(partition.getBody().front());
    ends.push_back(here());
    emit(Opcode::PartitionEnd, partition);
  }
  currentRegion = 0;
  p.code[begin].imm = first;
  p.code[begin].imm2 = p.regions.size();
  p.code[begin].target = here();
  for (uint32_t end : ends)
    p.code[end].target = here();
}

//===----------------------------------------------------------------------===//
// Scalars and tiles
//===----------------------------------------------------------------------===//

void Compiler::constant(arith::ConstantOp op) {
  auto type = elementType(op, op.getType());
  if (!type)
    return;
  auto bits = [&](Attribute value) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(value))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return canonical(*type, cast<IntegerAttr>(value).getValue().getSExtValue());
  };
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    const TileTable *table = tileTable(op, op.getType());
    if (!table)
      return;
    if (!dense.isSplat())
      return unsupported(op, " of a tile that is no splat");
    auto *tile = new Tile(table->perWarp());
    tile->data.assign(table->perWarp(), bits(dense.getSplatValue<Attribute>()));
    uint32_t number = ref(op.getResult());
    p.refs[number] = tile;
    return;
  }
  uint32_t number = scalar(op.getResult());
  p.scalars[number] = bits(op.getValue());
}

bool Compiler::elementwise(Operation &op) {
  auto what = findElt(op.getName().getStringRef());
  if (!what || op.getNumResults() != 1)
    return false;
  Value result = op.getResult(0);
  auto out = elementType(&op, result.getType());
  auto in = elementType(&op, op.getOperand(op.getNumOperands() - 1).getType());
  if (!in || !out)
    return true;
  EltOp elt{*what, *in, *out, 0};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    elt.predicate = static_cast<uint8_t>(compare.getPredicate());
  bool tile = isa<RankedTensorType>(result.getType());
  const TileTable *table = tile ? tileTable(&op, result.getType()) : nullptr;
  if (tile && !table)
    return true;
  uint32_t operands[3] = {none, none, none};
  // A scalar condition selects whole tiles.
  bool scalarCondition = tile && *what == Elt::Select &&
                         !isa<RankedTensorType>(op.getOperand(0).getType());
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    operands[i] = tile && !(i == 0 && scalarCondition)
                      ? ref(op.getOperand(i))
                      : scalar(op.getOperand(i));
  uint32_t dst = tile ? ref(result) : scalar(result);
  Inst &inst = emit(tile ? Opcode::TileElt : Opcode::Scalar, &op);
  inst.table = p.elts.size();
  inst.flag = scalarCondition;
  inst.dst = dst;
  inst.a = operands[0];
  inst.b = operands[1];
  inst.c = operands[2];
  inst.imm = table ? table->perWarp() : 1;
  p.elts.push_back(elt);
  return true;
}

bool Compiler::tileOperation(Operation &op) {
  auto table = [&](mlir::Type type) { return tileTable(&op, type); };
  if (auto splat = dyn_cast<SplatOp>(op)) {
    if (const TileTable *t = table(splat.getType())) {
      uint32_t a = scalar(splat.getValue()), dst = ref(splat.getResult());
      Inst &inst = emit(Opcode::Splat, &op);
      inst.a = a;
      inst.dst = dst;
      inst.imm = t->perWarp();
    }
  } else if (auto coordinate = dyn_cast<CoordinateOp>(op)) {
    if (const TileTable *t = table(coordinate.getType())) {
      uint32_t dst = ref(coordinate.getResult());
      Inst &inst = emit(Opcode::Coordinate, &op);
      inst.dst = dst;
      inst.imm = coordinate.getDimension();
      for (uint32_t i = 0; i < p.tiles.size(); ++i)
        if (p.tiles[i].get() == t)
          inst.table = i;
    }
  } else if (auto extract = dyn_cast<ExtractOp>(op)) {
    RankedTensorType from = extract.getTile().getType(), to = extract.getType();
    if (!table(from) || !table(to))
      return true;
    auto slice = getTileLayout(from)->slice(
        {extract.getOffsets().begin(), extract.getOffsets().end()},
        {to.getShape().begin(), to.getShape().end()});
    if (!slice) {
      problem(&op, Code::LayoutSlice, slice.problem().message);
      return true;
    }
    uint32_t a = ref(extract.getTile()), dst = ref(extract.getResult());
    Inst &inst = emit(Opcode::Extract, &op);
    inst.a = a;
    inst.dst = dst;
    inst.table = p.registerLists.size();
    p.registerLists.emplace_back(slice->registers.begin(),
                                 slice->registers.end());
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    const TileTable *t = table(reduce.getTile().getType());
    auto type = elementType(&op, reduce.getType());
    if (!t || !type)
      return true;
    // Every row must lie in one warp.
    int64_t columns = t->shape.back();
    std::map<int64_t, uint32_t> warpOf;
    for (size_t i = 0; i < t->element.size(); ++i) {
      uint32_t warp = i / t->perWarp();
      auto [entry, isNew] = warpOf.try_emplace(t->element[i] / columns, warp);
      if (!isNew && entry->second != warp && t->owner[i]) {
        problem(&op, Code::LayoutMismatch,
                "a row of the tile lies in several warps: reduce works within "
                "a warp");
        return true;
      }
    }
    uint32_t a = ref(reduce.getTile()), dst = ref(reduce.getResult());
    const TileTable *row = table(reduce.getType());
    if (!row)
      return true;
    Inst &inst = emit(Opcode::Reduce, &op);
    inst.target = indexOf(row);
    inst.flag = reduce.getType() != reduce.getTile().getType();
    inst.kind = static_cast<uint8_t>(reduce.getKind());
    inst.type = *type;
    inst.a = a;
    inst.dst = dst;
    for (uint32_t i = 0; i < p.tiles.size(); ++i)
      if (p.tiles[i].get() == t)
        inst.table = i;
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    const TileTable *from = table(broadcast.getTile().getType()),
                    *to = table(broadcast.getType());
    if (!from || !to)
      return true;
    uint32_t a = ref(broadcast.getTile()), dst = ref(broadcast.getResult());
    Inst &inst = emit(Opcode::Broadcast, &op);
    inst.a = a;
    inst.dst = dst;
    inst.table = indexOf(to);
    inst.target = indexOf(from);
  } else {
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Compiler::allocate(Operation *op, Value result, int64_t bytes,
                        int64_t alignment, bool barriers) {
  // Address 0 is left free, as on the hardware.
  if (p.sharedBytes == 0)
    p.sharedBytes = 1024;
  p.sharedBytes = llvm::alignTo(p.sharedBytes, alignment);
  if (p.sharedBytes + bytes > (int64_t(1) << 30)) {
    problem(op, Code::SharedMemoryLimit, "shared memory beyond 2^30 bytes");
    return;
  }
  uint32_t number = scalar(result);
  p.scalars[number] = p.sharedBytes;
  p.allocations.push_back(
      {p.sharedBytes, static_cast<uint32_t>(bytes), barriers, op});
  p.sharedBytes += bytes;
}

bool Compiler::memoryOperation(Operation &op) {
  auto scalarAccess = [&](Opcode code, Value memory, ValueRange indices,
                          Value value, Value result) {
    mlir::Type element;
    std::optional<uint32_t> view;
    if (auto shared = dyn_cast<SharedType>(memory.getType())) {
      element = shared.getElementType();
      view = viewTable(&op, shared);
    } else {
      element = cast<GlobalType>(memory.getType()).getElementType();
    }
    auto type = elementType(&op, element);
    if (!type)
      return static_cast<Inst *>(nullptr);
    uint32_t a = scalar(memory), b = scalar(value), dst = scalar(result);
    Inst &inst = emit(code, &op);
    inst.type = *type;
    inst.a = a;
    inst.b = b;
    inst.dst = dst;
    inst.table = view.value_or(none);
    setList(inst, indices);
    return &inst;
  };
  auto order = [](Inst *inst, MemorySem sem, MemoryScope scope) {
    if (!inst)
      return;
    inst->sem = static_cast<uint8_t>(sem);
    inst->scope = static_cast<uint8_t>(scope);
  };
  auto globalTile = [&](Opcode code, Value tensor, RankedTensorType tile,
                        ValueRange indices, Value mask, Value value,
                        Value result) {
    const TileTable *t = tileTable(&op, tile);
    if (!t)
      return;
    uint32_t a = scalar(tensor), b = ref(value), c = ref(mask),
             dst = ref(result);
    Inst &inst = emit(code, &op);
    inst.type = *typeOf(tile.getElementType());
    inst.a = a;
    inst.b = b;
    inst.c = c;
    inst.dst = dst;
    for (uint32_t i = 0; i < p.tiles.size(); ++i)
      if (p.tiles[i].get() == t)
        inst.table = i;
    setList(inst, indices, true);
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](SharedAllocOp o) {
        allocate(o, o.getResult(),
                 o.getType().getSlotBytes() * o.getType().getSlots(),
                 o.getType().getAlignment(), false);
        return true;
      })
      .Case([&](SharedSlotOp o) {
        uint32_t a = scalar(o.getRing()), b = scalar(o.getIndex()),
                 dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::SharedSlot, o);
        inst.a = a;
        inst.b = b;
        inst.dst = dst;
        inst.imm = o.getRing().getType().getSlotBytes();
        inst.imm2 = o.getRing().getType().getSlots();
        return true;
      })
      .Case([&](SharedViewOp o) {
        uint32_t a = scalar(o.getSource()), dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::SharedView, o);
        inst.a = a;
        inst.dst = dst;
        inst.imm = o.getByteOffset();
        return true;
      })
      .Case([&](MapRankOp o) {
        uint32_t a = scalar(o.getSource()), b = scalar(o.getRank()),
                 dst = scalar(o.getResult());
        Inst &inst = emit(Opcode::MapRank, o);
        inst.a = a;
        inst.b = b;
        inst.dst = dst;
        return true;
      })
      .Case([&](SharedStoreOp o) {
        auto table = access(o, o.getTile().getType(), o.getBuffer().getType());
        if (!table)
          return true;
        uint32_t a = scalar(o.getBuffer()), b = ref(o.getTile());
        Inst &inst = emit(Opcode::SharedStore, o);
        inst.a = a;
        inst.b = b;
        inst.table = *table;
        inst.flag = o.getMatrix();
        return true;
      })
      .Case([&](SharedLoadOp o) {
        auto table = access(o, o.getType(), o.getBuffer().getType());
        if (!table)
          return true;
        uint32_t a = scalar(o.getBuffer()), dst = ref(o.getResult());
        Inst &inst = emit(Opcode::SharedLoad, o);
        inst.a = a;
        inst.dst = dst;
        inst.table = *table;
        inst.flag = o.getMatrix();
        return true;
      })
      .Case([&](GlobalLoadOp o) {
        globalTile(Opcode::GlobalLoad, o.getTensor(), o.getType(),
                   o.getIndices(), o.getMask(), {}, o.getResult());
        return true;
      })
      .Case([&](GlobalStoreOp o) {
        globalTile(Opcode::GlobalStore, o.getTensor(), o.getTile().getType(),
                   o.getIndices(), o.getMask(), o.getTile(), {});
        return true;
      })
      .Case([&](LdOp o) {
        order(scalarAccess(Opcode::Ld, o.getMemory(), o.getIndices(), {},
                           o.getResult()),
              o.getSem(), o.getScope());
        return true;
      })
      .Case([&](StOp o) {
        order(scalarAccess(Opcode::St, o.getMemory(), o.getIndices(),
                           o.getValue(), {}),
              o.getSem(), o.getScope());
        return true;
      })
      .Case([&](AtomOp o) {
        Inst *inst = scalarAccess(Opcode::Atom, o.getMemory(), o.getIndices(),
                                  o.getValue(), o.getResult());
        order(inst, o.getSem(), o.getScope());
        if (inst) {
          inst->kind = static_cast<uint8_t>(o.getOp());
          inst->flag = !o.getResult().use_empty();
        }
        return true;
      })
      .Case([&](FlagWaitOp o) {
        order(scalarAccess(Opcode::FlagWait, o.getFlags(), o.getIndices(),
                           o.getValue(), {}),
              MemorySem::Acquire, o.getScope());
        return true;
      })
      .Case([&](FlagSignalOp o) {
        order(scalarAccess(Opcode::FlagSignal, o.getFlags(), o.getIndices(),
                           o.getValue(), {}),
              MemorySem::Release, o.getScope());
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

void Compiler::barrierOperands(Inst &inst, Value barrier, Value index) {
  inst.c = scalar(barrier);
  inst.d = scalar(index);
  inst.imm2 = cast<MBarrierType>(barrier.getType()).getSlots();
}

bool Compiler::barrierOperation(Operation &op) {
  auto barrier = [&](Opcode code, Value object, Value index) -> Inst & {
    scalar(object);
    scalar(index);
    Inst &inst = emit(code, &op);
    barrierOperands(inst, object, index);
    return inst;
  };
  auto order = [](Inst &inst, MemorySem sem, MemoryScope scope) {
    inst.sem = static_cast<uint8_t>(sem);
    inst.scope = static_cast<uint8_t>(scope);
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](MBarrierAllocOp o) {
        allocate(o, o.getResult(), 8 * o.getType().getSlots(), 8, true);
        return true;
      })
      .Case([&](MBarrierInitOp o) {
        barrier(Opcode::BarrierInit, o.getBarrier(), o.getIndex()).imm =
            o.getCount();
        return true;
      })
      .Case([&](MBarrierInvalOp o) {
        barrier(Opcode::BarrierInval, o.getBarrier(), o.getIndex());
        return true;
      })
      .Case([&](MBarrierArriveOp o) {
        uint32_t dst = scalar(o.getState());
        Inst &inst =
            barrier(Opcode::BarrierArrive, o.getBarrier(), o.getIndex());
        inst.imm = o.getCount();
        inst.dst = dst;
        order(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierArriveExpectTxOp o) {
        uint32_t dst = scalar(o.getState()), a = scalar(o.getBytes());
        Inst &inst =
            barrier(Opcode::BarrierArriveExpect, o.getBarrier(), o.getIndex());
        inst.imm = 1;
        inst.a = a;
        inst.dst = dst;
        order(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierExpectTxOp o) {
        uint32_t a = scalar(o.getBytes());
        barrier(Opcode::BarrierExpect, o.getBarrier(), o.getIndex()).a = a;
        return true;
      })
      .Case([&](MBarrierWaitOp o) {
        uint32_t a = scalar(o.getParity());
        Inst &inst = barrier(Opcode::BarrierWait, o.getBarrier(), o.getIndex());
        inst.a = a;
        order(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierWaitStateOp o) {
        uint32_t a = scalar(o.getState());
        Inst &inst =
            barrier(Opcode::BarrierWaitState, o.getBarrier(), o.getIndex());
        inst.a = a;
        order(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](MBarrierTestWaitOp o) {
        uint32_t a = scalar(o.getParity()), dst = scalar(o.getDone());
        Inst &inst = barrier(Opcode::BarrierTest, o.getBarrier(), o.getIndex());
        inst.a = a;
        inst.dst = dst;
        order(inst, o.getSem(), o.getScope());
        return true;
      })
      .Case([&](SyncWarpOp o) {
        emit(Opcode::SyncWarp, o);
        return true;
      })
      .Case([&](CtaSyncOp o) {
        Inst &inst = emit(Opcode::NamedSync, o);
        inst.imm2 = p.warps * laneCount;
        return true;
      })
      .Case([&](BarrierSyncOp o) {
        Inst &inst = emit(Opcode::NamedSync, o);
        inst.imm = o.getId();
        inst.imm2 = o.getThreads();
        return true;
      })
      .Case([&](BarrierArriveOp o) {
        Inst &inst = emit(Opcode::NamedArrive, o);
        inst.imm = o.getId();
        inst.imm2 = o.getThreads();
        return true;
      })
      .Case([&](ClusterArriveOp o) {
        emit(Opcode::ClusterArrive, o).flag = o.getRelaxed();
        return true;
      })
      .Case([&](ClusterWaitOp o) {
        emit(Opcode::ClusterWait, o);
        return true;
      })
      .Case([&](FenceOp o) {
        order(emit(Opcode::Fence, o), o.getSem(), o.getScope());
        return true;
      })
      .Case([&](FenceProxyAsyncOp o) {
        emit(Opcode::FenceProxyAsync, o).kind =
            static_cast<uint8_t>(o.getSpace());
        return true;
      })
      .Case([&](FenceMbarrierInitOp o) {
        emit(Opcode::FenceBarrierInit, o);
        return true;
      })
      .Case<FenceTensormapReleaseOp, FenceTensormapAcquireOp>([&](auto o) {
        // Maps are parameters in this slice, which nobody writes (MM-92).
        emit(Opcode::FenceTensormap, o);
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// Copies and products
//===----------------------------------------------------------------------===//

bool Compiler::asyncOperation(Operation &op) {
  auto copy = [&](Opcode code, Value map, ValueRange coords,
                  Value buffer) -> Inst & {
    uint32_t a = scalar(map), b = scalar(buffer);
    Inst &inst = emit(code, &op);
    inst.a = a;
    inst.b = b;
    setList(inst, coords);
    return inst;
  };
  return llvm::TypeSwitch<Operation *, bool>(&op)
      .Case([&](TmaLoadOp o) {
        if (o.getPair()) {
          unsupported(o, " with a barrier of the pair");
          return true;
        }
        uint32_t mask = scalar(o.getMulticast());
        scalar(o.getBarrier());
        scalar(o.getIndex());
        Inst &inst =
            copy(Opcode::TmaLoad, o.getMap(), o.getCoords(), o.getBuffer());
        barrierOperands(inst, o.getBarrier(), o.getIndex());
        inst.target = mask;
        return true;
      })
      .Case([&](TmaStoreOp o) {
        copy(Opcode::TmaStore, o.getMap(), o.getCoords(), o.getBuffer());
        return true;
      })
      .Case([&](TmaReduceOp o) {
        copy(Opcode::TmaReduce, o.getMap(), o.getCoords(), o.getBuffer()).kind =
            static_cast<uint8_t>(o.getOp());
        return true;
      })
      .Case([&](BulkCommitOp o) {
        uint32_t dst = scalar(o.getToken());
        emit(Opcode::BulkCommit, o).dst = dst;
        return true;
      })
      .Case([&](BulkWaitOp o) {
        uint32_t a = scalar(o.getToken());
        Inst &inst = emit(Opcode::BulkWait, o);
        inst.a = a;
        inst.flag = o.getRead();
        return true;
      })
      .Case([&](BulkWaitGroupOp o) {
        Inst &inst = emit(Opcode::BulkWaitGroup, o);
        inst.imm = o.getPending();
        inst.flag = o.getRead();
        return true;
      })
      .Case([&](TokenNoneOp o) {
        p.scalars[scalar(o.getToken())] = 0;
        return true;
      })
      .Case([&](InFlightNoneOp o) {
        slot(o.getResult()); // A null reference: no registers yet.
        return true;
      })
      .Case([&](InFlightStartOp o) {
        if (!tileTable(o, o.getTile().getType()))
          return true;
        SlotOf dst = slot(o.getResult());
        uint32_t a = ref(o.getTile());
        Inst &inst = emit(Opcode::InFlightStart, o);
        inst.a = a;
        inst.dst = dst.ref;
        inst.d = dst.scalar;
        return true;
      })
      .Case([&](MmaOp o) {
        auto table = mmaTable(o);
        if (!table)
          return true;
        SlotOf acc = slot(o.getAcc()), dst = slot(o.getResult());
        bool inRegisters = isa<RankedTensorType>(o.getA().getType());
        uint32_t a = inRegisters ? ref(o.getA()) : scalar(o.getA());
        uint32_t b = scalar(o.getB()), more = scalar(o.getAccumulate());
        Inst &inst = emit(Opcode::Mma, o);
        inst.flag = inRegisters;
        inst.table = *table;
        inst.a = a;
        inst.b = b;
        inst.c = acc.ref;
        inst.d = more;
        inst.dst = dst.ref;
        inst.imm = acc.scalar;
        inst.imm2 = dst.scalar;
        return true;
      })
      .Case([&](MmaFenceOp o) {
        emit(Opcode::MmaFence, o);
        return true;
      })
      .Case([&](MmaCommitOp o) {
        uint32_t dst = scalar(o.getToken());
        emit(Opcode::MmaCommit, o).dst = dst;
        return true;
      })
      .Case([&](MmaWaitOp o) {
        uint32_t a = scalar(o.getToken());
        emit(Opcode::MmaWait, o).a = a;
        return true;
      })
      .Case([&](MmaWaitGroupOp o) {
        emit(Opcode::MmaWaitGroup, o).imm = o.getPending();
        return true;
      })
      .Case([&](MmaResultOp o) {
        SlotOf acc = slot(o.getAcc());
        uint32_t dst = ref(o.getResult());
        const TileTable *table = tileTable(o, o.getType());
        if (!table)
          return true;
        uint32_t after = scalar(o.getAfter());
        Inst &inst = emit(Opcode::MmaResult, o);
        inst.b = after;
        inst.imm = table->perWarp();
        inst.a = acc.ref;
        inst.d = acc.scalar;
        inst.dst = dst;
        return true;
      })
      .Default(false);
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

void Compiler::operation(Operation &op) {
  bool done =
      llvm::TypeSwitch<Operation *, bool>(&op)
          .Case<scf::ForOp, scf::IfOp, ElectOp, WarpSpecializeOp>([&](auto o) {
            control(o);
            return true;
          })
          .Case([&](arith::ConstantOp o) {
            constant(o);
            return true;
          })
          .Case([&](ReturnOp o) {
            emit(Opcode::Return, o);
            return true;
          })
          .Default(false);
  if (done || elementwise(op) || tileOperation(op) || memoryOperation(op) ||
      barrierOperation(op) || asyncOperation(op))
    return;
  auto simple = [&](Opcode code, int64_t imm) {
    uint32_t dst = scalar(op.getResult(0));
    Inst &inst = emit(code, &op);
    inst.dst = dst;
    inst.imm = imm;
  };
  if (auto id = dyn_cast<CtaIdOp>(op))
    return simple(Opcode::CtaId, id.getDimension());
  if (auto number = dyn_cast<NumCtasOp>(op))
    return simple(Opcode::NumCtas, number.getDimension());
  if (isa<ClusterRankOp>(op))
    return simple(Opcode::ClusterRank, 0);
  if (isa<WarpIdOp>(op))
    return simple(Opcode::WarpId, 0);
  if (auto dim = dyn_cast<DimOp>(op)) {
    uint32_t a = scalar(dim.getTensor());
    simple(Opcode::Dim, dim.getDimension());
    p.code.back().a = a;
    return;
  }
  if (auto print = dyn_cast<PrintOp>(op)) {
    for (Value value : print.getValues())
      if (!value.getType().isIntOrIndexOrFloat() || !typeOf(value.getType()))
        return unsupported(&op, " of anything but scalars");
    SmallVector<Value> values(print.getValues());
    for (Value value : values)
      scalar(value);
    setList(emit(Opcode::Print, &op), values);
    return;
  }
  if (auto check = dyn_cast<AssertOp>(op)) {
    uint32_t a = scalar(check.getCondition());
    emit(Opcode::Assert, &op).a = a;
    return;
  }
  unsupported(&op);
}

void Compiler::run() {
  p.warps = kernel.getWarps();
  p.cluster = kernel.getClusterShape();
  p.clusterSize = kernel.getClusterSize();
  p.launchRegisters =
      kernel.getRegisters() ? static_cast<int64_t>(*kernel.getRegisters()) : 0;
  WarpRegion cta;
  cta.name = "the CTA";
  cta.warps = cta.padded = p.warps;
  p.regions.push_back(cta);
  for (BlockArgument argument : kernel.getBody().getArguments())
    slot(argument);
  block(kernel.getBody().front());
  const TargetInfo &target = targetInfo(TargetId::Sm90a);
  int64_t used = p.sharedBytes ? p.sharedBytes - 1024 : 0;
  if (used > target.sharedBytesPerCta)
    problem(kernel, Code::SharedMemoryLimit,
            llvm::formatv("the CTA's buffers take {0} bytes of shared memory; "
                          "there are {1}",
                          used, target.sharedBytesPerCta));
}

std::unique_ptr<Program> Program::compile(KernelOp kernel,
                                          std::vector<Finding> &problems) {
  auto program = std::make_unique<Program>();
  size_t before = problems.size();
  Compiler(kernel, *program, problems).run();
  return problems.size() == before ? std::move(program) : nullptr;
}
