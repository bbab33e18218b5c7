//===- Arguments.cpp - the data that a kernel is run on -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "titan/Dialect/Titan/Example.h"
#include "titan/Dialect/Titan/InitialValues.h"
#include "titan/Runtime/Data.h"
#include "titan/Runtime/Npy.h"
#include "titan/Simulator/Machine.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mlir;
using namespace titan;

/// Bytes of one tensor: more is a mistake, not a test.
static constexpr int64_t maxTensorBytes = int64_t{1} << 32;

std::optional<runtime::DType> titan::getDType(Type type) {
  std::string name;
  llvm::raw_string_ostream os(name);
  type.print(os);
  return runtime::parseDType(name);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static Result<uint64_t> floatBits(FloatType type, APFloat value) {
  bool loses;
  if (value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &loses) &
      APFloat::opOverflow) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return Problem{"bad-argument", "the value is beyond the largest " + name,
                   "write inf where infinity is meant"};
  }
  return value.bitcastToAPInt().getZExtValue();
}

static Result<uint64_t> integerBits(Type type, const APInt &value) {
  unsigned width = cast<IntegerType>(type).getWidth();
  if (!value.isIntN(width) && !value.isSignedIntN(width))
    return Problem{"bad-argument", toString(value, 10, /*Signed=*/true) +
                                       " does not fit into " +
                                       std::to_string(width) + " bits"};
  return value.sextOrTrunc(width).getZExtValue();
}

Result<uint64_t> titan::readScalar(Type type, StringRef text) {
  if (auto floating = dyn_cast<FloatType>(type)) {
    APFloat value(0.0);
    auto parsed = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!parsed) {
      llvm::consumeError(parsed.takeError());
      return Problem{"bad-argument", "'" + text.str() + "' is not a number",
                     "write a number: 1.5, -2e3, inf, nan"};
    }
    if (*parsed & APFloat::opOverflow) // Of f64: of every type.
      value = APFloat::getLargest(APFloat::IEEEquad(), value.isNegative());
    return floatBits(floating, value);
  }
  APInt value;
  StringRef digits = text;
  bool negative = digits.consume_front("-");
  if (digits.getAsInteger(10, value))
    return Problem{"bad-argument", "'" + text.str() + "' is not an integer"};
  value = value.zext(value.getBitWidth() + 1); // A sign.
  return integerBits(type, negative ? -value : value);
}

//===----------------------------------------------------------------------===//
// One argument
//===----------------------------------------------------------------------===//

int64_t HostArgument::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Calls `row(dense, offset)` for each innermost row: the index of its first
/// element in the dense order, and its byte offset from element 0.
template <typename Row>
static void forEachRow(const HostArgument &argument, Row row) {
  const int64_t rank = argument.shape.size();
  const int64_t width = rank ? argument.shape.back() : 1;
  if (argument.getNumElements() == 0)
    return;
  const int64_t rows = argument.getNumElements() / width;
  const int64_t size = runtime::sizeInBytes(argument.type);
  std::vector<int64_t> index(rank, 0);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t offset = 0;
    for (int64_t d = 0; d + 1 < rank; ++d)
      offset += index[d] * argument.strides[d];
    row(r * width, offset * size);
    for (int64_t d = rank - 2; d >= 0 && ++index[d] == argument.shape[d]; --d)
      index[d] = 0;
  }
}

std::vector<uint8_t> HostArgument::gather() const {
  const int64_t size = runtime::sizeInBytes(type);
  const int64_t width = shape.empty() ? 1 : shape.back();
  std::vector<uint8_t> dense(getNumElements() * size);
  forEachRow(*this, [&](int64_t first, int64_t at) {
    std::memcpy(dense.data() + first * size, memory.get() + offset + at,
                width * size);
  });
  return dense;
}

std::optional<int64_t>
HostArgument::findOverwrittenGuard(bool tailsFree) const {
  const int64_t size = runtime::sizeInBytes(type);
  const int64_t width = shape.empty() ? 1 : shape.back();
  const int64_t begin = -static_cast<int64_t>(guardBytes);
  const int64_t end = bytes + guardBytes;
  const uint8_t *data = memory.get() + offset;
  std::optional<int64_t> found;
  int64_t next = begin;
  auto check = [&](int64_t to) {
    for (; !found && next < to; ++next)
      if (data[next] != guardByte)
        found = next;
  };
  forEachRow(*this, [&](int64_t, int64_t at) {
    check(at);
    next = std::max<int64_t>(
        next, at + llvm::alignTo(width * size, tailsFree ? 16 : 1));
  });
  check(end);
  return found;
}

SimulatorArgument HostArgument::forSimulator() {
  SimulatorArgument argument;
  argument.scalar = bits;
  argument.address = address;
  if (tensor) {
    argument.data = reinterpret_cast<std::byte *>(memory.get() + offset);
    argument.bytes = bytes;
    argument.shape = shape;
    argument.strides = strides;
  }
  return argument;
}

HostArgument *HostArguments::find(StringRef name) {
  for (HostArgument &argument : arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Flags and the example
//===----------------------------------------------------------------------===//

namespace {
/// What is asked for, before memory is allocated.
struct Request : Example::Argument { // By flags its value may be a number, too.
  std::optional<std::string> asked;  ///< --shape.
  std::optional<runtime::NpyArray> file; ///< What the value names, read.
  std::optional<int64_t> initial;        ///< titan.initial.
};

class Maker {
public:
  /// Without `data`, tensors have shapes and strides alone, and what titan.initial
  /// says.
  Maker(Session &session, KernelOp kernel, const RunCommand &options,
        bool data = true)
      : session(session), kernel(kernel), options(options), data(data) {}

  std::optional<HostArguments> make();

private:
  bool fail(Code code, const Twine &message, StringRef fix = {}) {
    session.fail(code, message, fix);
    return false;
  }
  bool fail(const runtime::Error &error) {
    session.fail(error);
    return false;
  }
  bool split(StringRef flag, const std::string &text, StringRef &name,
             StringRef &value);
  Request *find(StringRef name, const Twine &where);
  bool readExample();
  bool readFlags();
  bool readFiles();
  bool sizesOf(StringRef name, const Request &request);
  bool number(StringRef text, int64_t &value, const Twine &where);
  bool parseShape(StringRef text, std::vector<int64_t> &shape,
                  const Twine &where);
  bool makeTensor(HostArgument &argument, Request &request, GlobalType type);
  bool makeScalar(HostArgument &argument, const Request &request, Type type);
  bool readMemories();
  bool makeMemory(StringRef name, uint64_t address);
  void placeTensors();

  Session &session;
  KernelOp kernel;
  const RunCommand &options;
  const bool data;
  std::map<std::string, int64_t, std::less<>> sizes;
  /// Sizes that are settled, and by what: "--size", "A.npy".
  std::map<std::string, std::string, std::less<>> settled;
  std::map<std::string, Request, std::less<>> requests;
  std::set<std::string> given;                            ///< FLAG=NAME
  std::vector<std::pair<std::string, uint64_t>> memories; ///< --memory
  HostArguments result;
};
} // namespace

bool Maker::split(StringRef flag, const std::string &text, StringRef &name,
                  StringRef &value) {
  std::tie(name, value) = StringRef(text).split('=');
  if (name.empty() || value.empty())
    return fail(Code::BadArgument,
                "--" + flag + " is NAME=VALUE, not '" + Twine(text) + "'");
  // A number for --arg is what --scalar takes.
  StringRef what = flag == "scalar" ? StringRef("arg") : flag;
  if (!given.insert((what + "=" + name).str()).second)
    return fail(Code::BadArgument,
                "--" + flag + ": " + name + " is given a second time",
                "give each value once");
  return true;
}

Request *Maker::find(StringRef name, const Twine &where) {
  auto it = requests.find(std::string_view(name));
  if (it != requests.end())
    return &it->second;
  std::string names;
  for (auto &[each, request] : requests)
    names += (names.empty() ? "" : ", ") + each;
  fail(Code::ArgumentUnknown, where + ": @" + kernel.getSymName() +
                                  " has no argument '" + name + "'; it has " +
                                  names);
  return nullptr;
}

bool Maker::number(StringRef text, int64_t &value, const Twine &where) {
  if (!text.getAsInteger(10, value)) {
    if (value < 0 || value > int64_t{1} << 40)
      return fail(Code::BadArgument,
                  where + ": '" + text + "' is not a size from 0 to 2^40");
    return true;
  }
  auto it = sizes.find(std::string_view(text));
  if (it == sizes.end())
    return fail(Code::BadArgument, where + ": '" + text +
                                       "' is neither a number nor a size of "
                                       "the kernel's titan.example");
  value = it->second;
  return true;
}

bool Maker::parseShape(StringRef text, std::vector<int64_t> &shape,
                       const Twine &where) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  shape.clear();
  for (StringRef part : parts)
    if (!number(part, shape.emplace_back(), where))
      return false;
  return true;
}

bool Maker::readExample() {
  FailureOr<Example> example = titan::readExample(kernel);
  if (failed(example)) // The verifier has said so.
    return false;
  sizes = std::move(example->sizes);
  result.multiprocessors =
      example->multiprocessors.value_or(result.multiprocessors);
  for (auto &[name, argument] : example->arguments)
    static_cast<Example::Argument &>(requests[name]) = std::move(argument);
  return true;
}

bool Maker::readFlags() {
  StringRef name, value;
  for (const std::string &text : options.sizes) {
    if (!split("size", text, name, value))
      return false;
    if (!sizes.count(std::string_view(name))) {
      std::string names;
      for (auto &[each, number] : sizes)
        names += (names.empty() ? "" : ", ") + each;
      return fail(Code::ArgumentUnknown,
                  "--size: the titan.example of @" + kernel.getSymName() +
                      " has no size '" + name + "'",
                  names.empty() ? "give shapes by --shape: it names no sizes"
                                : "it has " + names);
    }
    int64_t size;
    if (value.getAsInteger(10, size) || size < 0 || size > int64_t{1} << 40)
      return fail(Code::BadArgument,
                  "--size: '" + value + "' is not a size from 0 to 2^40");
    sizes[name.str()] = size;
    settled[name.str()] = "--size " + name.str();
  }
  auto each = [&](StringRef flag, const std::vector<std::string> &texts,
                  auto set) {
    for (const std::string &text : texts) {
      if (!split(flag, text, name, value))
        return false;
      Request *request = find(name, "--" + flag);
      if (!request)
        return false;
      set(*request);
    }
    return true;
  };
  return each("shape", options.shapes,
              [&](Request &r) { r.asked = value.str(); }) &&
         each("rowstride", options.rowStrides,
              [&](Request &r) { r.rowStride = value.str(); }) &&
         each("arg", options.args,
              [&](Request &r) { r.value = value.str(); }) &&
         each("scalar", options.scalars,
              [&](Request &r) { r.value = value.str(); }) &&
         each("out", options.outs, [](Request &) {});
}

/// Sizes that the example names follow from the shapes of arrays.
bool Maker::sizesOf(StringRef name, const Request &request) {
  SmallVector<StringRef> parts;
  StringRef(*request.shape).split(parts, 'x');
  const std::vector<int64_t> &shape = request.file->shape;
  if (parts.size() != shape.size())
    return true; // refused with the kernel's rank
  for (auto [part, size] : llvm::zip(parts, shape)) {
    int64_t fixed;
    if (!part.getAsInteger(10, fixed) || !sizes.count(std::string_view(part)))
      continue; // a number of the example's: the kernel's type decides
    auto [it, first] = settled.try_emplace(part.str(), *request.value);
    if (first)
      sizes[part.str()] = size;
    else if (sizes[part.str()] != size)
      return fail(Code::ArgumentShape,
                  "argument " + name + ": in " + *request.value + " " + part +
                      " is " + Twine(size) + ", by " + it->second + " it is " +
                      Twine(sizes[part.str()]),
                  "give arrays whose sizes agree");
  }
  return true;
}

bool Maker::readFiles() {
  for (auto &[name, request] : requests) {
    if (!request.value || !StringRef(*request.value).ends_with(".npy"))
      continue;
    auto array = runtime::readNpy(*request.value);
    if (!array)
      return fail(array.error());
    request.file = std::move(*array);
    if (request.shape && !sizesOf(name, request))
      return false;
  }
  return true;
}

bool Maker::readMemories() {
  for (const std::string &text : options.memories) {
    StringRef name, value;
    uint64_t address;
    if (!split("memory", text, name, value))
      return false;
    if (name.getAsInteger(0, address) || !address || address % 16)
      return fail(Code::BadArgument,
                  "--memory: '" + name +
                      "' is not an address, a multiple of 16 that is not 0",
                  "--memory 0x10000=FILE.npy");
    if (!value.ends_with(".npy"))
      return fail(Code::BadArgument,
                  "--memory: '" + value + "' is no .npy file");
    requests[name.str()].value = value.str();
    memories.push_back({name.str(), address});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors and scalars
//===----------------------------------------------------------------------===//

bool Maker::makeTensor(HostArgument &argument, Request &request,
                       GlobalType type) {
  std::string where = "argument " + argument.name;
  const int64_t rank = type.getRank();
  runtime::Generator generator{runtime::Fill::Poison, 0};
  if (request.initial)
    generator = {runtime::Fill::Same, static_cast<uint64_t>(*request.initial)};
  std::vector<int64_t> shape;
  if (request.file) {
    if (auto good =
            runtime::checkNpyType(*request.file, argument.type, *request.value);
        !good)
      return fail(good.error());
    shape = request.file->shape;
  } else if (request.value) {
    if (auto parsed = runtime::parseGenerator(*request.value)) {
      generator = *parsed;
      if (!runtime::supports(generator, argument.type))
        return fail(Code::BadArgument,
                    where + ": " + *request.value + " makes no data of type " +
                        StringRef(runtime::name(argument.type)),
                    runtime::isFloat(argument.type) ? "use random:SEED"
                                                    : "use ints:SEED");
    } else {
      return fail(Code::BadArgument,
                  where + ": '" + *request.value +
                      "' is neither FILE.npy, random:SEED, ints:SEED, "
                      "steps:N, fill:N, zeros nor poison");
    }
  }
  const auto &given = request.asked ? request.asked : request.shape;
  if (given && (!request.file || request.asked)) {
    std::vector<int64_t> asked;
    if (!parseShape(*given, asked, where))
      return false;
    if (request.file && asked != shape)
      return fail(Code::ArgumentShape,
                  where + ": the file's shape is not " + *given);
    shape = asked;
  } else if (!request.file) {
    if (llvm::any_of(type.getShape(), ShapedType::isDynamic))
      return fail(Code::ArgumentMissing, where + ": its shape is not known",
                  "give --shape " + argument.name + "=..., or a .npy file");
    shape.assign(type.getShape().begin(), type.getShape().end());
  }
  if (static_cast<int64_t>(shape.size()) != rank)
    return fail(Code::ArgumentShape,
                where + ": the shape has " + Twine(shape.size()) +
                    " dimensions, the kernel's tensor " + Twine(rank));
  for (int64_t d = 0; d < rank; ++d)
    if (!ShapedType::isDynamic(type.getShape()[d]) &&
        shape[d] != type.getShape()[d])
      return fail(Code::ArgumentShape,
                  where + ": dimension " + Twine(d) + " is " + Twine(shape[d]) +
                      ", the kernel's is " + Twine(type.getShape()[d]));

  // Strides: those of the type, the row stride asked for, else dense.
  argument.shape = shape;
  argument.strides.assign(rank, 1);
  for (int64_t d = rank - 2; d >= 0; --d) {
    int64_t stride;
    if (llvm::MulOverflow(argument.strides[d + 1],
                          std::max<int64_t>(shape[d + 1], 1), stride))
      return fail(Code::OutOfMemory, where + ": too large");
    if (d == rank - 2 && request.rowStride) {
      int64_t asked;
      if (!number(*request.rowStride, asked, where))
        return false;
      if (asked < stride)
        return fail(Code::ArgumentShape,
                    where + ": a row stride of " + Twine(asked) +
                        " elements is less than a row of " + Twine(stride));
      stride = asked;
    }
    if (!type.getStrides().empty() &&
        !ShapedType::isDynamic(type.getStrides()[d])) {
      if (request.rowStride && d == rank - 2 && type.getStrides()[d] != stride)
        return fail(Code::ArgumentShape, where +
                                             ": the kernel's row stride is " +
                                             Twine(type.getStrides()[d]));
      if (type.getStrides()[d] < stride)
        return fail(Code::ArgumentShape,
                    where + ": the kernel's stride of dimension " + Twine(d) +
                        ", " + Twine(type.getStrides()[d]) +
                        ", is less than what lies in it, " + Twine(stride));
      stride = type.getStrides()[d];
    }
    argument.strides[d] = stride;
  }
  if (rank < 2 && request.rowStride)
    return fail(Code::ArgumentShape,
                where + ": a tensor of one dimension has no row stride");

  // Elements from the first to the last, and the bytes. Where a row stride is
  // asked for, what is behind each row is behind the last one, too.
  const int64_t size = runtime::sizeInBytes(argument.type);
  int64_t extent =
      request.rowStride ? 1 + argument.strides[rank - 2] - shape.back() : 1;
  bool empty = false;
  for (int64_t d = 0; d < rank; ++d) {
    empty |= shape[d] == 0;
    int64_t part;
    if (llvm::MulOverflow(std::max<int64_t>(shape[d] - 1, 0),
                          argument.strides[d], part) ||
        llvm::AddOverflow(extent, part, extent) ||
        extent > maxTensorBytes / size)
      return fail(Code::OutOfMemory,
                  where + ": more than " + Twine(maxTensorBytes) + " bytes");
  }
  argument.bytes = empty ? 0 : extent * size;
  const bool made = data || request.initial;
  const int64_t allocated = (made ? argument.bytes : 0) + 2 * guardBytes + 256;
  argument.memory.reset(new (std::nothrow) uint8_t[allocated]);
  if (!argument.memory)
    return fail(Code::OutOfMemory,
                where + ": " + Twine(argument.bytes) + " bytes");
  const uint64_t base = reinterpret_cast<uintptr_t>(argument.memory.get());
  argument.offset = llvm::alignTo(base + guardBytes, 256) - base;
  std::memset(argument.memory.get(), guardByte, allocated);
  if (!made)
    return true;

  argument.initial.resize(argument.getNumElements() * size);
  if (request.file)
    argument.initial = std::move(request.file->bytes);
  else
    runtime::generate(generator, argument.type, 0, argument.getNumElements(),
                      argument.initial.data());
  argument.integers =
      !request.file && (generator.fill == runtime::Fill::Ints ||
                        generator.fill == runtime::Fill::Steps ||
                        generator.fill == runtime::Fill::Same ||
                        generator.fill == runtime::Fill::Zeros);
  const int64_t width = rank ? shape.back() : 1;
  forEachRow(argument, [&](int64_t first, int64_t at) {
    std::memcpy(argument.memory.get() + argument.offset + at,
                argument.initial.data() + first * size, width * size);
  });
  return true;
}

bool Maker::makeScalar(HostArgument &argument, const Request &request,
                       Type type) {
  std::string where = "argument " + argument.name;
  if (request.shape || request.asked || request.rowStride)
    return fail(Code::ArgumentShape, where + ": a scalar has no shape");
  auto floating = dyn_cast<FloatType>(type);
  Result<uint64_t> bits = Problem{};
  if (request.value)
    bits = readScalar(type, *request.value);
  else if (auto given = dyn_cast_or_null<FloatAttr>(request.scalar);
           given && floating)
    bits = floatBits(floating, given.getValue());
  else if (auto given = dyn_cast_or_null<IntegerAttr>(request.scalar);
           given && !floating)
    bits = integerBits(type, given.getValue());
  else
    return fail(Code::ArgumentMissing, where + ": has no value",
                "give --scalar " + argument.name + "=VALUE");
  if (!bits)
    return fail(Code::BadArgument, where + ": " + bits.problem().message,
                bits.problem().fix);
  argument.bits = *bits;
  argument.integers = !floating || APFloat(floating.getFloatSemantics(),
                                           APInt(floating.getWidth(), *bits))
                                       .isInteger();
  return true;
}

/// One dimension, of the file's own type.
bool Maker::makeMemory(StringRef name, uint64_t address) {
  Request &request = requests[name.str()];
  HostArgument argument;
  argument.name = name.str();
  argument.tensor = argument.isMemory = true;
  argument.address = address;
  int type = 0;
  while (type < runtime::numDTypes &&
         !runtime::checkNpyType(*request.file,
                                static_cast<runtime::DType>(type), name.str()))
    ++type;
  if (type == runtime::numDTypes)
    return fail(Code::ArgumentShape,
                "--memory " + name + ": " + *request.value + " has elements '" +
                    request.file->descr + "', which no tensor has");
  argument.type = static_cast<runtime::DType>(type);
  int64_t elements = 1;
  for (int64_t size : request.file->shape)
    elements *= size;
  request.file->shape = {elements};
  MLIRContext *context = kernel.getContext();
  if (!makeTensor(argument, request,
                  GlobalType::get(context, {ShapedType::kDynamic},
                                  IntegerType::get(context, 8), {1})))
    return false;
  if (argument.address + argument.bytes < argument.address)
    return fail(Code::BadArgument,
                "--memory: " + name + " goes on beyond the last address",
                "name an address with " + std::to_string(argument.bytes) +
                    " bytes behind it");
  for (const HostArgument &other : result.arguments)
    if (other.address && argument.address < other.address + other.bytes &&
        other.address < argument.address + argument.bytes)
      return fail(Code::BadArgument,
                  "--memory: " + name + " and " + other.name + " overlap");
  result.arguments.push_back(std::move(argument));
  return true;
}

/// Tensors get addresses that are the same in each run, beside what --memory names.
void Maker::placeTensors() {
  constexpr uint64_t page = 1 << 16;
  uint64_t next = 0x700000000000;
  const ArrayRef<HostArgument> named =
      ArrayRef(result.arguments).take_back(memories.size());
  for (HostArgument &argument :
       MutableArrayRef(result.arguments).drop_back(memories.size())) {
    if (!argument.tensor)
      continue;
    for (bool moved = true; std::exchange(moved, false);)
      for (const HostArgument &other : named)
        if (next < other.address + other.bytes &&
            other.address < next + argument.bytes) {
          next = llvm::alignTo(other.address + other.bytes, page);
          moved = true;
        }
    argument.address = next;
    next = llvm::alignTo(next + argument.bytes + 1, page);
  }
}

std::optional<HostArguments> Maker::make() {
  for (auto [number, name] : llvm::enumerate(kernel.getArgNames()))
    requests[cast<StringAttr>(name).getValue().str()].initial =
        getInitialValue(kernel, number);
  if (!readExample() || !readMemories() || !readFlags() || !readFiles())
    return std::nullopt;
  if (options.multiprocessors > 0)
    result.multiprocessors = options.multiprocessors;
  for (auto [name, type] :
       llvm::zip(kernel.getArgNames(), kernel.getArgTypes())) {
    HostArgument argument;
    argument.name = cast<StringAttr>(name).getValue().str();
    Type t = cast<TypeAttr>(type).getValue();
    auto global = dyn_cast<GlobalType>(t);
    Type element = global ? global.getElementType() : t;
    bool good = false;
    if (!global && isa<IntegerType>(t) && t.getIntOrFloatBitWidth() <= 64) {
      good = makeScalar(argument, requests[argument.name], t);
    } else if (auto type = getDType(element)) {
      argument.type = *type;
      argument.tensor = static_cast<bool>(global);
      good = global ? makeTensor(argument, requests[argument.name], global)
                    : makeScalar(argument, requests[argument.name], t);
    } else {
      std::string text;
      llvm::raw_string_ostream(text) << element;
      fail(Code::NotSupportedYet, "argument " + argument.name +
                                      ": titan run makes no data of type " +
                                      text);
    }
    if (!good)
      return std::nullopt;
    BlockArgument value = kernel.getKernelArguments()[result.arguments.size()];
    argument.holdsMaps = llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto view = dyn_cast<ViewOpInterface>(user);
      return view && isa<TensorMapType>(user->getResult(0).getType()) &&
             view.getView().source == value;
    });
    result.arguments.push_back(std::move(argument));
  }
  for (auto &[name, address] : memories)
    if (!makeMemory(name, address))
      return std::nullopt;
  placeTensors();
  return std::move(result);
}

std::optional<HostArguments> titan::makeArguments(Session &session,
                                                  KernelOp kernel,
                                                  const RunCommand &options) {
  return Maker(session, kernel, options).make();
}

std::optional<Finding> titan::refusedExample(KernelOp kernel) {
#ifdef TITAN_HAS_SIMULATOR
  if (!kernel->hasAttr("titan.example"))
    return std::nullopt;
  auto refused = [&](const Twine &why, Location loc) {
    Finding finding{
        .code = Code::ExampleInvalid,
        .severity = Severity::Warning,
        .message = ("no run of @" + kernel.getSymName() +
                    " begins with its titan.example: " + why)
                       .str(),
        .loc = loc,
        .fix = "let titan.example give sizes and data that the launch takes"};
    finding.others.push_back({kernel.getLoc(), "the example's kernel"});
    return finding;
  };
  Session session("run", /*json=*/true);
  session.setQuiet();
  auto arguments = Maker(session, kernel, {}, /*data=*/false).make();
  if (!arguments) {
    for (const llvm::json::Value &each : session.getFindings())
      if (const llvm::json::Object *finding = each.getAsObject();
          finding && finding->getString("code") == "argument-shape")
        return refused(finding->getString("message").value_or(""),
                       kernel.getLoc());
    return std::nullopt;
  }
  SimulatorOptions options;
  options.multiprocessors = arguments->multiprocessors;
  std::vector<SimulatorArgument> simulated;
  for (HostArgument &argument : arguments->arguments)
    simulated.push_back(argument.forSimulator());
  std::vector<Finding> findings;
  if (sim::evaluateLaunch(kernel, simulated, options, findings))
    return std::nullopt;
  for (const Finding &finding : findings)
    if (finding.severity == Severity::Error &&
        finding.code != Code::NotSupportedYet)
      return refused("[" + Twine(StringRef(codeInfo(finding.code).code)) +
                         "] " + finding.message,
                     finding.loc);
#endif
  return std::nullopt;
}
