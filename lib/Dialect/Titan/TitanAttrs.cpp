//===- TitanAttrs.cpp - layouts by name, schedules as text ----------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "titan/Dialect/Titan/Titan.h"
#include "titan/Domain/TmaScheduleText.h"
#include "titan/Layout/Hardware.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace titan;

#define GET_ATTRDEF_CLASSES
#include "titan/Dialect/Titan/TitanAttrs.cpp.inc"

void TitanDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "titan/Dialect/Titan/TitanAttrs.cpp.inc"
      >();
}

Attribute TitanDialect::parseAttribute(DialectAsmParser &parser,
                                       Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  if (!generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    parser.emitError(loc) << "unknown attribute '" << mnemonic
                          << "' in dialect 'titan'";
  return attribute;
}

/// Prints the attribute if it is of that class, and an enum's, or begins with
/// an enum's word.
template <typename Attr>
static bool printWord(Attribute attribute, DialectAsmPrinter &printer) {
  if constexpr (std::is_same_v<Attr, CachePolicyAttr> || requires(Attr word) {
                  requires std::is_enum_v<decltype(word.getValue())>;
                })
    if (auto word = dyn_cast<Attr>(attribute)) {
      printer << Attr::getMnemonic() << ' ';
      word.print(printer);
      return true;
    }
  return false;
}
template <typename... Attrs>
static bool printWordOf(Attribute attribute, DialectAsmPrinter &printer) {
  return (printWord<Attrs>(attribute, printer) || ...);
}

/// An enum's word stands alone in an operation's syntax (`sem(acquire)`), and
/// behind its mnemonic elsewhere (`#titan<sem acquire>`).
void TitanDialect::printAttribute(Attribute attribute,
                                  DialectAsmPrinter &printer) const {
  if (!printWordOf<
#define GET_ATTRDEF_LIST
#include "titan/Dialect/Titan/TitanAttrs.cpp.inc"
          >(attribute, printer))
    (void)generatedAttributePrinter(attribute, printer);
}

static Problem shapeProblem(const Twine &message, const Twine &fix = "") {
  return Problem{"tile-shape", message.str(), fix.str()};
}

//===----------------------------------------------------------------------===//
// #titan.wgmma<rows, columns>
//===----------------------------------------------------------------------===//

Result<Layout> WgmmaAttr::getLayout(ArrayRef<int64_t> shape) const {
  if (shape.size() != 2)
    return shapeProblem("#titan.wgmma is a layout of two dimensions",
                        "give the tile two dimensions");
  int64_t rows = getRows(), columns = getColumns();
  if (rows < 1 || columns < 1 || rows * columns > 8)
    return shapeProblem("#titan.wgmma<rows, columns> counts 1 to 8 warpgroups",
                        "rows and columns multiply to the warpgroups that hold "
                        "the tile");
  if (shape[0] % (64 * rows) || shape[1] % (8 * columns))
    return shapeProblem(
        "a wgmma fragment has 64 rows and a multiple of 8 columns for each "
        "of " +
            Twine(rows) + " x " + Twine(columns) + " warpgroups; the tile is " +
            Twine(shape[0]) + " x " + Twine(shape[1]),
        "give the tile a multiple of " + Twine(64 * rows) + " rows and of " +
            Twine(8 * columns) +
            " columns: " + Twine(llvm::alignTo(shape[0], 64 * rows)) + " x " +
            Twine(llvm::alignTo(shape[1], 8 * columns)));
  return wgmmaD(shape[0], shape[1], rows, columns);
}

//===----------------------------------------------------------------------===//
// #titan.blocked<elements, lanes, warps>
//===----------------------------------------------------------------------===//

Result<Layout> BlockedAttr::getLayout(ArrayRef<int64_t> shape) const {
  size_t rank = shape.size();
  if (getElements().size() != rank || getLanes().size() != rank ||
      getWarps().size() != rank)
    return shapeProblem("#titan.blocked has one number a dimension in "
                        "elements, lanes and warps",
                        "write " + Twine(rank) + " numbers in each");
  // As many as a CTA, and as a warp, has on any target: the layout is computed
  // thread by thread, and products of more would not fit either.
  int64_t mostWarps = 0, mostLanes = 0;
  for (const TargetInfo &target : allTargets()) {
    mostWarps = std::max(mostWarps, target.maxThreadsPerCta / target.warpWidth);
    mostLanes = std::max<int64_t>(mostLanes, target.warpWidth);
  }
  auto among = [](ArrayRef<int64_t> counts, int64_t most) {
    int64_t product = 1;
    for (int64_t count : counts)
      product = count < 1 || count > most ? most + 1
                                          : std::min(product * count, most + 1);
    return product <= most;
  };
  if (!among(getWarps(), mostWarps))
    return shapeProblem("#titan.blocked is held by 1 to " +
                            std::to_string(mostWarps) + " warps",
                        "each number in warps is 1 or more, and together they "
                        "multiply to the warps that hold the tile");
  if (!among(getLanes(), mostLanes))
    return shapeProblem("#titan.blocked is held by 1 to " +
                            std::to_string(mostLanes) + " lanes of a warp",
                        "each number in lanes is 1 or more, and together they "
                        "multiply to the lanes of a warp");
  auto numbers = [](ArrayRef<int64_t> list) {
    return std::vector<int64_t>(list.begin(), list.end());
  };
  std::vector<int> order(rank);
  for (size_t d = 0; d < rank; ++d)
    order[d] = static_cast<int>(rank - 1 - d);
  return blocked(numbers(shape), numbers(getElements()), numbers(getLanes()),
                 numbers(getWarps()), order);
}

//===----------------------------------------------------------------------===//
// #titan.slice<dimension, parent>
//===----------------------------------------------------------------------===//

Result<Layout> SliceAttr::getLayout(ArrayRef<int64_t> shape) const {
  auto parent = dyn_cast<LayoutAttrInterface>(getParent());
  int64_t dimension = getDimension();
  if (!parent)
    return shapeProblem("#titan.slice<dimension, layout> needs a layout");
  if (dimension < 0 || dimension > static_cast<int64_t>(shape.size()))
    return shapeProblem("#titan.slice takes away dimension " +
                            Twine(dimension) + " of a tile of rank " +
                            Twine(shape.size() + 1),
                        "dimensions count from 0 to " + Twine(shape.size()));
  // Registers along the dimension vanish, so any extent that the parent takes
  // gives the same function.
  SmallVector<int64_t> whole(shape);
  whole.insert(whole.begin() + dimension, 1);
  std::optional<Problem> last;
  for (int64_t extent = 1; extent <= 4096; extent *= 2) {
    whole[dimension] = extent;
    Result<Layout> layout = parent.getLayout(whole);
    if (layout)
      return layout->withoutDim(static_cast<int>(dimension));
    last = layout.problem();
  }
  return *last;
}

//===----------------------------------------------------------------------===//
// #titan.layout<"...">
//===----------------------------------------------------------------------===//

Result<Layout> LayoutTextAttr::getLayout(ArrayRef<int64_t> shape) const {
  Result<Layout> layout =
      Layout::parse(std::string_view(getText().data(), getText().size()));
  if (!layout)
    return layout;
  if (!layout->isTile())
    return shapeProblem(
        "a register tile's layout has the axes reg, lane and warp");
  if (layout->axes().size() > 3)
    return shapeProblem("a register tile is held by the threads of one CTA: "
                        "its layout has no axis `cta`");
  if (layout->shape() != std::vector<int64_t>(shape.begin(), shape.end()))
    return shapeProblem("the layout's shape is not the tensor's",
                        "let the extents along each dimension multiply to the "
                        "tensor's size there");
  return layout;
}

//===----------------------------------------------------------------------===//
// #titan.schedule<...>; its syntax is in CopySyntax.cpp
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef text) {
  auto found = findSyntaxProblem(std::string_view(text));
  if (!found)
    return success();
  InFlightDiagnostic error = emitError();
  error << '[' << found->problem.code << "] " << found->problem.message
        << ", column " << found->place.offset + 1 << " of `" << text << '`';
  if (!found->problem.fix.empty())
    error.attachNote() << "fix: " << found->problem.fix;
  return error;
}

ScheduleAttr
ScheduleAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                         MLIRContext *context, StringRef text) {
  std::string laidOut = layOutSchedule(std::string_view(text));
  return Base::getChecked(emitError, context, StringRef(laidOut));
}

ScheduleAttr
ScheduleAttr::getChecked(function_ref<InFlightDiagnostic()> emitError,
                         MLIRContext *context, const TmaSchedule &schedule) {
  Result<std::string> text = writeSchedule(schedule);
  if (text)
    return getChecked(emitError, context, StringRef(*text));
  emitError() << '[' << text.problem().code << "] " << text.problem().message;
  return {};
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context, StringRef text) {
  return getChecked(mlir::detail::getDefaultDiagnosticEmitFn(context), context,
                    text);
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context,
                               const TmaSchedule &schedule) {
  return getChecked(mlir::detail::getDefaultDiagnosticEmitFn(context), context,
                    schedule);
}
