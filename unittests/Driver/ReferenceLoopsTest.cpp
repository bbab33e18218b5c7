//===- ReferenceLoopsTest.cpp - sums of references keep their order -------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Reference.h"
#include "ReferenceLoops.h"

#include "titan/Dialect/ReferenceDialects.h"
#include "titan/Driver/Pipelines.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace {

class ReferenceLoops : public testing::Test {
protected:
  ReferenceLoops() {
    DialectRegistry registry;
    registry.insert<affine::AffineDialect, LLVM::LLVMDialect>();
    titan::registerReferenceDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    context.appendDialectRegistry(registry);
  }
  MLIRContext context;
};

/// D[m, n] += A[m, k] * B[n, k], rounded after each step; `out`: D's memory.
std::string product(const std::string &a, const std::string &b,
                    const std::string &out) {
  return R"(linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                     affine_map<(m, n, k) -> (n, k)>,
                     affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins()" +
         a + ", " + b + " : memref<?x?xf32>, memref<?x?xf32>) outs(" + out +
         R"( : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
)";
}
std::string function(const std::string &body) {
  return "func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %D: "
         "memref<?x?xf32>) attributes {llvm.emit_c_interface} {\n" +
         body + "  return\n}\n";
}

struct Matrix {
  int64_t rows, columns;
  std::vector<float> values;
  std::vector<int64_t> descriptor;
  void *pointer = nullptr;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns + 1) {}
  void *pack() {
    auto address = reinterpret_cast<intptr_t>(values.data());
    descriptor = {address, address, 0, rows, columns, columns, 1};
    pointer = descriptor.data();
    return &pointer;
  }
};

TEST_F(ReferenceLoops, SumsKeepTheirOrder) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      function(product("%A", "%B", "%D")), &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  titan::buildReferencePipeline(passes);
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto machine =
      titan::makeReferenceMachine(llvm::CodeGenOptLevel::Default);
  ASSERT_TRUE(!!machine) << llvm::toString(machine.takeError());
  auto transformer = makeOptimizingTransformer(2, 0, nullptr);
  ExecutionEngineOptions options;
  options.transformer = transformer;
  auto engine = ExecutionEngine::create(*module, options, std::move(*machine));
  ASSERT_TRUE(!!engine) << llvm::toString(engine.takeError());

  std::mt19937 rng(5);
  // Magnitudes far apart: another order, other bits.
  auto fill = [&](Matrix &matrix) {
    for (float &value : matrix.values)
      value = std::ldexp(static_cast<float>(rng() % 2001) - 1000,
                         static_cast<int>(rng() % 24));
  };
  for (int64_t n : {0, 1, 3, 4, 5, 8, 11})
    for (int64_t k : {0, 1, 17}) {
      Matrix a(3, k), b(n, k), d(3, n);
      fill(a), fill(b), fill(d);
      std::vector<float> should = d.values;
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < n; ++j)
          for (int64_t e = 0; e < k; ++e) {
            volatile float p = a.values[i * k + e] * b.values[j * k + e];
            should[i * n + j] += p;
          }
      SmallVector<void *> packed{a.pack(), b.pack(), d.pack()};
      llvm::Error error = (*engine)->invokePacked("_mlir_ciface_f", packed);
      ASSERT_FALSE(!!error) << llvm::toString(std::move(error));
      EXPECT_EQ(d.values, should) << "n " << n << ", k " << k;
    }
}

/// How many loops go on by more than one, after the pass.
int jammed(MLIRContext &context, const std::string &body) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(function(body), &context);
  PassManager passes(&context);
  passes.addNestedPass<func::FuncOp>(titan::createJamReductionsPass());
  if (!module || failed(passes.run(*module)))
    return -1;
  int count = 0;
  module->walk(
      [&](affine::AffineForOp loop) { count += loop.getStepAsInt() > 1; });
  return count;
}

TEST_F(ReferenceLoops, WhatIsJammed) {
  EXPECT_EQ(jammed(context, product("%A", "%B", "%D")), 1);
  // What one iteration writes another reads: their order is the text's.
  EXPECT_EQ(jammed(context, product("%A", "%D", "%D")), 0);
  // A part of an argument: its sizes are no symbols.
  EXPECT_EQ(jammed(context, "%c0 = arith.constant 0 : index\n"
                            "%c1 = arith.constant 1 : index\n"
                            "%n = memref.dim %A, %c0 : memref<?x?xf32>\n"
                            "scf.for %i = %c0 to %n step %c1 {\n"
                            "%part = memref.alloc(%i, %i) : memref<?x?xf32>\n" +
                                product("%part", "%B", "%D") + "}\n"),
            0);
}

} // namespace
