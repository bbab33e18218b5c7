//===- Polynomials.h - functions that kernels write out ---------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimax fits in f32, evaluated by Horner's rule with fused multiply-adds. A kernel
// writes one out where a function of the language costs more than is needed;
// unittests/Kernels/PolynomialsTest.cpp evaluates them over floats and holds their
// errors to what stands here.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_KERNELS_POLYNOMIALS_H
#define TITAN_KERNELS_POLYNOMIALS_H

#include <array>
#include <span>
#include <string>

namespace titan::kernels {

/// log2 of Phi(-t), the normal distribution's tail, for t >= 0; the lowest power
/// first. 2^ of it is within 2^-21 of Phi(-t), and within 2^-12 of its size up
/// to t = 7; from there to `geluFarthest` it is below 2^-39.
inline constexpr std::array<float, 8> geluTail = {
    -0x1.ffffe2p-1f, -0x1.26b1b2p+0f,  -0x1.d5e4fep-2f, -0x1.b5340cp-5f,
    0x1.0acde2p-7f,  -0x1.b00402p-11f, 0x1.8c4b08p-15f, -0x1.2aa886p-20f};
/// Phi(-t) is 2^-192 there: nothing beside t.
inline constexpr float geluFarthest = 16;

/// 2^r for r from -1/2 to 1/2, the lowest power first: within 2^-13 of its size, and 1
/// at 0, so that 2^-127, where the exponent's bits end, comes out as 0.
inline constexpr std::array<float, 4> exp2Fraction = {
    1, 0x1.62f5fap-1f, 0x1.f00c4cp-3f, 0x1.c2a212p-5f};
/// x + this is x rounded to a whole number, which is in its low bits then.
inline constexpr float exp2Rounder = 0x1.8p23f;

/// As titan IR writes a constant, exact.
std::string toLiteral(float value);

} // namespace titan::kernels

#endif
