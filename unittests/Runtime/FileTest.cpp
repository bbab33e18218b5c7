//===- FileTest.cpp - Whole files, written or not at all ------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "titan/Runtime/File.h"

#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace titan;
using namespace titan::runtime;
namespace fs = std::filesystem;

namespace {

class File : public testing::Test {
protected:
  File()
      : folder(fs::path(testing::TempDir()) /
               ("titan-file-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~File() override { fs::remove_all(folder); }

  std::string at(const char *name) const { return (folder / name).string(); }
  std::string text(const std::string &path) const {
    auto bytes = readFile(path);
    return bytes ? std::string(bytes->begin(), bytes->end()) : "unreadable";
  }
  size_t count() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder;
};

} // namespace

TEST_F(File, NewAndOld) {
  ASSERT_TRUE(writeFile(at("a"), "one"));
  EXPECT_EQ(text(at("a")), "one");
  ASSERT_EQ(chmod(at("a").c_str(), 0640), 0);
  ASSERT_TRUE(writeFile(at("a"), "two"));
  EXPECT_EQ(text(at("a")), "two");
  struct stat info;
  ASSERT_EQ(stat(at("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  EXPECT_EQ(count(), 1u);
}

TEST_F(File, LinksLeadToTheirTarget) {
  ASSERT_TRUE(writeFile(at("target"), "old"));
  fs::create_symlink("target", at("link"));
  fs::create_symlink("link", at("second"));
  ASSERT_TRUE(writeFile(at("second"), "new"));
  EXPECT_EQ(text(at("target")), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_TRUE(fs::is_symlink(at("second")));
  // Nothing is there yet.
  fs::create_symlink(at("later"), at("dangling"));
  ASSERT_TRUE(writeFile(at("dangling"), "here"));
  EXPECT_EQ(text(at("later")), "here");
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  // A circle.
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  auto circle = writeFile(at("a"), "x");
  ASSERT_FALSE(circle);
  EXPECT_EQ(circle.error().code, "file-write");
}

TEST_F(File, FifosStay) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text(at("fifo")); });
  ASSERT_TRUE(writeFile(at("fifo"), "through"));
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
}

TEST_F(File, AFifoWhoseReaderLeavesIsAnError) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  // More than a pipe holds.
  const std::string much(1 << 20, 'x');
  std::thread reader([&] {
    const int file = open(at("fifo").c_str(), O_RDONLY);
    char one;
    ASSERT_EQ(read(file, &one, 1), 1);
    close(file);
  });
  auto status = writeFile(at("fifo"), much);
  reader.join();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "file-write");
}

TEST_F(File, WhatCannotBeWrittenLeavesNothing) {
  ASSERT_TRUE(writeFile(at("a"), "old"));
  const size_t before = count();
  for (const std::string &path :
       {at("none/file"), folder.string(), at("a/b"), at("a") + "/"})
    EXPECT_FALSE(writeFile(path, "x")) << path;
  // As on a full disk: the process may write no more than 100 bytes a file.
  rlimit limit, saved;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &saved), 0);
  limit = saved;
  limit.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string much(1000, 'x');
  auto replaced = writeFile(at("a"), much);
  auto made = writeFile(at("b"), much);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &saved), 0);
  ASSERT_FALSE(replaced);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, "file-write");
  EXPECT_EQ(text(at("a")), "old");
  EXPECT_EQ(count(), before);
}
