//===- Assembler.cpp - PTX to machine code --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Assembler.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <optional>

using namespace titan;
using llvm::StringRef;

/// A ptxas that can be run, or nothing.
static std::optional<std::string> findPtxas(StringRef given) {
  auto usable = [](StringRef path) {
    return !path.empty() && llvm::sys::fs::can_execute(path);
  };
  if (!given.empty())
    return given.str();
  if (auto named = llvm::sys::Process::GetEnv("TITAN_PTXAS"))
    return *named == "none" ? std::nullopt : named;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME")) {
    llvm::SmallString<128> path(*home);
    llvm::sys::path::append(path, "bin", "ptxas");
    if (usable(path))
      return path.str().str();
  }
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  StringRef usual = "/usr/local/cuda/bin/ptxas";
  if (usable(usual))
    return usual.str();
  return std::nullopt;
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

static Assembly runPtxas(StringRef ptxas, StringRef ptx,
                         StringRef architecture) {
  llvm::SmallString<128> input, output, log;
  Assembly result;
  int handle = -1;
  auto fail = [&](StringRef path, std::error_code error) {
    result.status = Assembly::NotWritten;
    result.log = ("temporary file " + path + ": " + error.message()).str();
    return result;
  };
  llvm::scope_exit remove([&] {
    for (StringRef path : {StringRef(input), StringRef(output), StringRef(log)})
      if (!path.empty())
        llvm::sys::fs::remove(path);
  });
  if (auto error =
          llvm::sys::fs::createTemporaryFile("titan", "ptx", handle, input))
    return fail(input, error);
  {
    llvm::raw_fd_ostream stream(handle, /*shouldClose=*/true);
    stream << ptx;
    stream.close();
    if (std::error_code error = stream.error()) {
      stream.clear_error();
      return fail(input, error);
    }
  }
  if (auto error = llvm::sys::fs::createTemporaryFile("titan", "cubin", output))
    return fail(output, error);
  if (auto error = llvm::sys::fs::createTemporaryFile("titan", "log", log))
    return fail(log, error);
  std::string architectureFlag = ("-arch=" + architecture).str();
  StringRef arguments[] = {
      ptxas, architectureFlag, "-O3", "-v", "-lineinfo", input, "-o", output};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, 0, 0, &error);
  result.log = readFile(log);
  if (code < 0) {
    result.status = Assembly::NotRun;
    result.log = (ptxas + ": " + error).str();
    return result;
  }
  if (code) {
    if (result.log.empty())
      result.log = (ptxas + " ended with status " + llvm::Twine(code)).str();
    result.status = Assembly::Refused;
    return result;
  }
  result.cubin = readFile(output);
  result.status = result.cubin.empty() ? Assembly::Refused : Assembly::Done;
  return result;
}

/// nvJitLink's C interface, as its documentation gives it.
static Assembly runNvJitLink(StringRef ptx, StringRef architecture) {
  Assembly result;
  llvm::sys::DynamicLibrary library;
  for (const char *name :
       {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so",
        "/usr/local/cuda/lib64/libnvJitLink.so"}) {
    library = llvm::sys::DynamicLibrary::getPermanentLibrary(name);
    if (library.isValid())
      break;
  }
  if (!library.isValid())
    return result;
  using Handle = void *;
  auto symbol = [&](const char *name) {
    for (const char *suffix : {"", "_13_0", "_12_9", "_12_8", "_12_6", "_12_4"})
      if (void *address =
              library.getAddressOfSymbol((std::string(name) + suffix).c_str()))
        return address;
    return static_cast<void *>(nullptr);
  };
  auto create = reinterpret_cast<int (*)(Handle *, uint32_t, const char **)>(
      symbol("__nvJitLinkCreate"));
  if (!create)
    create = reinterpret_cast<int (*)(Handle *, uint32_t, const char **)>(
        symbol("nvJitLinkCreate"));
  auto function = [&](const char *name) {
    void *address = symbol((std::string("__") + name).c_str());
    return address ? address : symbol(name);
  };
  auto add =
      reinterpret_cast<int (*)(Handle, int, const void *, size_t,
                               const char *)>(function("nvJitLinkAddData"));
  auto complete =
      reinterpret_cast<int (*)(Handle)>(function("nvJitLinkComplete"));
  auto size = reinterpret_cast<int (*)(Handle, size_t *)>(
      function("nvJitLinkGetLinkedCubinSize"));
  auto get = reinterpret_cast<int (*)(Handle, void *)>(
      function("nvJitLinkGetLinkedCubin"));
  auto logSize = reinterpret_cast<int (*)(Handle, size_t *)>(
      function("nvJitLinkGetErrorLogSize"));
  auto getLog = reinterpret_cast<int (*)(Handle, char *)>(
      function("nvJitLinkGetErrorLog"));
  auto destroy =
      reinterpret_cast<int (*)(Handle *)>(function("nvJitLinkDestroy"));
  if (!create || !add || !complete || !size || !get || !destroy)
    return result;
  std::string architectureFlag = ("-arch=" + architecture).str();
  const char *flags[] = {architectureFlag.c_str(), "-O3", "-lineinfo"};
  Handle handle = nullptr;
  if (create(&handle, 3, flags))
    return result;
  constexpr int inputPtx = 2;
  std::string text = ptx.str();
  bool good = !add(handle, inputPtx, text.c_str(), text.size() + 1, "kernel") &&
              !complete(handle);
  size_t bytes = 0;
  if (good && !size(handle, &bytes)) {
    result.cubin.resize(bytes);
    good = !get(handle, result.cubin.data());
  }
  if (!good && logSize && getLog && !logSize(handle, &bytes)) {
    result.log.resize(bytes);
    getLog(handle, result.log.data());
  }
  destroy(&handle);
  result.status = good ? Assembly::Done : Assembly::Refused;
  return result;
}

/// `.file N "name"` without a time makes ptxas look the source up and write its
/// time and size into the line table: the same text would be another cubin once
/// the file has been touched. So each gets a time, 1 (0 is none), and size 1.
static std::string withoutFileTimes(StringRef ptx) {
  std::string text;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    text += line;
    if (line.starts_with("\t.file\t") && line.ends_with("\""))
      text += ", 1, 1";
    if (line.size() < ptx.size())
      text += '\n';
    ptx = rest;
  }
  return text;
}

Assembly titan::assemble(StringRef ptx, StringRef architecture,
                         StringRef ptxas) {
  std::string text = withoutFileTimes(ptx);
  if (auto path = findPtxas(ptxas))
    return runPtxas(*path, text, architecture);
  return runNvJitLink(text, architecture);
}
