//===- Session.cpp - one run of a command ---------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Driver/Session.h"
#include "Commands.h"
#include "Sarif.h"
#include "titan/Analysis/Diagnosed.h"
#include "titan/Dialect/ReferenceDialects.h"
#include "titan/Dialect/Triton/Triton.h"
#include "titan/Dialect/Triton/TritonGpu.h"
#include "titan/Driver/Plugin.h"
#include "titan/Runtime/Container.h"
#include "titan/Runtime/File.h"
#include "titan/Target/NearestWord.h"

#include "titan/Target/ExitStatus.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace titan;

/// Brackets within brackets: a kernel nests a dozen; MLIR's parser, verifier
/// and printer recurse, and would overflow the stack somewhere past thousands.
static constexpr unsigned maxNesting = 256;
/// Bytes of an input file.
static constexpr uint64_t maxFileSize = uint64_t{1} << 28;

/// Without the plug-ins'.
static void registerOwnDialects(DialectRegistry &registry) {
  registry.insert<TitanDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, tt::TritonDialect, ttg::TritonGpuDialect,
                  ub::UBDialect>();
  registerReferenceDialects(registry);
}

void titan::registerAllTitanDialects(DialectRegistry &registry) {
  registerOwnDialects(registry);
  registerPlugins(registry);
}

OpPrintingFlags titan::namedFlags() {
  return OpPrintingFlags().printNameLocAsPrefix();
}

Session::Session(StringRef command, bool json)
    : command(command.str()), json(json) {
  DialectRegistry registry;
  registerAllTitanDialects(registry);
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
  context.printOpOnDiagnostic(false);
  printer = std::make_unique<SourceMgrDiagnosticHandler>(sources, &context,
                                                         llvm::errs());
  coder = std::make_unique<ScopedDiagnosticHandler>(
      &context, [this](Diagnostic &diagnostic) { return handle(diagnostic); });
}

Session::~Session() = default;

//===----------------------------------------------------------------------===//
// What is of the language
//===----------------------------------------------------------------------===//

/// What titan has for an operation of the GPU dialect; empty: nothing alike.
static StringRef titansOf(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("gpu.block_id", "titan.cta_id")
      .Case("gpu.grid_dim", "titan.num_ctas")
      .Case("gpu.subgroup_id", "titan.warp_id")
      .Case("gpu.cluster_block_id", "titan.cluster_rank")
      .Default("");
}

/// Kernels, and the functions that they call, have operations of these
/// dialects and of plug-ins. Others that TITAN reads are of references, of
/// programs of tt or of no one.
static LogicalResult verifyOperations(Session &session, ModuleOp module) {
  // cf: blocks of a region, on which check says that it follows none.
  static constexpr StringRef ofKernels[] = {"titan", "arith", "math", "scf",
                                            "func",  "ub",    "cf"};
  DialectRegistry own;
  registerOwnDialects(own);
  llvm::SetVector<Operation *> bodies;
  for (auto kernel : module.getOps<KernelOp>())
    bodies.insert(kernel);
  bool good = true;
  for (size_t i = 0; i < bodies.size(); ++i)
    bodies[i]->walk([&](Operation *op) {
      if (auto call = dyn_cast<CallOpInterface>(op))
        if (Operation *callee = call.resolveCallable())
          bodies.insert(callee);
      StringRef dialect = op->getName().getDialectNamespace(),
                name = op->getName().getStringRef();
      if (llvm::is_contained(ofKernels, dialect) ||
          !llvm::is_contained(own.getDialectNames(), dialect))
        return;
      good = false;
      StringRef instead = titansOf(name);
      Location loc = op->getLoc();
      session.fail(
          Code::InvalidOp, "'" + name + "' is no operation of a kernel",
          instead.empty()
              ? "in a kernel stand operations of titan, arith, math, scf and "
                "func"
              : ("use " + instead).str(),
          &loc);
    });
  return success(good);
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static void addPlace(llvm::json::Object &object, Location loc) {
  if (auto place = loc->findInstanceOf<FileLineColLoc>()) {
    object["file"] = jsonText(place.getFilename().strref());
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
}

std::string titan::didYouMean(StringRef message, MLIRContext &context) {
  if (!message.consume_front("custom op '"))
    return {};
  auto [word, rest] = message.split('\'');
  if (!rest.starts_with(" is unknown"))
    return {};
  std::vector<std::string_view> names;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    names.emplace_back(name.getStringRef());
  std::string_view near = nearestWord(std::string_view(word), names);
  return near.empty() ? "" : "did you mean " + std::string(near) + "?";
}

/// The same of a call ("'func.call' op 'stepp' does not reference ...").
static std::string didYouMean(StringRef message, ModuleOp module) {
  auto [before, after] = message.split("' does not reference a valid function");
  if (!module || before.size() == message.size())
    return {};
  std::vector<std::string_view> names;
  for (auto function : module.getOps<FunctionOpInterface>())
    names.emplace_back(function.getName());
  std::string_view near =
      nearestWord(std::string_view(before.rsplit('\'').second), names);
  return near.empty() ? "" : "did you mean @" + std::string(near) + "?";
}

/// How MLIR's verifier begins to say so.
static constexpr StringRef unterminated = "block with no terminator";

/// What is missing where a region has no terminator.
static std::string missingTerminator(const Diagnostic &diagnostic,
                                     StringRef message, ModuleOp module) {
  if (!module || !message.starts_with(unterminated))
    return {};
  std::string fix;
  module.walk([&](Operation *op) {
    Operation *parent = op->getParentOp();
    if (!parent || op->getLoc() != diagnostic.getLocation() ||
        op->getNextNode() || op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    if (auto kernel = dyn_cast<KernelOp>(parent))
      fix = op->getParentRegion() == &kernel.getBody()
                ? "a kernel's body ends with titan.return: write it behind "
                  "this"
                : "the launch region ends with titan.launch: write it behind "
                  "this, titan.launch grid(%x) with(...)";
    else if (isa<FunctionOpInterface>(parent))
      fix = "a function ends with return: write it behind this";
    else
      fix = "a region of '" + parent->getName().getStringRef().str() +
            "' ends with its yield: write it behind this";
    return WalkResult::interrupt();
  });
  return fix;
}

/// Enumerations are called as C++ calls them in the parser's messages.
static void dropQualifiers(Diagnostic &diagnostic, MLIRContext &context) {
  for (DiagnosticArgument &argument : diagnostic.getArguments()) {
    if (argument.getKind() !=
        DiagnosticArgument::DiagnosticArgumentKind::String)
      continue;
    StringRef name = argument.getAsString();
    if (!name.consume_front("::titan::"))
      continue;
    std::string words;
    for (char c : name)
      words += llvm::isUpper(c) && !words.empty()
                   ? std::string(" ") + llvm::toLower(c)
                   : std::string(1, llvm::toLower(c));
    // The context keeps the text as long as the diagnostic lives.
    argument = DiagnosticArgument(StringAttr::get(&context, words).getValue());
  }
}

/// A block without a terminator is said to end with an operation, whose text can be
/// the whole kernel's: its name will do.
static void nameLast(Diagnostic &diagnostic, MLIRContext &context) {
  MutableArrayRef<DiagnosticArgument> arguments = diagnostic.getArguments();
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  if (llvm::any_of(arguments,
                   [](auto &each) { return each.getKind() != Kind::String; }) ||
      arguments.size() < 2 ||
      !arguments[0].getAsString().starts_with(unterminated))
    return;
  // In the generic form the first thing in quotes is the name.
  StringRef text = arguments.back().getAsString();
  std::string name =
      ("'" + text.split('"').second.split('"').first + "' at its end").str();
  for (DiagnosticArgument &between : arguments.drop_front())
    between = DiagnosticArgument("");
  arguments.back() =
      DiagnosticArgument(StringAttr::get(&context, name).getValue());
}

/// What a generated parser says, by a class of its own, behind the error that has
/// named the words.
static bool repeatsEnum(StringRef message) {
  return message.contains("failed to parse Titan_") &&
         message.contains("parameter 'value'");
}

/// Every diagnostic passes here before it is printed.
LogicalResult Session::handle(Diagnostic &diagnostic) {
  bool error = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (error && numErrors && repeatsEnum(diagnostic.str()))
    return success();
  numErrors += error;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
    ++numWarnings;
  // report() has filed it, and it has its code.
  if (reporting)
    return success(quiet);

  dropQualifiers(diagnostic, context);
  nameLast(diagnostic, context);
  std::string message = diagnostic.str();
  const CodeInfo *info = codeIn(message);
  bool bad = error || diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  if (!info && bad) {
    info = &codeInfo(defaultCode);
    diagnostic << "  [" << StringRef(info->code.data(), info->code.size())
               << "]";
  }
  if (error)
    status = std::max(status, exitStatus(info->id));
  llvm::json::Object object{
      {"message", jsonText(withoutCode(message, info))},
      {"severity", error ? "error"
                   : diagnostic.getSeverity() == DiagnosticSeverity::Warning
                       ? "warning"
                       : "note"}};
  addPlace(object, diagnostic.getLocation());
  llvm::json::Array places;
  std::string fix = info ? std::string(info->fix) : "";
  bool ownFix = false; // A note that says what to do in this case.
  std::string near = titan::didYouMean(message, context);
  if (near.empty())
    near = ::didYouMean(message, verified);
  if (near.empty())
    near = missingTerminator(diagnostic, message, verified);
  if (StringRef(message).contains(" to be one of: "))
    near = "write one of these words" + (near.empty() ? "" : ": " + near);
  if (!near.empty()) {
    diagnostic.attachNote() << "fix: " << near;
    ownFix = true;
    fix = near;
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string what = note.str();
    if (StringRef rest = what; rest.consume_front("fix: ")) {
      fix = rest.str();
      ownFix = true;
      continue;
    }
    llvm::json::Object place{{"what", jsonText(what)}};
    addPlace(place, note.getLocation());
    places.push_back(std::move(place));
  }
  object["places"] = std::move(places);
  if (info) {
    object["code"] = std::string(info->code);
    object["rule"] = std::string(info->rule);
    object["source"] = std::string(info->source);
    object["fix"] = jsonText(fix);
  }
  findings.push_back(std::move(object));
  if (bad)
    diagnostic.attachNote()
        << "rule (" << std::string(info->source)
        << "): " << std::string(info->rule) << (ownFix ? "" : "\nfix: " + fix);
  return success(quiet); // Not handled: the printer is next.
}

void Session::report(const Finding &finding) {
  if (finding.severity == Severity::Ignored)
    return;
  // Of no place in a file, as one that could not be written.
  if (isa<UnknownLoc>(finding.loc) && finding.others.empty() &&
      (finding.severity == Severity::Error ||
       (finding.severity == Severity::Warning && finding.events.empty())))
    return reportWithoutPlace(finding);
  findings.push_back(toJson(finding));
  if (finding.severity == Severity::Error)
    status = std::max(status, exitStatus(finding.code));
  reporting = true;
  emit(finding);
  reporting = false;
}

void Session::fail(Code code, const Twine &message, StringRef fix,
                   Location *loc) {
  Finding finding{.code = code,
                  .message = llvm::json::fixUTF8(message.str()),
                  .loc = loc ? *loc : UnknownLoc::get(&context),
                  .fix = fix.str()};
  const CodeInfo &info = codeInfo(code);
  if (fix.empty() && here(info.fix) != info.fix)
    finding.fix = here(info.fix);
  report(finding);
}

std::string Session::here(std::string_view text) const {
  StringRef of(text.data(), text.size());
  auto [before, after] = of.split("COMMAND");
  return before.size() == of.size() || command.empty()
             ? of.str()
             : (before + command + after).str();
}

void Session::reportWithoutPlace(const Finding &finding) {
  const CodeInfo &info = codeInfo(finding.code);
  findings.push_back(toJson(finding));
  const bool error = finding.severity == Severity::Error;
  if (error) {
    ++numErrors;
    status = std::max(status, exitStatus(finding.code));
  } else {
    ++numWarnings;
  }
  if (quiet)
    return;
  llvm::errs() << "titan" << (command.empty() ? "" : " ") << command
               << (error ? ": error: " : ": warning: ") << finding.message
               << "  [" << info.code << "]\n  rule (" << here(info.source)
               << "): " << info.rule << "\n  fix: "
               << (finding.fix.empty() ? here(info.fix) : finding.fix) << "\n";
}

void Session::fail(const runtime::Error &error) {
  const CodeInfo *info = lookupCode(error.code);
  fail(info ? info->id : Code::InternalError,
       error.place + ": " + error.message, error.fix);
}

bool Session::claimOutput(StringRef flag, StringRef path) {
  namespace fs = llvm::sys::fs;
  fs::file_status there;
  bool exists = !fs::status(path, there);
  if (exists && fs::is_directory(there)) {
    fail(Code::FileWrite, path + ": is a directory", "name a file");
    return false;
  }
  // A device or a FIFO takes what it is given.
  if (path == "-" || (exists && !fs::is_regular_file(there)))
    return true;
  if (exists && input != "-" && fs::equivalent(path, input)) {
    fail(Code::BadArgument, flag + ": " + path + " is the input",
         "name another file");
    return false;
  }
  llvm::SmallString<128> folder(llvm::sys::path::parent_path(path)), real;
  // What cannot be written in the end is refused before the work is done.
  if (std::error_code error = fs::real_path(
          folder.empty() ? StringRef(".") : StringRef(folder), real)) {
    fail(Code::FileWrite, path + ": " + error.message(),
         "name a file in a folder that there is");
    return false;
  }
  llvm::sys::path::append(real, llvm::sys::path::filename(path));
  if (outputs.insert(real.str().str()).second)
    return true;
  fail(Code::BadArgument, flag + ": " + path + " is an output already",
       "name another file");
  return false;
}

llvm::json::Value titan::jsonText(StringRef text) {
  return llvm::json::fixUTF8(text);
}

llvm::json::Array titan::jsonTexts(ArrayRef<std::string> texts) {
  llvm::json::Array array;
  for (const std::string &text : texts)
    array.push_back(jsonText(text));
  return array;
}

int Session::finish(int code, StringRef verdict) {
  code = std::max(code, status);
  if (!json) {
    if (!verdict.empty())
      llvm::outs() << verdict << "\n";
    return code;
  }
  llvm::json::Object object = std::move(result);
  object["command"] = command;
  if (!input.empty())
    object["file"] = jsonText(input);
  if (sarif) {
    StringRef text =
        sources.getNumBuffers() ? sources.getMemoryBuffer(1)->getBuffer() : "";
    llvm::outs() << llvm::formatv("{0:2}", toSarif(findings, input, text, code))
                 << "\n";
    return code;
  }
  object["verdict"] = jsonText(verdict);
  object["exit"] = code;
  object["findings"] = std::move(findings);
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(object)))
               << "\n";
  return code;
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

std::optional<TextProblem> titan::findTextProblem(StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '\0':
      return TextProblem{i, "byte 0: the file is not text"};
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      break;
    case '/':
      if (i + 1 < text.size() && text[i + 1] == '/')
        i = std::min(text.find('\n', i), text.size()) - 1;
      break;
    case '#': // A result's number, for which MLIR's parser makes a table.
      if (text.substr(i + 1).take_while(llvm::isDigit).size() > 6)
        return TextProblem{i, "no operation has so many results"};
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (++depth > maxNesting)
        return TextProblem{i, "brackets are nested more than " +
                                  std::to_string(maxNesting) + " deep"};
      break;
    case '>':
      if (i && text[i - 1] == '-')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth -= depth != 0;
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

llvm::Expected<llvm::json::Value> titan::parseJson(StringRef text) {
  if (auto problem = findTextProblem(text))
    return llvm::createStringError("byte " + Twine(problem->offset) + ": " +
                                   problem->message);
  return llvm::json::parse(text);
}

/// Attaches the names that the file gives to SSA values to their locations.
static void keepNames(const AsmParserState &state) {
  auto name = [](SMRange range, Location loc) -> Location {
    StringRef text(range.Start.getPointer(),
                   range.End.getPointer() - range.Start.getPointer());
    text = text.ltrim('%').split(':').first.split('#').first;
    const StringRef written = text;
    bool number = llvm::all_of(text, llvm::isDigit);
    if (text.empty() || number)
      return loc;
    // Printed from the name that the place has, with a number where there are
    // several (%mask_6): that is what the source calls it.
    if (auto named = dyn_cast<NameLoc>(loc);
        named && text.consume_front(named.getName()) &&
        (text.empty() || (text.consume_front("_") && !text.empty() &&
                          llvm::all_of(text, llvm::isDigit))))
      return loc;
    return NameLoc::get(StringAttr::get(loc.getContext(), written), loc);
  };
  for (const auto &def : state.getOpDefs())
    if (def.resultGroups.size() == 1 && def.op->getNumResults())
      def.op->setLoc(
          name(def.resultGroups.front().definition.loc, def.op->getLoc()));
  for (const auto &def : state.getBlockDefs())
    for (auto [argument, source] :
         llvm::zip(def.block->getArguments(), def.arguments))
      if (source.loc.isValid())
        argument.setLoc(name(source.loc, argument.getLoc()));
}

runtime::Result<std::unique_ptr<llvm::MemoryBuffer>>
titan::readText(StringRef path) {
  bool input = path == "-";
  auto bytes =
      runtime::readFile(input ? "/dev/stdin" : path.str(), maxFileSize);
  if (!bytes)
    return bytes.error();
  StringRef text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  // A byte order mark says nothing; lexers would stumble over it.
  text.consume_front("\xEF\xBB\xBF");
  return llvm::MemoryBuffer::getMemBufferCopy(text, input ? "<stdin>" : path);
}

/// Triton counts the columns of Python's lines from 0, as `ast` does; all that
/// prints a place, and JSON and SARIF, from 1. Places in the text itself, of a text
/// without locations, are the parser's.
static void countColumnsFromOne(ModuleOp module, StringRef path) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FileLineColRange at)
          -> std::optional<std::pair<Attribute, WalkResult>> {
        auto place = dyn_cast<FileLineColLoc>(LocationAttr(at));
        if (!place || !place.getLine() || place.getFilename() == path)
          return std::nullopt;
        return {{FileLineColLoc::get(place.getFilename(), place.getLine(),
                                     place.getColumn() + 1),
                 WalkResult::skip()}};
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/true);
}

OwningOpRef<ModuleOp> Session::parse(StringRef path) {
  input = path.str();
  auto buffer = readText(path);
  if (!buffer) {
    fail(buffer.error());
    return {};
  }
  return parse(path, std::move(*buffer));
}

OwningOpRef<ModuleOp>
Session::parse(StringRef path, std::unique_ptr<llvm::MemoryBuffer> buffer) {
  input = path.str();
  StringRef text = buffer->getBuffer();
  if (text.trim().empty()) {
    fail(Code::ParseError, path + ": the file is empty",
         "write a titan.kernel; examples/ has some");
    return {};
  }
  if (path.ends_with(".py")) {
    fail(Code::ParseError, path + ": it is Python, not titan IR",
         "write the text of its kernel to a file, kernel.asm[\"ttir\"] "
         "(docs/triton.md, The text of a kernel), and give that; or run the "
         "program as it is, under TITAN=simulate");
    return {};
  }
  if (text.starts_with(StringRef(runtime::packageMagic))) {
    fail(Code::ParseError, path + ": it is a package, not titan IR",
         "titan inspect says what it holds; titan " + command +
             " takes the file that it was compiled from");
    return {};
  }
  if (std::optional<TextProblem> problem = findTextProblem(text)) {
    StringRef before = text.take_front(problem->offset);
    unsigned line = before.count('\n') + 1;
    unsigned column = problem->offset - (before.rfind('\n') + 1) + 1;
    // The line is for no terminal: it is no text, or one that never ends.
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer("", path),
                               llvm::SMLoc());
    Location loc = FileLineColLoc::get(&context, path, line, column);
    fail(Code::ParseError, problem->message, {}, &loc);
    return {};
  }

  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  defaultCode = Code::ParseError;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module;
  {
    AsmParserState state;
    Block block;
    if (failed(parseAsmSourceFile(sources, &block, config, &state)))
      return {};
    keepNames(state);
    // A file is a module, or the contents of one.
    if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
      module = cast<ModuleOp>(block.front());
      module.get()->remove();
    } else {
      Location loc = FileLineColLoc::get(&context, path, 1, 1);
      module = ModuleOp::create(loc);
      module->getBody()->getOperations().splice(module->getBody()->end(),
                                                block.getOperations());
    }
  }
  if (isTritonModule(*module))
    countColumnsFromOne(*module, path);
  defaultCode = Code::VerifyError;
  verified = *module;
  bool good = succeeded(verify(*module));
  verified = {};
  good = good && succeeded(verifyOperations(*this, *module));
  return good ? std::move(module) : OwningOpRef<ModuleOp>();
}

KernelOp Session::findKernel(ModuleOp module, StringRef name) {
  KernelOp found;
  std::string names;
  unsigned count = 0;
  for (auto kernel : module.getOps<KernelOp>()) {
    if (++count <= 16)
      names += (names.empty() ? "@" : ", @") + kernel.getSymName().str();
    else if (count == 17)
      names += ", ...";
    if (name.empty() || kernel.getSymName() == name)
      found = kernel;
  }
  if (count == 0 && isTritonModule(module)) {
    fail(Code::BadArgument,
         input + ": is a program of Triton, which has no titan.kernel before "
                 "it is compiled",
         tritonInstead);
    return {};
  }
  if (count == 0 && StringRef(input).ends_with(".ttir")) {
    fail(Code::NoKernel, input + ": has no tt.func",
         "give the text of a kernel of Triton, kernel.asm[\"ttir\"] "
         "(docs/triton.md, The text of a kernel)");
    return {};
  }
  if (count == 0) {
    fail(Code::NoKernel, input + ": has no titan.kernel",
         "write a titan.kernel; examples/ has some");
    return {};
  }
  if (name.empty() && count > 1) {
    fail(Code::NoKernel, input + ": has " + Twine(count) + " kernels: " + names,
         "name one with --kernel");
    return {};
  }
  if (!found)
    fail(Code::NoKernel,
         input + ": has no kernel @" + name + "; it has " + names);
  return found;
}
