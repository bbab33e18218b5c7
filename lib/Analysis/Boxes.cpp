//===- Boxes.cpp - which bytes of a tensor a tensor copy touches ----------===//
//
// Boxes of a map over the tensor's own sizes and strides are kept as boxes:
// their coordinates are compared, whatever the strides are. A map with sizes
// and strides of its own is another grid over the same bytes, so that its boxes
// are turned into bytes.
//
//===----------------------------------------------------------------------===//
#include "Interpreter.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;
using namespace titan::effect;

std::optional<uint32_t> Instantiator::Impl::boxFootprint(const CompiledOp &op,
                                                         const Access &access) {
  const Footprint &bytes = access.bytes;
  auto root = globalRoot(bytes.object);
  if (!root) {
    problem(Code::Undecided, op.op,
            "which tensor this map was made over is not known");
    return std::nullopt;
  }
  if (TensorMapOp map = getTensorMapOp(bytes.object); map && map.isView())
    return viewFootprint(op, access, map, *root);
  ArrayRef<int64_t> shape =
      cast<GlobalType>(program->roots[*root].getType()).getShape();
  FootprintData data;
  data.root = *root;
  data.steps.assign(bytes.steps.begin(), bytes.steps.end());
  std::vector<int64_t> key = {'b', *root};
  llvm::append_range(key, data.steps);
  for (auto [d, coord] : llvm::enumerate(bytes.coords)) {
    const Val &val = value(coord);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    if (access.kind != AccessKind::Read && val.number.value < 0) {
      problem(Code::TmaStoreNegative, op.op,
              "coordinate " + Twine(d) + " of what is written is " +
                  Twine(val.number.value));
      return std::nullopt;
    }
    int64_t low = val.number.value, high = low + bytes.extents[d];
    if (low < 0) // The first element inside.
      low = bytes.steps.empty() ? 0 : low + llvm::alignTo(-low, bytes.steps[d]);
    if (!ShapedType::isDynamic(shape[d]))
      high = std::min(high, shape[d]);
    data.low.push_back(low);
    data.high.push_back(std::max(low, high));
    key.push_back(low);
    key.push_back(data.high.back());
  }
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (fresh) {
    self.footprints.setStrides(*root, globalStrides(*root));
    found->second = self.footprints.add(std::move(data));
  }
  return found->second;
}

std::optional<uint32_t> Instantiator::Impl::viewFootprint(const CompiledOp &op,
                                                          const Access &access,
                                                          TensorMapOp map,
                                                          uint32_t root) {
  const Footprint &bytes = access.bytes;
  auto type = cast<GlobalType>(program->roots[root].getType());
  int64_t element = getElementBytes(type.getElementType());
  size_t rank = bytes.coords.size();
  // Under the sizes of this launch.
  bool decided = false;
  std::vector<int64_t> dims, strides;
  for (Value value : map.getDims())
    dims.push_back(here(launchNumbers.lookup(value)).number.value);
  for (Value value : map.getByteStrides()) {
    Number stride = launchNumbers.lookup(value);
    decided |= stride.symbol != 0;
    strides.push_back(here(stride).number.value);
  }
  strides.push_back(element);
  std::vector<int64_t> key = {'w', root};
  llvm::append_range(key, dims);
  llvm::append_range(key, strides);
  std::vector<std::vector<int64_t>> inside(rank);
  for (size_t d = 0; d < rank; ++d) {
    const Val &val = value(bytes.coords[d]);
    if (val.kind != Val::Int) {
      problem(Code::Undecided, op.op,
              "coordinate " + Twine(d) + " depends on " + val.dependsOn());
      return std::nullopt;
    }
    int64_t from = val.number.value;
    if (access.kind != AccessKind::Read && from < 0) {
      problem(Code::TmaStoreNegative, op.op,
              "coordinate " + Twine(d) + " of what is written is " +
                  Twine(from));
      return std::nullopt;
    }
    int64_t step = bytes.steps.empty() ? 1 : bytes.steps[d];
    llvm::append_values(key, from, bytes.extents[d], step);
    for (int64_t i = 0; i < bytes.extents[d]; i += step)
      if (from + i >= 0 && from + i < dims[d])
        inside[d].push_back(from + i);
  }
  Value tensor = kernel.getKernelArguments()[root - program->sharedRoots];
  auto [found, fresh] = footprintIds.try_emplace(key, 0);
  if (!fresh)
    return found->second;
  FootprintData data;
  data.root = root;
  // A tensor that nobody writes needs no bytes.
  if (writtenTensors.contains(tensor)) {
    // Where pitches are the launch's, rows are as far apart as footprints see
    // them, or pieces of one row.
    std::vector<int64_t> pitches = globalStrides(root);
    int64_t least = INT64_MAX, piece = element, row = element;
    for (auto [pitch, known] : llvm::zip(pitches, type.getStrides()))
      if (ShapedType::isDynamic(known))
        least = std::min(least, pitch);
    for (size_t d = 0; d < pitches.size(); ++d)
      if (pitches[d] < least)
        row += (here(sizeNumber(root - program->sharedRoots, d)).number.value -
                1) *
               pitches[d];
    for (size_t d = 0; d < rank; ++d)
      if (strides[d] < least)
        piece += (dims[d] - 1) * strides[d];
    if (least != INT64_MAX && (decided || piece > row))
      gap(op.op, "how a tensor map with strides that are not computed from the "
                 "tensor's (titan.stride) lies in a tensor whose strides only "
                 "the launch knows");
    std::vector<ByteSet::Interval> rows;
    bool any = llvm::none_of(inside, [](auto &list) { return list.empty(); });
    for (std::vector<size_t> at(rank); any;) {
      int64_t start = 0;
      for (size_t d = 0; d + 1 < rank; ++d)
        start += inside[d][at[d]] * strides[d];
      rows.push_back({start + inside.back().front() * element,
                      start + (inside.back().back() + 1) * element});
      int d = static_cast<int>(rank) - 2;
      for (; d >= 0; --d) {
        if (++at[d] < inside[d].size())
          break;
        at[d] = 0;
      }
      any = d >= 0;
    }
    data.bytes = ByteSet::of(std::move(rows));
    self.footprints.setStrides(root, pitches);
  }
  return found->second = self.footprints.add(std::move(data));
}
