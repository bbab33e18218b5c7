//===- Npy.cpp - Reading and writing NumPy's .npy files -------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/Npy.h"

#include "titan/Runtime/File.h"

#include <charconv>
#include <cstring>

using namespace titan;
using namespace titan::runtime;

namespace {

constexpr std::string_view npyMagic = "\x93NUMPY";

/// Reads the header dictionary: a Python literal with string keys and values
/// that are a string, True or False, or a tuple of integers.
class HeaderParser {
public:
  HeaderParser(std::string_view text) : rest(text) {}

  /// Fills what the dictionary holds; false if it is malformed.
  bool parse(std::string &descr, bool &fortranOrder,
             std::vector<int64_t> &shape) {
    bool seen[3] = {};
    if (!eat('{'))
      return false;
    while (!eat('}')) {
      std::string key;
      if (!string(key) || !eat(':'))
        return false;
      bool ok;
      if (key == "descr")
        ok = !std::exchange(seen[0], true) && string(descr);
      else if (key == "fortran_order")
        ok = !std::exchange(seen[1], true) && boolean(fortranOrder);
      else if (key == "shape")
        ok = !std::exchange(seen[2], true) && tuple(shape);
      else
        ok = false;
      if (!ok)
        return false;
      if (!eat(',')) {
        if (!eat('}'))
          return false;
        break;
      }
    }
    skip();
    return rest.empty() && seen[0] && seen[1] && seen[2];
  }

private:
  std::string_view rest;

  void skip() {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n' ||
                             rest.front() == '\t'))
      rest.remove_prefix(1);
  }
  bool eat(char c) {
    skip();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool string(std::string &out) {
    skip();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    const size_t end = rest.find(rest.front(), 1);
    if (end == rest.npos)
      return false;
    out = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool &out) {
    skip();
    out = rest.starts_with("True");
    if (!out && !rest.starts_with("False"))
      return false;
    rest.remove_prefix(out ? 4 : 5);
    return true;
  }
  bool tuple(std::vector<int64_t> &out) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      skip();
      int64_t value;
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), value);
      if (error != std::errc{} || value < 0)
        return false;
      rest.remove_prefix(end - rest.data());
      out.push_back(value);
      if (!eat(',') && !(rest.starts_with(")")))
        return false;
    }
    return true;
  }
};

/// The size in bytes that a type string gives, or 0 for a type that no argument
/// can have.
int64_t itemSize(std::string_view descr) {
  if (descr.size() != 3 || (descr[0] != '<' && descr[0] != '|'))
    return 0;
  if (descr[2] < '1' || descr[2] > '8')
    return 0;
  const int64_t size = descr[2] - '0';
  const bool powerOfTwo = (size & (size - 1)) == 0;
  if (!powerOfTwo || (descr[0] == '|' && size != 1 && descr[1] != 'V'))
    return 0;
  switch (descr[1]) {
  case 'f':
    return size >= 2 ? size : 0;
  case 'i':
  case 'u':
  case 'V':
    return size;
  case 'b':
    return size == 1;
  default:
    return 0;
  }
}

std::string writtenDescr(DType t) {
  const std::string size = std::to_string(sizeInBytes(t));
  switch (t) {
  case DType::F64:
  case DType::F32:
  case DType::TF32:
  case DType::F16:
    return "<f" + size;
  case DType::BF16:
    return "<u2";
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return "|u1";
  case DType::I8:
    return "|i1";
  default:
    return "<i" + size;
  }
}

Error formatError(const std::string &what, const std::string &place) {
  return makeError(Code::NpyFormat, what, place,
                   "write the file with numpy.save, as a plain array of "
                   "numbers");
}

} // namespace

runtime::Result<NpyArray>
titan::runtime::parseNpy(std::span<const uint8_t> file,
                         const std::string &place) {
  const std::string_view text(reinterpret_cast<const char *>(file.data()),
                              file.size());
  if (!text.starts_with(npyMagic))
    return formatError("this is not an .npy file", place);
  if (file.size() < 10)
    return formatError("the file ends within its header", place);
  const int major = file[6];
  if (major < 1 || major > 3)
    return formatError("format version " + std::to_string(major) +
                           " is not known; 1, 2 and 3 are",
                       place);
  // The header's length: 2 bytes in version 1, 4 since.
  const size_t lengthBytes = major == 1 ? 2 : 4;
  if (file.size() < 8 + lengthBytes)
    return formatError("the file ends within its header", place);
  uint32_t headerLength = 0;
  std::memcpy(&headerLength, file.data() + 8, lengthBytes);
  const size_t headerStart = 8 + lengthBytes;
  if (file.size() - headerStart < headerLength)
    return formatError("the file ends within its header", place);

  NpyArray array;
  bool fortranOrder = false;
  HeaderParser parser(text.substr(headerStart, headerLength));
  if (!parser.parse(array.descr, fortranOrder, array.shape))
    return formatError("the header is not a dictionary of descr, "
                       "fortran_order and shape",
                       place);
  const int64_t size = itemSize(array.descr);
  if (size == 0)
    return makeError(
        Code::NpyFormat,
        "elements of type '" + array.descr + "' cannot be an argument", place,
        "save little-endian numbers: f2, f4, f8, i1 to i8, or u1 "
        "and u2 words for 8-bit floats and bf16");
  if (fortranOrder && array.shape.size() > 1)
    return makeError(Code::NpyFormat, "the array is stored column by column",
                     place, "save numpy.ascontiguousarray(x)");

  int64_t total = size;
  bool empty = false;
  for (int64_t d : array.shape)
    empty |= d == 0;
  for (int64_t d : array.shape)
    if (!empty && __builtin_mul_overflow(total, d, &total))
      return formatError("the shape has more than 2^63 bytes", place);
  if (empty)
    total = 0;
  const size_t dataBytes = file.size() - headerStart - headerLength;
  if (dataBytes != static_cast<size_t>(total))
    return makeError(Code::NpyFormat,
                     "the shape needs " + std::to_string(total) +
                         " bytes of elements, the file has " +
                         std::to_string(dataBytes),
                     place, "write the file again; the copy is not whole");
  const auto data = file.subspan(headerStart + headerLength);
  array.bytes.assign(data.begin(), data.end());
  return array;
}

runtime::Result<NpyArray> titan::runtime::readNpy(const std::string &path) {
  auto file = readFile(path);
  if (!file)
    return std::move(file.error());
  return parseNpy(*file, path);
}

Status titan::runtime::checkNpyType(const NpyArray &array, DType t,
                                    const std::string &place) {
  const int64_t size = itemSize(array.descr);
  const char kind = array.descr.size() == 3 ? array.descr[1] : '?';
  bool ok = size == sizeInBytes(t);
  switch (t) {
  case DType::F64:
  case DType::F32:
  case DType::TF32:
  case DType::F16:
    ok &= kind == 'f';
    break;
  case DType::BF16:
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    ok &= kind == 'u' || kind == 'i' || kind == 'V';
    break;
  default:
    ok &= kind == 'u' || kind == 'i';
    break;
  }
  if (ok)
    return {};
  return makeError(Code::ArgumentShape,
                   "the file holds '" + array.descr + "', the argument is " +
                       std::string(name(t)),
                   place,
                   "save elements of type '" + writtenDescr(t) +
                       "' (bf16 and 8-bit floats as their bits)");
}

std::vector<uint8_t>
titan::runtime::formatNpy(DType t, std::span<const int64_t> shape,
                          std::span<const uint8_t> elements) {
  std::string header =
      "{'descr': '" + writtenDescr(t) + "', 'fortran_order': False, 'shape': (";
  for (int64_t d : shape)
    header += std::to_string(d) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1)
    header.resize(header.size() - 2);
  header += "), }";
  // Magic, version, length and header fill a multiple of 64 bytes, the last
  // byte a newline.
  const size_t prefix = npyMagic.size() + 2 + 2;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file(npyMagic);
  file += {'\1', '\0', static_cast<char>(header.size()),
           static_cast<char>(header.size() >> 8)};
  file += header;
  std::vector<uint8_t> out(file.begin(), file.end());
  out.insert(out.end(), elements.begin(), elements.end());
  return out;
}

Status titan::runtime::writeNpy(const std::string &path, DType t,
                                std::span<const int64_t> shape,
                                std::span<const uint8_t> elements) {
  return writeFile(path, formatNpy(t, shape, elements));
}
