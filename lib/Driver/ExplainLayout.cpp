//===- ExplainLayout.cpp - titan explain layout ---------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// titan explain layout WHAT draws who holds what. WHAT is
//
//   a file of kernels        its tiles and shared tiles, and each access of a
//                            tile to shared memory with its conflicts
//   a type                   'tensor<64x64xbf16, #titan.wgmma<1, 1>>'
//                            '!titan.shared<64x64xbf16, swizzle = 128>'
//   two of them              'tensor<...> in !titan.shared<...>'
//   a layout                 'reg: 2*c1; lane: 4*c2, 8*r1', or the attribute
//                            '#titan.layout<"...">'
//   a file of a type or a layout: how it begins tells
//
//===----------------------------------------------------------------------===//
#include "Commands.h"

#include "titan/Layout/Drawing.h"
#include "titan/Runtime/File.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace titan;

namespace {
/// Texts and the first picture.
struct Drawings {
  std::string text, picture;

  void add(const Twine &title, const std::string &drawing,
           const std::function<std::string()> &draw = nullptr) {
    text += (text.empty() ? "" : "\n");
    if (!title.isTriviallyEmpty())
      text += title.str() + "\n";
    text += drawing;
    if (picture.empty() && draw)
      picture = draw();
  }
};

/// Elements of tiles larger than this are not listed one by one.
constexpr int64_t sizeLimit = int64_t(1) << 20;
} // namespace

/// A tile's layout by rows and columns, as shared memory has them.
static Result<Layout> rowsOf(const Layout &tile) {
  int64_t columns = tile.rank() ? tile.shape().back() : 1;
  if (tile.rank() == 2)
    return tile;
  return tile.reshaped({tile.elements() / columns, columns});
}

static std::optional<Problem> drawTileType(RankedTensorType type,
                                           const Twine &title, Drawings &to) {
  Result<Layout> layout = getTileLayout(type);
  if (!layout)
    return layout.problem();
  if (layout->size() > sizeLimit)
    return Problem{"layout-invalid", "a tile of more than 2^20 places is not "
                                     "drawn"};
  to.add(title, drawTile(*layout), [&] { return tilePicture(*layout); });
  return std::nullopt;
}

static std::optional<Problem> drawSharedType(SharedType type,
                                             const Twine &title, Drawings &to) {
  Result<Layout> image = type.getImage().layout();
  if (!image)
    return image.problem();
  if (image->size() > sizeLimit)
    return Problem{"layout-invalid", "a shared tile of more than 2^20 elements "
                                     "is not drawn"};
  to.add(title, drawImage(*image, type.getElementBytes()),
         [&] { return imagePicture(*image); });
  return std::nullopt;
}

static std::optional<Problem> drawAccessTypes(RankedTensorType tile,
                                              SharedType buffer,
                                              const Twine &title,
                                              Drawings &to) {
  Result<Layout> layout = getTileLayout(tile);
  if (!layout)
    return layout.problem();
  Result<Layout> image = buffer.getImage().layout();
  if (!image)
    return image.problem();
  Result<Layout> rows = rowsOf(*layout);
  if (!rows)
    return rows.problem();
  if (rows->shape()[0] > image->axes()[0].size() ||
      rows->shape()[1] > image->axes()[1].size())
    return Problem{"layout-mismatch",
                   "the tile is larger than the shared tile"};
  if (rows->size() > sizeLimit)
    return Problem{"layout-invalid", "a tile of more than 2^20 places is not "
                                     "drawn"};
  to.add(title, drawAccess(*rows, *image, buffer.getElementBytes()));
  return std::nullopt;
}

/// The values of a file, a type once, and the accesses of tiles to shared
/// memory.
static int drawKernels(Session &session, const ExplainCommand &options,
                       std::unique_ptr<llvm::MemoryBuffer> text, Drawings &to) {
  OwningOpRef<ModuleOp> module = session.parse(options.file, std::move(text));
  if (!module)
    return BadInput;
  if ((!options.kernel.empty() || isTritonModule(*module)) &&
      !session.findKernel(*module, options.kernel))
    return BadInput;
  int exit = Good;
  for (auto kernel : module->getOps<KernelOp>()) {
    if (!options.kernel.empty() && kernel.getSymName() != options.kernel)
      continue;
    AsmState state(kernel, namedFlags());
    llvm::SetVector<Type> seen;
    auto check = [&](Operation *op, std::optional<Problem> problem) {
      if (!problem)
        return;
      exit = Findings;
      auto loc = op->getLoc();
      session.fail(lookupCode(problem->code)->id, problem->message,
                   problem->fix, &loc);
    };
    auto titleOf = [&](Value value, Type type) {
      std::string title;
      llvm::raw_string_ostream os(title);
      os << "kernel @" << kernel.getSymName() << ": ";
      value.printAsOperand(os, state);
      os << " : " << type;
      return title;
    };
    kernel.walk([&](Operation *op) {
      for (Value value : op->getResults()) {
        Type type = value.getType();
        if (auto shared = dyn_cast<SharedType>(type))
          type = shared.getSlotType();
        if (!isa<RankedTensorType, SharedType>(type) || !seen.insert(type))
          continue;
        std::string title = titleOf(value, type);
        if (auto tile = dyn_cast<RankedTensorType>(type))
          check(op, drawTileType(tile, title, to));
        else
          check(op, drawSharedType(cast<SharedType>(type), title, to));
      }
      // Who moves a tile to or from shared memory says so in its effects.
      auto hardware = dyn_cast<HardwareEffectsInterface>(op);
      if (!hardware)
        return;
      effect::EffectList effects;
      hardware.getHardwareEffects(effects);
      for (const effect::Effect &each : effects) {
        auto *access = std::get_if<effect::Access>(&each.what);
        if (!access || access->bytes.kind != effect::Footprint::Tile)
          continue;
        auto buffer = dyn_cast<SharedType>(access->bytes.object.getType());
        if (!buffer)
          continue;
        std::string title = "kernel @" + kernel.getSymName().str() + ", ";
        if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
          title += "line " + std::to_string(loc.getLine()) + ": ";
        title += op->getName().getStringRef();
        check(op, drawAccessTypes(access->bytes.tile, buffer, title, to));
      }
    });
  }
  if (to.text.empty() && exit == Good) {
    session.fail(Code::BadArgument, options.file +
                                        ": there are no tiles in registers or "
                                        "shared memory");
    return BadInput;
  }
  return exit;
}

/// A type; null, and a finding, where the text is none that has a layout.
static Type parseDrawable(Session &session, StringRef text) {
  Type type = parseType(text.trim(), &session.getContext());
  if (!type)
    return {}; // The parser has said why.
  if (!isa<RankedTensorType, SharedType>(type)) {
    session.fail(Code::BadArgument, "'" + text.trim() + "' has no layout",
                 "tensor<..., LAYOUT> and !titan.shared<...> have one");
    return {};
  }
  return type;
}

static int drawText(Session &session, StringRef text, Drawings &to) {
  auto fail = [&](const Problem &problem) {
    session.fail(lookupCode(problem.code)->id, problem.message, problem.fix);
    return BadInput;
  };
  if (auto bad = findTextProblem(text))
    return fail({"layout-syntax", bad->message});
  text = text.trim();
  if (text.starts_with("#")) {
    Attribute attribute = parseAttribute(text, &session.getContext());
    if (!attribute)
      return BadInput;
    if (!isa<LayoutTextAttr>(attribute)) {
      session.fail(Code::BadArgument,
                   "'" + text + "' is no layout before it is of a shape",
                   "draw a type: 'tensor<64x64xf32, " + text.str() + ">'");
      return BadInput;
    }
    text = cast<LayoutTextAttr>(attribute).getText();
  }
  if (!text.starts_with("tensor<") && !text.starts_with("!")) {
    Result<Layout> layout =
        Layout::parse(std::string_view(text.data(), text.size()));
    if (!layout)
      return fail(layout.problem());
    if (layout->size() > sizeLimit || layout->elements() > sizeLimit)
      return fail(
          {"layout-invalid", "a layout of more than 2^20 places is not drawn"});
    if (layout->isTile()) {
      to.add("", drawTile(*layout), [&] { return tilePicture(*layout); });
      return Good;
    }
    if (layout->axes().size() == 2 && layout->rank() == 1) {
      to.add("", drawImage(*layout, 1), [&] { return imagePicture(*layout); });
      return Good;
    }
    return fail({"layout-invalid", "'" + text.str() +
                                       "' is no register tile (axes reg, lane, "
                                       "warp) and no image (rows and columns "
                                       "into bytes)"});
  }
  auto [first, second] = text.split(" in ");
  Type type = parseDrawable(session, first);
  if (!type)
    return BadInput;
  auto tile = dyn_cast<RankedTensorType>(type);
  std::optional<Problem> problem =
      tile ? drawTileType(tile, "", to)
           : drawSharedType(cast<SharedType>(type), "", to);
  if (!problem && !second.empty()) {
    Type other = parseDrawable(session, second);
    if (!other)
      return BadInput;
    auto buffer = dyn_cast<SharedType>(other);
    if (!tile || !buffer) {
      session.fail(Code::BadArgument,
                   "'" + text + "': a tile in registers is in a shared tile",
                   "'tensor<...> in !titan.shared<...>'");
      return BadInput;
    }
    problem = drawSharedType(buffer, "", to);
    if (!problem)
      problem = drawAccessTypes(tile, buffer, "", to);
  }
  return problem ? fail(*problem) : Good;
}

/// Whether a file's text begins as a type or a layout does, which no file of
/// kernels does: names of types and attributes there have no dot.
static bool beginsAsLayout(StringRef text) {
  text = text.ltrim();
  return text.starts_with("tensor<") || text.starts_with("!titan.") ||
         text.starts_with("#titan.") ||
         (!text.empty() && llvm::isAlpha(text.front()) &&
          text.drop_while(llvm::isAlnum).ltrim().starts_with(":"));
}

static int drawFile(Session &session, const ExplainCommand &options,
                    Drawings &to) {
  session.setFile(options.file);
  auto text = readText(options.file);
  if (!text) {
    session.fail(text.error());
    return BadInput;
  }
  if (!beginsAsLayout((*text)->getBuffer()))
    return drawKernels(session, options, std::move(*text), to);
  if (!options.kernel.empty()) {
    session.fail(Code::BadArgument,
                 "--kernel @" + options.kernel + ": " + options.file +
                     " is a layout, and has no kernels",
                 "leave out --kernel, or name a file of kernels");
    return BadInput;
  }
  return drawText(session, (*text)->getBuffer(), to);
}

int titan::explainLayout(const ExplainCommand &options) {
  Session session("explain", options.json);
  if (options.file.empty()) {
    session.fail(Code::BadArgument, "titan explain layout needs a FILE, a type "
                                    "or a layout");
    return session.finish(BadInput, "");
  }
  session.setDefaultCode(Code::LayoutSyntax);
  Drawings drawings;
  StringRef what = options.file;
  bool isFile =
      what == "-" || what.ends_with(".mlir") || llvm::sys::fs::exists(what);
  if (!isFile && !options.kernel.empty()) {
    session.fail(Code::BadArgument,
                 "--kernel @" + options.kernel + ": a layout has no kernels",
                 "leave out --kernel, or name a file of kernels");
    return session.finish(BadInput, "");
  }
  // A word alone is the start of no type and of no layout.
  if (!isFile && !what.trim().empty() &&
      what.trim().find_first_of("#!<>:;*, ") == StringRef::npos) {
    session.fail(Code::FileNotFound,
                 "'" + what + "' is no file, and no type and no layout",
                 "name a file of kernels, or write a type or a layout: 'reg: "
                 "2*c1; lane: 32*c2'");
    return session.finish(BadInput, "");
  }
  int exit = isFile ? drawFile(session, options, drawings)
                    : drawText(session, what, drawings);
  if (exit == BadInput)
    return session.finish(exit, "");
  if (!options.svg.empty()) {
    if (!session.claimOutput("--svg", options.svg))
      return session.finish(BadInput, "");
    if (options.svg == "-") {
      llvm::outs() << drawings.picture;
    } else if (auto written = runtime::writeFile(options.svg, drawings.picture);
               !written) {
      session.fail(written.error());
      return session.finish(BadInput, "");
    }
  }
  return session.finish(exit, StringRef(drawings.text).rtrim());
}
