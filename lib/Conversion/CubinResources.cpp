//===- CubinResources.cpp - what the assembler gave a kernel --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Conversion/CubinResources.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace titan;
using llvm::StringRef;

std::optional<CubinResources> titan::readCubinResources(StringRef cubin,
                                                        StringRef entry) {
  using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;
  using llvm::support::endian::read16le;
  using llvm::support::endian::read32le;
  auto given = [](auto &expected) {
    bool good = bool(expected);
    if (!good)
      llvm::consumeError(expected.takeError());
    return good;
  };
  auto elf = Elf::create(cubin);
  if (!given(elf))
    return std::nullopt;
  auto sections = elf->sections();
  if (!given(sections))
    return std::nullopt;
  std::optional<uint32_t> symbol;
  llvm::ArrayRef<uint8_t> attributes;
  for (const auto &section : *sections) {
    auto name = elf->getSectionName(section);
    if (!given(name))
      return std::nullopt;
    if (*name == ".nv.info") {
      auto contents = elf->getSectionContents(section);
      if (given(contents))
        attributes = *contents;
    } else if (section.sh_type == llvm::ELF::SHT_SYMTAB) {
      auto symbols = elf->symbols(&section);
      auto names = elf->getStringTableForSymtab(section);
      bool readable = given(symbols);
      readable &= given(names);
      if (!readable)
        return std::nullopt;
      for (auto [i, each] : llvm::enumerate(*symbols)) {
        auto its = each.getName(*names);
        if (given(its) && *its == entry)
          symbol = i;
      }
    }
  }
  CubinResources found;
  while (symbol && attributes.size() >= 4) {
    uint8_t format = attributes[0], kind = attributes[1];
    size_t size = format == 4 ? read16le(&attributes[2]) : 0;
    attributes = attributes.drop_front(4);
    if (size > attributes.size())
      break;
    if (size == 8 && read32le(attributes.data()) == *symbol) {
      int64_t value = read32le(attributes.data() + 4);
      if (kind == 0x2f)
        found.registers = value;
      else if (kind == 0x11)
        found.stackBytes = value;
    }
    attributes = attributes.drop_front(size);
  }
  if (!found.registers)
    return std::nullopt;
  return found;
}
