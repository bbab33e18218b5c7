//===- Drawing.h - Layouts as tables and pictures ---------------*- C++ -*-===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `titan explain layout` shows. A tile is a table of its elements, and each
// cell says who owns the element: warp.lane.register, with how many others hold
// it, too:
//
//           c0     c1     c2     c3
//     r0  0.0.0  0.0.1  0.1.0  0.1.1
//     r1  0.4.0  0.4.1  0.5.0  0.5.1
//
// An image is a table of its 16-byte cells in the order of the addresses, and each
// says which row and columns it holds; an access is a list of lanes by the banks
// that they want. Tables stop at 16 rows and 16 columns, and say so.
//
//===----------------------------------------------------------------------===//
#ifndef TITAN_LAYOUT_DRAWING_H
#define TITAN_LAYOUT_DRAWING_H

#include "titan/Layout/Layout.h"

namespace titan {

/// A register tile, as text.
std::string drawTile(const Layout &tile);
/// A shared image (r, c) -> byte, as text.
std::string drawImage(const Layout &image, int64_t elementBytes);
/// A tile moved to or from an image of its coordinates: vectors, wavefronts,
/// which lanes meet in a bank, and whether ldmatrix and stmatrix serve.
std::string drawAccess(const Layout &tile, const Layout &image,
                       int64_t elementBytes);

/// A picture of a tile, or of an image: elements coloured by the lane or bank
/// that holds them, at most 128 rows and columns.
std::string tilePicture(const Layout &tile);
std::string imagePicture(const Layout &image);

} // namespace titan

#endif // TITAN_LAYOUT_DRAWING_H
