//===- Harness.cpp - kernels from files, run by the simulator -------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Harness.h"
#include "titan/Dialect/ReferenceDialects.h"
#include "titan/Simulator/Numeric.h"

#include "titan/Domain/TensorMap.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <random>
#include <set>

using namespace mlir;
using namespace titan;
using namespace titan::test;

Module::Module(const std::string &textOrFile, bool isFile) {
  DialectRegistry registry;
  registerReferenceDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<TitanDialect>();
  context.disableMultithreading();
  module = isFile ? parseSourceFile<ModuleOp>(textOrFile, &context)
                  : parseSourceString<ModuleOp>(textOrFile, &context);
  if (!module)
    return;
  PassManager manager(&context);
  buildExpandPasses(manager);
  if (failed(manager.run(*module)))
    module = nullptr;
}

KernelOp Module::kernel(llvm::StringRef name) {
  return module->lookupSymbol<KernelOp>(name);
}

std::vector<KernelOp> Module::kernels() {
  std::vector<KernelOp> found;
  for (auto kernel : module->getOps<KernelOp>())
    found.push_back(kernel);
  return found;
}

static constexpr size_t guard = 512;

Matrix::Matrix(int64_t rows, int64_t columns, int64_t elementBytes,
               int64_t rowStride)
    : rows(rows), columns(columns), elementBytes(elementBytes),
      stride(rowStride ? rowStride : columns) {
  bytes = rows * stride * elementBytes;
  storage.assign(bytes + guard + 256, std::byte(0xA5));
  data = storage.data();
  data += (256 - reinterpret_cast<uintptr_t>(data) % 256) % 256;
}

SimulatorArgument Matrix::argument() {
  SimulatorArgument argument;
  argument.data = data;
  argument.bytes = bytes;
  argument.shape = {rows, columns};
  argument.strides = {stride, 1};
  return argument;
}

uint16_t &Matrix::at16(int64_t r, int64_t c) {
  return reinterpret_cast<uint16_t *>(data)[r * stride + c];
}

float &Matrix::at32(int64_t r, int64_t c) {
  return reinterpret_cast<float *>(data)[r * stride + c];
}

bool Matrix::guardsWhole() const {
  for (size_t i = bytes; i < bytes + guard - 256; ++i)
    if (data[i] != std::byte(0xA5))
      return false;
  return true;
}

static int64_t roundUp(int64_t n) { return (n + 7) / 8 * 8; }

Product::Product(int64_t m, int64_t n, int64_t k, uint64_t seed)
    : a(m, k, 2, roundUp(k)), b(n, k, 2, roundUp(k)), d(m, n, 2, roundUp(n)) {
  std::mt19937_64 random(seed);
  for (Matrix *x : {&a, &b})
    for (int64_t r = 0; r < x->rows; ++r)
      for (int64_t c = 0; c < x->columns; ++c)
        x->at16(r, c) = sim::floatToBf16(float(int(random() % 9) - 4));
}

int64_t Product::wrong() {
  int64_t count = 0;
  for (int64_t r = 0; r < d.rows; ++r)
    for (int64_t c = 0; c < d.columns; ++c) {
      float sum = 0;
      for (int64_t k = 0; k < a.columns; ++k)
        sum += sim::bf16ToFloat(a.at16(r, k)) * sim::bf16ToFloat(b.at16(c, k));
      count += d.at16(r, c) != sim::floatToBf16(sum);
    }
  return count;
}

SimulatorReport Product::run(KernelOp kernel, const SimulatorOptions &options) {
  std::vector<SimulatorArgument> arguments = {a.argument(), b.argument(),
                                              d.argument()};
  return simulate(kernel, arguments, options);
}

KernelArguments::KernelArguments(KernelOp kernel, int64_t dynamicSize,
                                 uint64_t scalar) {
  for (Attribute attribute : kernel.getArgTypes()) {
    SimulatorArgument argument;
    if (auto global =
            dyn_cast<GlobalType>(cast<TypeAttr>(attribute).getValue())) {
      int64_t elements = 1;
      for (int64_t size : global.getShape())
        argument.shape.push_back(ShapedType::isDynamic(size) ? dynamicSize
                                                             : size);
      for (size_t d = global.getRank(); d-- > 0;) {
        argument.strides.insert(argument.strides.begin(), elements);
        elements *= argument.shape[d];
      }
      argument.bytes = elements * getElementBytes(global.getElementType());
      storage.emplace_back(argument.bytes + 256);
      std::byte *data = storage.back().data();
      argument.data =
          data + (256 - reinterpret_cast<uintptr_t>(data) % 256) % 256;
    } else {
      argument.scalar = scalar;
    }
    list.push_back(argument);
  }
  fillMaps(kernel);
}

/// Where copies go through maps in memory, an earlier kernel has left maps of
/// their tensors there.
void KernelArguments::fillMaps(KernelOp kernel) {
  kernel->walk([&](TensormapAtOp at) {
    auto argument = [&](Value value) -> SimulatorArgument & {
      return list[cast<BlockArgument>(value).getArgNumber()];
    };
    const SimulatorArgument &array = argument(at.getArray()),
                            &tensor = argument(at.getTensor());
    Type element = at.getType().getElementType();
    TensorMap map = getTensorMapFields(at.getType(), getTmaTypeName(element));
    map.address = reinterpret_cast<uint64_t>(tensor.data);
    for (int d = 0; d < map.rank; ++d) {
      map.dims[d] = tensor.shape[map.rank - 1 - d];
      if (d > 0)
        map.strides[d - 1] =
            tensor.strides[map.rank - 1 - d] * getElementBytes(element);
    }
    TmaDescriptor bits = encodeDescriptor(map);
    auto row = getConstantIntValue(at.getIndex());
    for (int64_t r = row.value_or(0), end = row ? r + 1 : array.shape[0];
         r < end; ++r)
      std::memcpy(array.data + r * array.strides[0], bits.data(), bits.size());
  });
}

std::vector<std::vector<std::byte>> KernelArguments::contents() const {
  std::vector<std::vector<std::byte>> all;
  for (const SimulatorArgument &argument : list)
    if (argument.data)
      all.emplace_back(argument.data, argument.data + argument.bytes);
  return all;
}

std::vector<std::string>
titan::test::testFiles(llvm::ArrayRef<llvm::StringRef> folders) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::StringRef folder : folders)
    for (llvm::sys::fs::directory_iterator
             it(llvm::Twine(TITAN_TESTS "/") + folder, error),
         end;
         it != end && !error; it.increment(error))
      if (llvm::sys::path::extension(it->path()) == ".mlir")
        files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string titan::test::print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

std::vector<std::string> titan::test::codesOf(const SimulatorReport &report,
                                              Severity least) {
  std::set<std::string> codes;
  for (const Finding &finding : report.findings)
    if (finding.severity >= least)
      codes.insert(std::string(codeInfo(finding.code).code));
  return {codes.begin(), codes.end()};
}

std::string titan::test::describe(const SimulatorReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Finding &finding : report.findings) {
    os << finding.loc << ": " << finding.message << " ["
       << codeInfo(finding.code).code << "]\n";
    for (const FindingPlace &place : finding.others)
      os << "    " << place.loc << ": " << place.what << "\n";
    for (const std::string &event : finding.events)
      os << "    " << event << "\n";
  }
  for (const std::string &line : report.state)
    os << "  " << line << "\n";
  return text;
}
