//===- TestPackage.h - A manifest to test with ------------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest of a persistent GEMM: every feature of the format occurs in it.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_UNITTESTS_RUNTIME_TESTPACKAGE_H
#define TITAN_UNITTESTS_RUNTIME_TESTPACKAGE_H

#include "titan/Runtime/Manifest.h"

#include <nlohmann/json.hpp>
#include <string>

namespace titan::runtime {

inline const char *const gemmManifest = R"json({
  "format": 1,
  "compiler": "titan test",
  "target": "sm_90a",
  "code": [
    {"kind": "cubin", "arch": "sm_90a", "blob": "gemm.cubin"},
    {"kind": "ptx", "arch": "sm_90a", "blob": "gemm.ptx"}
  ],
  "kernels": [{
    "name": "gemm", "entry": "gemm_entry",
    "arguments": [
      {"name": "A", "kind": "tensor", "type": "bf16", "shape": ["M", "K"],
       "strides": [null, 1], "alignment": 16, "access": "read"},
      {"name": "B", "kind": "tensor", "type": "bf16", "shape": ["N", "K"],
       "strides": [null, 1], "access": "read"},
      {"name": "D", "kind": "tensor", "type": "f32", "shape": ["M", "N"],
       "strides": [null, 1], "access": "write"},
      {"name": "alpha", "kind": "scalar", "type": "f32"},
      {"name": "splits", "kind": "scalar", "type": "i32"}
    ],
    "grid": [
      ["min", ["mul", ["ceildiv", {"dim": ["A", 0]}, 128],
                      ["ceildiv", {"dim": ["B", 0]}, 128]],
              {"device": "multiprocessor_count"}], 1, 1],
    "cluster": [1, 1, 1],
    "block": 384,
    "registers": 168,
    "shared_memory": {"dynamic": 200000, "static": 64},
    "tensor_maps": [
      {"name": "A.load", "argument": "A", "type": "bf16", "box": [64, 128],
       "element_strides": [1, 1], "swizzle": "128B", "interleave": "none",
       "l2_promotion": "128B", "fill": "zero",
       "dims": [{"dim": ["A", 1]}, {"dim": ["A", 0]}],
       "byte_strides": [["mul", {"stride": ["A", 0]}, 2]]},
      {"name": "B.load", "argument": "B", "type": "bf16", "box": [64, 128],
       "swizzle": "128B",
       "dims": [{"dim": ["B", 1]}, {"dim": ["B", 0]}],
       "byte_strides": [["mul", {"stride": ["B", 0]}, 2]]}
    ],
    "parameters": [
      {"tensor_map": "A.load"}, {"tensor_map": "B.load"}, {"pointer": "D"},
      {"value": {"dim": ["A", 0]}, "type": "i32"},
      {"value": {"stride": ["D", 0]}, "type": "i64"},
      {"scalar": "alpha"}, {"scalar": "splits"}
    ],
    "checks": [
      {"nonzero": ["eq", ["mod", ["mul", {"dim": ["D", 1]}, 4], 16], 0],
       "code": "tma-store-tail", "message": "rows of D take {0} bytes",
       "values": [["mul", {"dim": ["D", 1]}, 4]],
       "rule": "rows are multiples of 16 bytes", "fix": "pad D"},
      {"nonzero": ["and", ["lt", 0, {"scalar": "splits"}],
                          ["le", {"scalar": "splits"}, 8]],
       "code": "splits-range", "message": "splits is {0}",
       "values": [{"scalar": "splits"}]}
    ],
    "flops": ["mul", 2, ["mul", {"dim": ["A", 0]},
              ["mul", {"dim": ["B", 0]}, {"dim": ["A", 1]}]]],
    "bytes": ["mul", 4, ["mul", {"dim": ["A", 0]}, {"dim": ["B", 0]}]],
    "info": {"anything": ["goes", 1]}
  }]
})json";

/// The blobs that the manifest names.
inline std::vector<Blob> gemmBlobs() {
  return {{"gemm.cubin", {0x7F, 'E', 'L', 'F', 0, 1, 2}},
          {"gemm.ptx", {'.', 'v', 'e', 'r', 's', 'i', 'o', 'n'}}};
}

/// The manifest after a JSON patch (RFC 6902), such as
/// [{"op": "replace", "path": "/kernels/0/block", "value": 0}].
inline std::string patched(const char *patch) {
  return nlohmann::json::parse(gemmManifest)
      .patch(nlohmann::json::parse(patch))
      .dump();
}

} // namespace titan::runtime

#endif // TITAN_UNITTESTS_RUNTIME_TESTPACKAGE_H
