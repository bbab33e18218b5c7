//===- titan-tblgen.cpp - definitions of operations as a table ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TableGen backend that runs while TITAN is built. Of each operation of the
// .td files it writes down what a reader wants to know and the compiler does
// not keep: summary, description, syntax, and what its operands are. lib/Driver
// compiles the table in, for `titan explain titan.tma.load` and docs/reference.
//
//===----------------------------------------------------------------------===//
#include "mlir/TableGen/Operator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;
using mlir::tblgen::Operator;

/// Text as a literal of C++.
static void literal(raw_ostream &os, StringRef text) {
  os << '"';
  os.write_escaped(text, /*UseHexEscapes=*/false);
  os << '"';
}

/// A text of several lines, without what it is indented by.
static std::string unindent(StringRef text) {
  size_t margin = StringRef::npos;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (!line.trim().empty())
      margin = std::min(margin, line.size() - line.ltrim().size());
  std::string result;
  for (StringRef line : lines)
    result +=
        line.rtrim().drop_front(std::min(margin, line.rtrim().size())).str() +
        "\n";
  return StringRef(result).trim("\n").str();
}

/// The syntax on one line, without the quotes of literals and the markers of
/// optional groups: what is printed looks like what is written.
static std::string syntax(const Operator &op) {
  if (!op.hasAssemblyFormat())
    return "";
  std::string text;
  for (char c : op.getAssemblyFormat().trim()) {
    if (isSpace(c))
      c = ' ';
    if (c == ' ' && !text.empty() && text.back() == ' ')
      continue;
    text += c;
  }
  return text;
}

/// The file that defines a record, and the title in its first line:
///   //===- TmaOps.td - bulk tensor copies and their groups -----*- ...
static std::pair<std::string, std::string> family(const Record &def,
                                                  unsigned &buffer) {
  buffer = SrcMgr.FindBufferContainingLoc(def.getLoc().front());
  const MemoryBuffer *file = SrcMgr.getMemoryBuffer(buffer);
  StringRef name = sys::path::stem(file->getBufferIdentifier());
  name.consume_back("Ops");
  StringRef line = file->getBuffer().split('\n').first;
  StringRef title =
      line.split(".td - ").second.split("-*-").first.rtrim("=- /");
  if (title.empty())
    PrintFatalError(def.getLoc(), "the file's first line has no title");
  return {name.str(), title.str()};
}

template <typename Things>
static void write(raw_ostream &os, const char *kind, const Things &things,
                  const Operator &op) {
  for (const auto &thing : things) {
    bool optional = false, variadic = false;
    std::string initial;
    StringRef summary;
    if constexpr (requires { thing.constraint; }) {
      optional = thing.isOptional();
      variadic = thing.isVariadic() && !optional;
      summary = thing.constraint.getSummary();
    } else {
      optional = thing.attr.isOptional() || thing.attr.hasDefaultValue();
      initial = thing.attr.hasDefaultValue()
                    ? thing.attr.getDefaultValue().str()
                    : "";
      summary = thing.attr.getBaseAttr().getSummary();
    }
    // Of an enum's case, its name.
    initial = StringRef(initial).rsplit("::").second.empty()
                  ? initial
                  : StringRef(initial).rsplit("::").second.lower();
    os << "     {OperationPart::" << kind << ", ";
    literal(os, thing.name);
    os << ", ";
    literal(os, summary);
    os << ", ";
    literal(os, initial);
    os << (optional ? ", true" : ", false") << (variadic ? ", true" : ", false")
       << "},\n";
  }
}

static bool emit(raw_ostream &os, const RecordKeeper &records) {
  os << "// Written by titan-tblgen from the operations' .td files.\n";
  struct Row {
    unsigned buffer;
    const Record *def;
    std::string name, title;
  };
  std::vector<Row> rows;
  for (const Record *def : records.getAllDerivedDefinitions("Op")) {
    Row row{0, def, "", ""};
    std::tie(row.name, row.title) = family(*def, row.buffer);
    rows.push_back(std::move(row));
  }
  // As the files are included, and as they are written.
  llvm::sort(rows, [](const Row &a, const Row &b) {
    return std::pair(a.buffer, a.def->getLoc().front().getPointer()) <
           std::pair(b.buffer, b.def->getLoc().front().getPointer());
  });
  for (const Row &row : rows) {
    Operator op(row.def);
    os << "  {";
    literal(os, op.getOperationName());
    os << ", ";
    literal(os, row.name);
    os << ", ";
    literal(os, row.title);
    os << ",\n    ";
    literal(os, op.getSummary());
    os << ",\n    ";
    literal(os, op.hasDescription() ? unindent(op.getDescription()) : "");
    os << ",\n    ";
    literal(os, syntax(op));
    os << ",\n    {\n";
    write(os, "Operand", op.getOperands(), op);
    write(os, "Attribute", op.getAttributes(), op);
    write(os, "Result", op.getResults(), op);
    os << "    }},\n";
  }
  return false;
}

int main(int argc, char **argv) {
  sys::PrintStackTraceOnErrorSignal(argv[0]);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], &emit);
}
