//===- RegisterOrderTest.cpp - arithmetic moves to its first user ---------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random blocks of arithmetic, loads and stores in another order: each value is
// still made before it is used, and what has effects keeps its order.
//
//===----------------------------------------------------------------------===//
#include "RegisterOrder.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <random>

static std::vector<const llvm::Instruction *>
effects(const llvm::Function &function) {
  std::vector<const llvm::Instruction *> found;
  for (const llvm::Instruction &i : function.getEntryBlock())
    if (i.mayReadOrWriteMemory() || i.isTerminator())
      found.push_back(&i);
  return found;
}

/// Sums and products of two values each, among the `window` newest, of `length`
/// operations, some of which load or store.
static llvm::Function *randomBlock(llvm::Module &module, std::mt19937 &random,
                                   int length, unsigned window) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *f32 = llvm::Type::getFloatTy(context);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {llvm::PointerType::get(context, 0), f32, f32},
                              false),
      llvm::Function::ExternalLinkage, "block", module);
  llvm::IRBuilder<> builder(
      llvm::BasicBlock::Create(context, "entry", function));
  llvm::Value *memory = function->getArg(0);
  std::vector<llvm::Value *> values = {function->getArg(1),
                                       function->getArg(2)};
  auto any = [&] {
    size_t from = values.size() > window ? values.size() - window : 0;
    return values[from + random() % (values.size() - from)];
  };
  for (int i = 0; i < length; ++i) {
    switch (random() % 8) {
    case 0:
      builder.CreateStore(any(), memory);
      break;
    case 1:
      values.push_back(builder.CreateLoad(f32, memory));
      break;
    case 2:
    case 3:
      values.push_back(builder.CreateFMul(any(), any()));
      break;
    default:
      values.push_back(builder.CreateFAdd(any(), any()));
    }
  }
  for (llvm::Value *value : values)
    if (random() % 3 == 0)
      builder.CreateStore(value, memory);
  builder.CreateRetVoid();
  return function;
}

TEST(RegisterOrder, ValuesAreMadeBeforeTheyAreUsed) {
  int changed = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    llvm::LLVMContext context;
    llvm::Module module("random", context);
    std::mt19937 random(seed);
    llvm::Function *function =
        randomBlock(module, random, 10 + int(random() % 60), 3 + random() % 30);
    ASSERT_FALSE(llvm::verifyFunction(*function, &llvm::errs()));
    std::vector<const llvm::Instruction *> before = effects(*function);
    changed += titan::orderByElement(*function, 0);
    ASSERT_FALSE(llvm::verifyFunction(*function, &llvm::errs()));
    EXPECT_EQ(before, effects(*function));
  }
  EXPECT_GT(changed, 20); // Of others this order needs as many registers.
}
