//===- File.cpp - Whole files, read and written ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/File.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace titan;
using namespace titan::runtime;

runtime::Result<std::vector<uint8_t>>
titan::runtime::readFile(const std::string &path, uint64_t maxBytes) {
  auto fail = [&](const std::string &why) {
    return makeError(Code::FileNotFound, "cannot read the file: " + why, path,
                     "check the path and its permissions");
  };
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"),
                                              std::fclose);
  if (!file)
    return fail(std::strerror(errno));
  struct stat info{};
  if (fstat(fileno(file.get()), &info) == 0 && S_ISDIR(info.st_mode))
    return fail("it is a directory");
  std::vector<uint8_t> bytes;
  // All of a file and its end at once, where it says how long it is.
  size_t chunk = 1 << 20;
  if (S_ISREG(info.st_mode))
    chunk = std::min<size_t>(chunk, size_t(info.st_size) + 1);
  for (;;) {
    const size_t old = bytes.size();
    bytes.resize(old + chunk);
    const size_t got = std::fread(bytes.data() + old, 1, chunk, file.get());
    bytes.resize(old + got);
    if (bytes.size() > maxBytes)
      return fail("it has more than " + std::to_string(maxBytes) + " bytes");
    if (got < chunk)
      break;
  }
  if (std::ferror(file.get()))
    return fail(std::strerror(errno));
  return bytes;
}

namespace {
/// While it lives, a pipe without a reader and a file beyond the limit of the
/// process are errors of write(), and no signals.
class WriteSignals {
public:
  WriteSignals() {
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
  }
  ~WriteSignals() {
    const int error = errno;
    const timespec now{};
    while (sigtimedwait(&signals, nullptr, &now) > 0)
      ;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }

private:
  sigset_t signals, before;
};
} // namespace

/// 0, or errno. Closes the file.
static int writeAll(int file, std::span<const uint8_t> bytes) {
  WriteSignals quiet;
  int error = 0;
  while (!bytes.empty() && !error) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done >= 0)
      bytes = bytes.subspan(static_cast<size_t>(done));
    else if (errno != EINTR)
      error = errno;
  }
  if (close(file) != 0 && !error)
    error = errno;
  return error;
}

/// Where links lead, although nothing may be there yet; empty, and errno, if
/// they lead in a circle.
static std::string followLinks(std::string path) {
  for (int links = 0; links < 40; ++links) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length < 0)
      return path;
    const std::string_view to(target, static_cast<size_t>(length));
    const size_t slash = path.rfind('/');
    path = (to.starts_with('/') || slash == path.npos
                ? std::string()
                : path.substr(0, slash + 1)) +
           std::string(to);
  }
  errno = ELOOP;
  return {};
}

/// A file of a new name in the folder of `path`; negative, and errno.
static int openBeside(const std::string &path, std::string &beside) {
  const size_t slash = path.rfind('/');
  const std::string folder =
      slash == path.npos ? std::string() : path.substr(0, slash + 1);
  for (int i = 0;; ++i) {
    beside =
        folder + ".titan-" + std::to_string(getpid()) + "-" + std::to_string(i);
    const int file =
        open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST || i == 1000)
      return file;
  }
}

/// Writes a file anew; `old` is what is there, or null. 0, or errno.
static int replaceFile(const std::string &path, const struct stat *old,
                       std::span<const uint8_t> bytes) {
  if (old && access(path.c_str(), W_OK) != 0)
    return errno;
  const std::string target = followLinks(path);
  if (target.empty() || target.ends_with('/'))
    return target.empty() ? errno : EISDIR;
  std::string beside;
  const int file = openBeside(target, beside);
  if (file < 0)
    return errno;
  int error = old && fchmod(file, old->st_mode & 07777) != 0 ? errno : 0;
  if (const int failed = writeAll(file, bytes); !error)
    error = failed;
  if (!error && std::rename(beside.c_str(), target.c_str()) != 0)
    error = errno;
  if (error)
    std::remove(beside.c_str());
  return error;
}

Status titan::runtime::writeFile(const std::string &path,
                                 std::span<const uint8_t> bytes) {
  struct stat info, standard;
  int error = 0;
  const bool there = stat(path.c_str(), &info) == 0;
  if (!there && errno != ENOENT) {
    error = errno;
  } else if (there &&
             (!S_ISREG(info.st_mode) ||
              // /dev/stdout, where it is a file: what stands there stays.
              (fstat(STDOUT_FILENO, &standard) == 0 &&
               standard.st_dev == info.st_dev &&
               standard.st_ino == info.st_ino))) {
    const int file = S_ISREG(info.st_mode)
                         ? dup(STDOUT_FILENO)
                         : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    error = file < 0 ? errno : writeAll(file, bytes);
  } else {
    error = replaceFile(path, there ? &info : nullptr, bytes);
  }
  if (!error)
    return {};
  return makeError(Code::FileWrite,
                   std::string("cannot write the file: ") +
                       std::strerror(error),
                   path, "check the folder, its permissions and free space");
}

Status titan::runtime::writeFile(const std::string &path,
                                 std::string_view text) {
  return writeFile(
      path,
      std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}
