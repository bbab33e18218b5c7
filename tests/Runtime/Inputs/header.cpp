// A header of a package, used: the fake driver copies A to D.
#include "copy.h"

#include <cstdio>
#include <vector>

extern "C" int cuCtxSetCurrent(void *);

using Matrix = titan::Tensor<TITAN_BF16, 2>;

static void say(const char *what, const titan::Error &error) {
  std::printf("%s: %s\n", what, error ? error.code() : "ok");
}

int main() {
  alignas(16) static uint16_t a[5 * 16], d[5 * 8];
  for (int i = 0; i < 5 * 16; ++i)
    a[i] = uint16_t(i);
  titan_packages::copy_package package;
  say("before open", package.copy(Matrix(a, {5, 8}), Matrix(d, {5, 8})));
  say("missing", package.open("/nonexistent.titanpkg"));
  say("open", package.open());
  say("no context", package.load());
  cuCtxSetCurrent(reinterpret_cast<void *>(1));
  say("load", package.load());
  say("launch", package.copy(Matrix(a, {5, 8}, {16, 1}), Matrix(d, {5, 8})));
  int wrong = 0;
  for (int i = 0; i < 5 * 8; ++i)
    wrong += d[i] != i / 8 * 16 + i % 8;
  std::printf("wrong: %d\n", wrong);
  titan::Error error = package.copy(Matrix(a + 1, {5, 8}), Matrix(d, {5, 8}));
  std::printf("%s", error.text());
  std::vector<char> none(4);
  say("bytes", package.open(none.data(), none.size()));
}
