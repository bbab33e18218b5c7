//===- ExplainCopy.cpp - titan explain copy, titan explain product --------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan explain copy FILE prints, for each copy of its kernels, what moves and
// what each variant says of it (docs/dispatch.md); titan explain product FILE the
// same of its products. With --json it is in "copies", "products".
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Dialect/Titan/CopyAsync.h"
#include "titan/Dispatch/Product.h"
#include "titan/Driver/Session.h"
#include "titan/Target/ExitStatus.h"
#include "titan/Transforms/Passes.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace titan;

/// "%mine to %theirs".
static std::string operandsOf(ValueRange values, StringRef between,
                              AsmState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      values, os, [&](Value value) { value.printAsOperand(os, state); },
      between);
  return text;
}

static llvm::json::Object jsonOf(const dispatch::Verdict &verdict) {
  llvm::json::Object object{{"name", jsonText(verdict.name)},
                            {"priority", verdict.priority},
                            {"fits", verdict.fits()}};
  if (verdict.fits()) {
    object["instructions"] = verdict.cost.instructions;
    object["bytes"] = verdict.cost.bytes;
    object["threads"] = verdict.cost.threads;
    object["fences"] = verdict.cost.fences;
    if (verdict.cost.cycles)
      object["cycles"] = *verdict.cost.cycles;
    object["weight"] = verdict.cost.weight();
  } else {
    object["predicate"] = jsonText(verdict.predicate);
    object["reason"] = jsonText(verdict.problem.message);
  }
  return object;
}

template <typename Request>
static void explainIn(const dispatch::VariantTable<Request> &table,
                      StringRef kind, StringRef name, raw_ostream &os) {
  std::string askedBy;
  for (const auto &variant : table.variants()) {
    for (const auto &predicate : variant.when)
      if (name == predicate.name)
        askedBy += (askedBy.empty() ? "" : ", ") + variant.name;
    if (name != variant.name)
      continue;
    os << name << ": a variant of " << kind << "\n";
    std::string list;
    for (auto [from, to] : variant.directions)
      list += (list.empty() ? "" : ", ") + dispatch::nameOf(from).str() +
              " to " + dispatch::nameOf(to).str();
    if (!list.empty())
      os << "  goes from " << list << "\n";
    list.clear();
    for (const auto &predicate : variant.when)
      list += (list.empty() ? "" : ", ") + predicate.name;
    os << "  asks for " << list << "\n  priority " << variant.priority
       << (variant.fallback ? ", where nothing else fits" : "") << "\n";
  }
  if (!askedBy.empty())
    os << name << ": what variants of " << kind << " ask for: " << askedBy
       << "\n";
}

std::string titan::explainVariant(StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  explainIn(dispatch::CopyVariants::get(), "copies", name, os);
  explainIn(dispatch::ProductVariants::get(), "products", name, os);
  if (!text.empty())
    os << "docs/dispatch.md has the tables; titan explain copy FILE and titan "
          "explain product FILE say what each variant says";
  return text;
}

int titan::explainDispatch(const ExplainCommand &options) {
  bool copies = options.topic == "copy";
  Session session("explain", options.json);
  if (options.file.empty()) {
    session.fail(Code::BadArgument,
                 "titan explain " + options.topic + " needs a FILE");
    return session.finish(BadInput, "");
  }
  OwningOpRef<ModuleOp> module = session.parse(options.file);
  if (!module)
    return session.finish(BadInput, "");
  if (!options.kernel.empty() || module->getOps<KernelOp>().empty())
    if (!session.findKernel(*module, options.kernel))
      return session.finish(BadInput, "");
  // The copies that there are when variants are asked.
  PassManager pm(module->getContext());
  pm.addPass(createInline());
  pm.addNestedPass<KernelOp>(createCountedLoops());
  pm.addNestedPass<KernelOp>(createUnroll());
  pm.addNestedPass<KernelOp>(createExpandPipes());
  if (failed(pm.run(*module)))
    return session.finish(Findings, "");
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::Array list;
  int exit = Good;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!options.kernel.empty() && kernel.getSymName() != options.kernel)
      continue;
    AsmState state(kernel, namedFlags());
    auto print = [&](Operation *op, const std::string &operands,
                     const dispatch::Decision &decision, const char *code) {
      int64_t line = 0;
      if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
        line = loc.getLine();
      os << (text.empty() ? "" : "\n") << "kernel @" << kernel.getSymName()
         << ", line " << line << ": " << op->getName() << ' ' << operands
         << "; " << dispatch::issuersOf(op).str() << '\n';
      for (const std::string &each : decision.lines())
        os << "  " << each << '\n';
      llvm::json::Array variants;
      for (const dispatch::Verdict &verdict : decision.verdicts)
        variants.push_back(jsonOf(verdict));
      llvm::json::Object object{{"kernel", jsonText(kernel.getSymName())},
                                {"line", line},
                                {"operation", op->getName().getStringRef()},
                                {"operands", jsonText(operands)},
                                {"variants", std::move(variants)}};
      if (decision.chosen >= 0)
        object["chosen"] = jsonText(decision.verdicts[decision.chosen].name);
      list.push_back(std::move(object));
      if (decision.chosen < 0) {
        (void)emitProblem(op, decision.problem(code));
        exit = Findings;
      }
    };
    if (copies) {
      dispatch::CopyDispatch dispatch(kernel);
      for (auto &[op, source, target, decision] : dispatch.decideAll())
        print(op, operandsOf({source, target}, " to ", state), decision,
              "copy-dispatch");
    } else {
      for (auto &[op, decision] : dispatch::decideProducts(kernel))
        print(op, operandsOf(op->getOperands(), ", ", state), decision,
              "product-dispatch");
    }
  }
  if (list.empty()) {
    session.fail(Code::BadArgument,
                 options.file + ": there is no titan." + options.topic,
                 "titan explain effects FILE says what the operations do that "
                 "are there");
    return session.finish(BadInput, "");
  }
  session.result[copies ? "copies" : "products"] = std::move(list);
  return session.finish(exit, StringRef(text).rtrim());
}
