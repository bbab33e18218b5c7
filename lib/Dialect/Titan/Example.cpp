//===- Example.cpp - what titan.example says ------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Example.h"

#include "titan/Runtime/Data.h"
#include "titan/Target/NearestWord.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace titan;

namespace {
class ExampleReader {
public:
  explicit ExampleReader(KernelOp kernel) : kernel(kernel) {}

  FailureOr<Example> read(Attribute attribute);

private:
  LogicalResult fail(const Twine &what, const Twine &fix);
  /// Of the words that there are: "did you mean MxK?", or which they are.
  LogicalResult failNear(const Twine &what, StringRef word,
                         ArrayRef<std::string_view> words);
  LogicalResult readSizes(Attribute value);
  LogicalResult readArgument(StringRef name, Attribute value, Type type);
  LogicalResult readTensor(StringRef name, StringRef text, GlobalType type);
  /// A number, or a size that the example names.
  LogicalResult checkSize(StringRef name, StringRef text);

  KernelOp kernel;
  Example example;
};
} // namespace

static constexpr const char *grammar =
    "write the shape, then what it holds: A = \"MxK random:1 rowstride=208\"";

LogicalResult ExampleReader::fail(const Twine &what, const Twine &fix) {
  InFlightDiagnostic error =
      kernel.emitError("[example-invalid] titan.example: ") << what;
  error.attachNote() << "fix: " << fix;
  return error;
}

LogicalResult ExampleReader::failNear(const Twine &what, StringRef word,
                                      ArrayRef<std::string_view> words) {
  // What follows a colon is each one's own.
  SmallVector<std::string_view> heads;
  for (StringRef other : words)
    heads.push_back(other.split(':').first);
  std::string_view near =
      nearestWord(std::string_view(word.split(':').first), heads);
  std::string fix;
  if (!near.empty())
    fix = "did you mean " +
          std::string(words[llvm::find(heads, near) - heads.begin()]) + "? ";
  fix += words.empty() ? "there are none" : "there are ";
  for (auto [i, other] : llvm::enumerate(words))
    fix += (i ? ", " : "") + std::string(other);
  return fail(what, fix);
}

LogicalResult ExampleReader::readSizes(Attribute value) {
  auto dictionary = dyn_cast<DictionaryAttr>(value);
  if (!dictionary)
    return fail("sizes is a dictionary", "sizes = {M = 300, K = 200}");
  for (NamedAttribute size : dictionary) {
    auto number = dyn_cast<IntegerAttr>(size.getValue());
    if (!number || !number.getValue().isSignedIntN(40) || number.getInt() < 0)
      return fail("the size " + size.getName().strref() +
                      " is no number from 0 to 2^39",
                  "sizes = {" + size.getName().strref() + " = 300}");
    example.sizes[size.getName().str()] = number.getInt();
  }
  return success();
}

LogicalResult ExampleReader::checkSize(StringRef name, StringRef text) {
  int64_t number;
  if (!text.getAsInteger(10, number)) {
    if (number >= 0 && number <= int64_t{1} << 40)
      return success();
    return fail(name + ": '" + text + "' is no size from 0 to 2^40", grammar);
  }
  if (example.sizes.count(std::string_view(text)))
    return success();
  SmallVector<std::string_view> names;
  for (auto &[each, size] : example.sizes)
    names.push_back(each);
  return failNear(name + ": '" + text +
                      "' is neither a number nor one of its sizes",
                  text, names);
}

LogicalResult ExampleReader::readTensor(StringRef name, StringRef text,
                                        GlobalType type) {
  Example::Argument &argument = example.arguments[name.str()];
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (auto [i, word] : llvm::enumerate(words)) {
    if (word.consume_front("rowstride=")) {
      if (failed(checkSize(name, word)))
        return failure();
      argument.rowStride = word.str();
    } else if (i == 0) {
      SmallVector<StringRef> parts;
      word.split(parts, 'x');
      for (StringRef part : parts)
        if (failed(checkSize(name, part)))
          return failure();
      if (static_cast<int64_t>(parts.size()) != type.getRank())
        return fail(name + ": the shape " + word + " has " +
                        Twine(parts.size()) + " dimensions, the tensor " +
                        Twine(type.getRank()),
                    grammar);
      argument.shape = word.str();
    } else if (argument.value) {
      return fail(name + ": '" + word + "', and " + *argument.value +
                      " is there already",
                  "give each tensor one of them");
    } else {
      argument.value = word.str();
    }
  }
  if (!argument.value || StringRef(*argument.value).ends_with(".npy"))
    return success();
  auto generator = runtime::parseGenerator(*argument.value);
  if (!generator)
    return failNear(name + ": '" + *argument.value + "' makes no data",
                    *argument.value,
                    {"random:SEED", "ints:SEED", "steps:N", "fill:N", "zeros",
                     "poison", "FILE.npy"});
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  if (auto known = runtime::parseDType(element);
      known && !runtime::supports(*generator, *known))
    return fail(name + ": " + *argument.value + " makes no data of type " +
                    element,
                runtime::isFloat(*known) ? "use random:SEED" : "use ints:SEED");
  return success();
}

LogicalResult ExampleReader::readArgument(StringRef name, Attribute value,
                                          Type type) {
  auto text = dyn_cast<StringAttr>(value);
  if (auto global = dyn_cast<GlobalType>(type)) {
    if (!text)
      return fail(name + " is a tensor, and has a text", grammar);
    return readTensor(name, text.getValue(), global);
  }
  if (isa<FloatType>(type) ? !isa<FloatAttr>(value)
                           : !isa<IntegerAttr>(value)) {
    std::string number;
    llvm::raw_string_ostream os(number);
    os << (isa<FloatType>(type) ? "1.5 : " : "2 : ") << type;
    return fail(name + " is a scalar, and has a number", name + " = " + number);
  }
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    if (!number.getValue().isIntN(bits) &&
        !number.getValue().isSignedIntN(bits)) {
      std::string range;
      llvm::raw_string_ostream(range) << type;
      return fail(name + " is no number of " + range, name + " = 2 : " + range);
    }
  }
  example.arguments[name.str()].scalar = value;
  return success();
}

FailureOr<Example> ExampleReader::read(Attribute attribute) {
  auto all = dyn_cast<DictionaryAttr>(attribute);
  if (!all) {
    (void)fail("it is a dictionary",
               "titan.example = {sizes = {M = 300}, X = \"M random:1\"}");
    return failure();
  }
  // Shapes name them, whatever comes first.
  if (Attribute sizes = all.get("sizes"); sizes && failed(readSizes(sizes)))
    return failure();
  std::vector<std::string_view> names;
  for (Attribute name : kernel.getArgNames())
    names.push_back(cast<StringAttr>(name).getValue());
  for (NamedAttribute each : all) {
    StringRef name = each.getName();
    if (name == "sizes")
      continue;
    if (name == "multiprocessor_count") {
      auto value = dyn_cast<IntegerAttr>(each.getValue());
      if (!value || !value.getValue().isSignedIntN(20) || value.getInt() < 1) {
        (void)fail("multiprocessor_count is no number from 1 to 2^19",
                   "multiprocessor_count = 4");
        return failure();
      }
      example.multiprocessors = value.getInt();
      continue;
    }
    auto at = llvm::find(names, std::string_view(name));
    if (at == names.end()) {
      names.push_back("sizes");
      names.push_back("multiprocessor_count");
      (void)failNear("@" + kernel.getSymName() + " has no argument '" + name +
                         "'",
                     name, names);
      return failure();
    }
    if (failed(readArgument(
            name, each.getValue(),
            cast<TypeAttr>(kernel.getArgTypes()[at - names.begin()])
                .getValue())))
      return failure();
  }
  return std::move(example);
}

int64_t Example::sizeOf(StringRef word) const {
  int64_t number;
  return word.getAsInteger(10, number) ? sizes.find(word)->second : number;
}

FailureOr<Example> titan::readExample(KernelOp kernel) {
  Attribute attribute = kernel->getDiscardableAttr("titan.example");
  if (!attribute)
    return Example();
  return ExampleReader(kernel).read(attribute);
}
