//===- titan-tblgen.cpp - definitions of operations as a table ------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A TableGen backend that runs while TITAN is built. Of each operation, type and
// attribute of the .td files it writes down what a reader wants to know and the
// compiler does not keep: summary, description, syntax, and what its operands
// or parameters are. lib/Driver compiles the tables in, for `titan explain
// titan.tma.load`, `titan explain '!titan.shared'` and docs/reference.
//
//===----------------------------------------------------------------------===//
#include "mlir/TableGen/AttrOrTypeDef.h"
#include "mlir/TableGen/Dialect.h"
#include "mlir/TableGen/EnumInfo.h"
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
using mlir::tblgen::AttrOrTypeDef;
using mlir::tblgen::EnumInfo;
using mlir::tblgen::Operator;

static cl::opt<bool> ofTypes("types",
                             cl::desc("the table of types and attributes"));

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
/// optional groups: what is printed looks like what is written. Of a custom format
/// the definition's `syntax`, where it has one.
static std::string syntax(const Operator &op) {
  StringRef own = op.getDef().getValueAsOptionalString("syntax").value_or("");
  if (op.hasAssemblyFormat() && !own.empty())
    PrintFatalError(op.getLoc(),
                    "`syntax` is said of a custom assembly format, "
                    "alone");
  std::string text;
  for (char c :
       op.hasAssemblyFormat() ? op.getAssemblyFormat().trim() : own.trim()) {
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

/// What stands behind a type's name: the format without its marks, "< $rows , $columns >"
/// as it is written; of a custom one the definition's `syntax`. What has no brackets of its
/// own begins with an enum's word.
static std::string typeSyntax(const AttrOrTypeDef &def) {
  std::string text = "$value"; // of an enum
  if (!def.getDef()->isSubClassOf("EnumAttr")) {
    text = def.getDef()->getValueAsString("syntax").str();
    // (Of a type without parameters its name is all.)
    if ((def.hasCustomAssemblyFormat() && def.getNumParameters()) ==
        text.empty())
      PrintFatalError(def.getLoc(),
                      "`syntax` is said of a custom assembly format, alone");
    SmallVector<StringRef> words;
    StringRef(def.getAssemblyFormat().value_or(""))
        .split(words, ' ', -1, false);
    for (StringRef word : words) {
      word = word.trim(" \n`");
      bool tight = text.empty() || StringRef("<[").contains(text.back()) ||
                   word == ">" || word == "]" || word == ",";
      text += (tight || word.empty() ? "" : " ") + word.str();
    }
  }
  return text;
}

/// One for each type and attribute of the dialect: TypeInfo.
static bool emitTypes(raw_ostream &os, const RecordKeeper &records) {
  os << "// Written by titan-tblgen from the types' and attributes' .td "
        "files.\n";
  StringMap<EnumInfo> enums;
  for (const Record *def : records.getAllDerivedDefinitions("EnumInfo")) {
    EnumInfo info(def);
    enums.try_emplace(
        (info.getCppNamespace() + "::" + info.getEnumClassName()).str(), info);
  }
  for (bool attribute : {false, true}) {
    std::vector<const Record *> defs;
    for (const Record *def :
         records.getAllDerivedDefinitions(attribute ? "AttrDef" : "TypeDef"))
      if (AttrOrTypeDef(def).getDialect().getName() == "titan")
        defs.push_back(def);
    // As the files are included, and as they are written.
    llvm::sort(defs, [](const Record *a, const Record *b) {
      auto place = [](const Record *def) {
        SMLoc loc = def->getLoc().front();
        return std::pair(SrcMgr.FindBufferContainingLoc(loc), loc.getPointer());
      };
      return place(a) < place(b);
    });
    for (const Record *record : defs) {
      AttrOrTypeDef def(record);
      std::string text = unindent(def.getDescription());
      if (!StringRef(text).contains("```mlir\n"))
        PrintFatalError(def.getLoc(),
                        "the description has no example (```mlir)");
      std::string syntax = typeSyntax(def);
      bool word = StringRef(syntax).starts_with("$");
      std::string name =
          (Twine(attribute ? "#titan." : "!titan.") + *def.getMnemonic()).str();
      os << "  {" << (attribute ? "true, " : "false, ");
      literal(os, name);
      os << ",\n    ";
      literal(os, def.getSummary());
      os << ",\n    ";
      literal(os, text);
      os << ",\n    ";
      literal(os,
              word ? ("#titan<" + *def.getMnemonic() + " " + syntax + ">").str()
                   : name + syntax);
      os << ",\n    {\n";
      for (const auto &parameter : def.getParameters()) {
        std::string what = parameter.getSummary().value_or("").str(), words;
        if (auto found = enums.find(parameter.getCppType());
            found != enums.end()) {
          if (StringRef(what).starts_with("an enum of type"))
            what = found->second.getSummary().str();
          for (const auto &each : found->second.getAllCases())
            words += (words.empty() ? "" : ", ") + each.getStr().str();
        }
        if (what.empty())
          PrintFatalError(def.getLoc(), "nothing says what the parameter " +
                                            parameter.getName() + " counts");
        os << "     {";
        literal(os, parameter.getName());
        os << ", ";
        literal(os, what);
        os << ", ";
        literal(os, words);
        os << "},\n";
      }
      os << "    }},\n";
    }
  }
  return false;
}

static bool emit(raw_ostream &os, const RecordKeeper &records) {
  if (ofTypes)
    return emitTypes(os, records);
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
