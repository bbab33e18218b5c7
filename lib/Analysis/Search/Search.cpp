//===- Search.cpp - which launches and counts are run ---------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "titan/Dialect/Titan/Letters.h"

#include "Bounds.h"
#include "Execution.h"

using namespace mlir;
using namespace titan;
using namespace titan::checker;

Search::Search(KernelOp kernel, const CheckOptions &options, bool impossible,
               Report &report, CheckReport &result)
    : kernel(kernel), impossible(impossible),
      cumulativeFences(options.strictness.level == Strictness::Level::Off),
      report(report), result(result),
      effort(options.searchSteps.value_or(bound::searchSteps)),
      instantiator(kernel, effort), choices(instantiator.survey()),
      periods(instantiator, report, effort), sharing(effort) {
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    effect::EffectList effects;
    op.getHardwareEffects(effects);
    for (const effect::Effect &effect : effects)
      flags |= std::holds_alternative<effect::WaitFlag>(effect.what);
  });
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

void Search::execute(const Program &program) {
  executed = true;
  result.events += program.events();
  Execution(program, instantiator.footprints, report, effort, cumulativeFences)
      .run();
  if (!effort.usedUp())
    for (const AgentProgram &code : program.programs)
      for (const Event &event : code.events)
        lookedAt.insert(event.op);
  if (report.list.size() == shown)
    return;
  shown = report.list.size();
  if (progress)
    progress();
}

static std::string describeCounts(ArrayRef<Choice> choices,
                                  ArrayRef<int64_t> counts) {
  std::string text;
  for (auto [choice, count] : llvm::zip(choices, counts)) {
    if (count == Instantiator::any)
      continue;
    text += text.empty() ? "" : ", ";
    text += choice.name +
            (choice.kind == Choice::Loop    ? " " + std::to_string(count)
             : choice.kind == Choice::Value ? " at " + std::to_string(count)
             : count                        ? " taken"
                                            : " not taken");
  }
  return text.empty() ? "no loop of unknown count" : text;
}

/// False: no launch was found that has these outcomes together.
bool Search::look(const Outcomes &wanted) {
  // A cluster beside the first shows conflicts in global memory. Few
  // iterations are enough for that, unless more of them show others.
  bool few = llvm::all_of(wanted, [](int64_t n) { return n <= 2; });
  bool found = false, run = false;
  wholeGrid |= instantiator.besides().empty();
  auto once = [&](const Program &program) {
    execute(program);
    run = true;
  };
  // A flag may be signalled by any CTA, so all of them are looked at.
  if (flags && !instantiator.besides().empty()) {
    for (int clusters = 1; clusters <= bound::flagClusters; ++clusters)
      for (int beside : instantiator.besides())
        if (auto program =
                instantiator.instantiate(wanted, beside, clusters, true)) {
          sharing.add(*program, instantiator.footprints);
          once(*program);
        }
    if (run && !effort.usedUp())
      result.counts.push_back(describeCounts(choices, wanted));
    return run;
  }
  for (int beside : instantiator.besides())
    if (auto program = instantiator.instantiate(wanted, beside, 2)) {
      found = true;
      if (sharing.add(*program, instantiator.footprints) || few)
        once(*program);
    } else if (!instantiator.problems.empty())
      return false;
  if (!run)
    if (auto program = instantiator.instantiate(wanted, 0, 1)) {
      found = true;
      sharing.add(*program, instantiator.footprints);
      once(*program);
    }
  if (found && !effort.usedUp())
    result.counts.push_back(describeCounts(choices, wanted));
  return found;
}

void Search::unreached(Operation *op, const Twine &message, bool ofCounts) {
  // That is why.
  if (impossible || effort.usedUp() || (!executed && instantiator.gaveUp))
    return;
  Finding *finding = report.add(Code::Undecided, op, nullptr, message);
  if (!finding)
    return;
  // (That all launches are right says nothing where there may be none.)
  finding->ofCounts = ofCounts && executed;
  finding->fix =
      "say in the launch region, by titan.require, what the sizes have to "
      "be (a divisibility, a bound): the search for launches keeps to it; "
      "or accept with titan.trusted {code, reason}; or --undecided=warning";
  auto refusal = instantiator.refusal();
  if (!refusal)
    return;
  RequireOp check = refusal->check;
  finding->message += "; of " + std::to_string(refusal->tried) +
                      " launches tried a launch check refuses " +
                      std::to_string(refusal->refused) + ": [" +
                      check.getCode().str() + "] " + check.getMessage().str();
  finding->others.push_back({check.getLoc(), "the launch check is of this"});
  if (auto fix = check.getFix())
    finding->fix = fix->str() + "; or " + finding->fix;
}

//===----------------------------------------------------------------------===//
// Which outcomes
//===----------------------------------------------------------------------===//

/// Outcomes of a branch or a value that some launch may have.
std::vector<int64_t> Search::possible(size_t number) const {
  std::vector<int64_t> values;
  for (int64_t value : choices[number].values)
    if (!instantiator.impossible(number, value))
      values.push_back(value);
  return values;
}

/// All combinations that are tried: for up to two loops all pairs; beyond that
/// all pairs of any two that depend on different sizes, the others running
/// twice. Branches and values: all together; `tooMany` when that is more than
/// can be tried. What the sizes of the loops decide is left as they decide it
/// (and has to come up with each outcome, all the same).
std::vector<Search::Outcomes> Search::combinations() {
  std::vector<size_t> loops, others, dependent;
  uint64_t decided = 0;
  size_t count =
      llvm::count_if(choices, [](const Choice &c) { return c.loop(); });
  for (auto [i, choice] : llvm::enumerate(choices)) {
    if (!choice.loop())
      continue;
    bool free = count <= 2 || (instantiator.parametersOf(i) & ~decided);
    decided |= instantiator.parametersOf(i);
    (free ? loops : dependent).push_back(i);
  }
  std::vector<Outcomes> result;
  Outcomes base(choices.size(), Instantiator::any);
  for (size_t loop : loops)
    base[loop] = 2;
  for (auto [i, choice] : llvm::enumerate(choices))
    if ((choice.kind == Choice::Branch && !choice.error) ||
        (choice.kind == Choice::Value &&
         (instantiator.parametersOf(i) & ~decided)))
      others.push_back(i);
  if (loops.empty())
    result.push_back(base);
  else if (loops.size() == 1)
    for (int64_t value : periods.triesOf(loops[0])) {
      result.push_back(base);
      result.back()[loops[0]] = value;
    }
  else
    for (size_t i = 0; i < loops.size(); ++i)
      for (size_t j = i + 1; j < loops.size(); ++j)
        for (auto [some, others] :
             {std::pair(periods.triesOf(loops[i]), periods.fewOf(loops[j])),
              std::pair(periods.fewOf(loops[i]), periods.triesOf(loops[j]))})
          for (int64_t x : some)
            for (int64_t y : others) {
              result.push_back(base);
              result.back()[loops[i]] = x;
              result.back()[loops[j]] = y;
            }
  for (size_t loop : dependent)
    for (int64_t value : periods.triesOf(loop)) {
      result.push_back(Outcomes(choices.size(), Instantiator::any));
      result.back()[loop] = value;
    }
  // What comes behind a loop finds its rings where the rest of its count by its
  // period has left them.
  for (auto [number, choice] : llvm::enumerate(choices)) {
    if (!choice.loop())
      continue;
    int64_t period = periods.of(number, choice.op);
    for (int64_t rest = 1; rest < period && period <= bound::restsOfPeriod;
         ++rest) {
      result.push_back(Outcomes(choices.size(), Instantiator::any));
      result.back()[number] = period + rest;
    }
  }
  llvm::erase_if(result, [&](const Outcomes &combination) {
    return llvm::any_of(loops, [&](size_t loop) {
      return combination[loop] != Instantiator::any &&
             instantiator.impossible(loop, combination[loop]);
    });
  });
  for (size_t other : others) {
    std::vector<int64_t> sides = possible(other);
    if (sides.empty())
      sides.push_back(Instantiator::any);
    if (result.size() * sides.size() > size_t(bound::mostCombinations)) {
      tooMany = true;
      sides.resize(1);
    }
    std::vector<Outcomes> all;
    for (const Outcomes &combination : result)
      for (int64_t side : sides) {
        all.push_back(combination);
        all.back()[other] = side;
      }
    result = std::move(all);
  }
  return result;
}

/// Choices that only some outcome of others leads to come up on the way.
void Search::runCombinations() {
  std::set<Outcomes> tried;
  for (size_t known = 0, round = 0; goesOn() && round < bound::choiceRounds &&
                                    (!round || known != choices.size());
       ++round) {
    for (size_t number = 0; number < choices.size(); ++number)
      if (choices[number].loop())
        periods.of(number, choices[number].op);
    known = choices.size();
    for (const Outcomes &wanted : combinations()) {
      if (tried.insert(wanted).second)
        look(wanted);
      if (!goesOn())
        break;
    }
  }
}

/// Outcomes of a choice that no combination has shown.
void Search::runOutcomes(size_t number) {
  int64_t largest = 0;
  std::vector<int64_t> outcomes = choices[number].values;
  if (choices[number].loop()) {
    outcomes = {0, 1};
    largest = 2 * periods.of(number, choices[number].op) + 1;
    largest = std::min(largest, instantiator.mostIterations(number));
    for (int64_t more = 0; more <= std::min(largest, bound::beyondLargest);
         ++more)
      outcomes.push_back(largest + more);
  }
  bool most = false;
  for (int64_t outcome : outcomes) {
    auto covered = [&] {
      const std::set<int64_t> &seen = instantiator.covered(number);
      if (choices[number].loop() && outcome > 1)
        most = most || (!seen.empty() && *seen.rbegin() >= largest);
      return seen.contains(outcome) || most;
    };
    if (covered() || instantiator.impossible(number, outcome))
      continue;
    // What decides a number decides its own loop; those around it run.
    auto isOther = [&](size_t i) {
      return choices[i].kind != Choice::Value && !choices[i].error &&
             !(choices[number].kind == Choice::Value && choices[i].loop() &&
               (instantiator.parametersOf(i) &
                instantiator.parametersOf(number)));
    };
    auto found = [&](llvm::function_ref<int64_t(size_t)> wish) {
      std::vector<int64_t> wanted;
      for (size_t i = 0; i < choices.size(); ++i)
        wanted.push_back(i == number ? outcome : wish(i));
      look(wanted);
      return covered() || !goesOn();
    };
    auto any = [](size_t) { return Instantiator::any; };
    auto twice = [&](size_t i) {
      return std::min<int64_t>(2, instantiator.mostIterations(i));
    };
    auto all = [&](int64_t branch) {
      return found([&](size_t i) {
        return !isOther(i)         ? Instantiator::any
               : choices[i].loop() ? twice(i)
                                   : branch;
      });
    };
    if (!found(any) && !all(1) && !all(0))
      // CTAs of a cluster may run one loop more and less often.
      for (size_t one = 0; one < choices.size(); ++one)
        if (choices[one].loop() && isOther(one) && found([&](size_t i) {
              return i == one ? twice(i) : Instantiator::any;
            }))
          break;
    if (!goesOn())
      return;
    if (!covered() && !choices[number].error &&
        (!choices[number].loop() || outcome <= 1))
      unreached(choices[number].op,
                choices[number].loop()
                    ? "no launch was found under which this loop runs " +
                          Twine(outcome) + " times, and none was excluded"
                : choices[number].kind == Choice::Value
                    ? "no launch was found under which what '" +
                          Twine(choices[number].name) + "' decides here is " +
                          Twine(outcome) + ", and none was excluded"
                    : Twine("no launch was found under which this branch is ") +
                          (outcome ? "" : "not ") +
                          "taken, and none was excluded");
  }
  if (choices[number].loop() && instantiator.problems.empty() && !most &&
      largest > 1 && !instantiator.covered(number).contains(largest))
    unreached(choices[number].op,
              "no sizes were found under which this loop runs " +
                  Twine(largest) + " times or more");
}

/// Iterations far behind those: where a place goes on by its steps, and meets
/// another one.
void Search::runFarIterations() {
  for (size_t number = 0; goesOn() && number < choices.size(); ++number) {
    if (!choices[number].loop())
      continue;
    auto program = instantiator.longRun(number, bound::steppedIterations);
    if (!program)
      continue;
    for (const Sharing::PossibleConflict &pair : sharing.possibleConflicts(
             *program, instantiator.footprints, instantiator.loopsOf(number),
             bound::steppedIterations,
             std::min(instantiator.mostIterations(number),
                      bound::farthestIteration))) {
      Outcomes wanted(choices.size(), Instantiator::any);
      wanted[number] = pair.last + 1;
      if (!sharing.haveMet(pair))
        look(wanted);
    }
  }
}

//===----------------------------------------------------------------------===//
// Whole launches
//===----------------------------------------------------------------------===//

/// Sizes grow with the grid, and places with them: a larger one is looked at,
/// or it is the only one.
void Search::findConflicts(const Program &program, int dimension) {
  auto [least, most] = instantiator.clustersAlong(dimension);
  if (program.clusters > 2)
    possibleConflicts[dimension] = sharing.possibleConflicts(
        program, instantiator.footprints, most,
        least == most ? most : std::min(most, bound::farthestCluster));
}

/// False: it cannot be followed, for a problem of the instantiator's, or the
/// effort is used up.
bool Search::runLaunch(const SmallLaunch &launch) {
  ++looked;
  ++idle;
  auto cluster = kernel.getClusterShape();
  bool executed = false, found = false;
  // Where data decides how often a loop runs, few CTAs have most to do: each is
  // executed, with data of each kind.
  do {
    const size_t amounts = instantiator.amountPieces();
    auto program = instantiator.instantiate(launch);
    if (instantiator.tooLong) {
      found = true;
      std::string what = launch.name + ": it has more than " +
                         std::to_string(bound::launchEvents) +
                         " events, or a warp of it executes more than " +
                         std::to_string(bound::mostSteps) + " operations";
      if (!llvm::is_contained(result.skipped, what))
        result.skipped.push_back(std::move(what));
      break;
    }
    if (!program && instantiator.problems.empty())
      continue;
    if (!program)
      return false;
    found = true;
    bool fresh = sharing.add(*program, instantiator.footprints);
    for (int d : instantiator.besides())
      if (launch.clusters == launch.grid[d] / cluster[d])
        findConflicts(*program, d);
    fresh |= instantiator.amountPieces() > amounts;
    if (fresh)
      idle = 0;
    if (fresh || (!instantiator.unseen.empty() &&
                  dataEvents <= uint64_t(bound::launchEvents))) {
      executed = true;
      execute(*program);
    }
    dataEvents += program->events();
  } while (!instantiator.unseen.empty() && instantiator.turned() &&
           dataEvents <= uint64_t(bound::launchEvents));
  if (effort.usedUp())
    return false;
  if (!found) {
    --looked, --idle;
    result.skipped.push_back(
        launch.name + ": no data was found that keeps what titan.assume says; "
                      "of a launch that has none there is nothing to look at");
  }
  if (executed)
    result.launches.push_back(launch.name);
  return true;
}

bool Search::runUnmasked(ArrayRef<SmallLaunch> launches) {
  const unsigned before = idle;
  for (const SmallLaunch &launch : launches)
    if (!runLaunch(launch))
      return false;
  idle = before;
  return true;
}

/// Looks at all CTAs of small launches, until some in a row have shown nothing
/// that was not seen before. The report gets what cannot be accepted for want
/// of a launch that shows it.
void Search::runLaunches() {
  unsigned larger = 0;
  std::set<std::pair<int64_t, int64_t>> planes;
  std::vector<SmallLaunch> unmasked;
  for (auto [least, most] :
       {std::pair(int64_t(2), bound::smallLaunch),
        std::pair(bound::smallLaunch + 1, bound::largerLaunch)})
    for (const SmallLaunch &launch : instantiator.launches(least, most)) {
      // Grids of two dimensions: 2 x 2, 2 x 3 and 3 x 2 in any case.
      bool plane = launch.grid[0] > 1 && launch.grid[1] * launch.grid[2] > 1 &&
                   planes.insert({launch.grid[0], launch.grid[1]}).second;
      bool enough =
          least > 2 ? larger++ >= bound::largerLaunches
                    : idle >= (sharing.channels() ? bound::idleChannelLaunches
                                                  : bound::idleLaunches);
      if (!plane && !launch.tight && enough)
        continue;
      if (!runLaunch(launch))
        return;
      llvm::append_range(unmasked, instantiator.unmasked(launch));
    }
  // (Behind all of the small ones, which go on as long as they show what is new.)
  if (unmasked.size() > size_t(bound::unmaskedLaunches))
    unmasked.resize(bound::unmaskedLaunches);
  if (!runUnmasked(unmasked))
    return;
  // Multiples of what launch checks ask for, where those that were tried let no
  // CTA come to what it reads (0 is one of 16, and masks all).
  if (!sharing.unexplained().empty())
    for (const SmallLaunch &launch :
         instantiator.launches(2, bound::smallLaunch, /*fitted=*/true)) {
      if (!runLaunch(launch))
        return;
      if (sharing.unexplained().empty())
        break;
    }
  // Larger ones, where ids of CTAs are divided, say, by more.
  std::vector<Operation *> rest = instantiator.onePiece(),
                           amounts = instantiator.oneAmount();
  if (!rest.empty() || !amounts.empty())
    for (const SmallLaunch &launch : instantiator.launches(
             bound::largerLaunch + 1, bound::farthestCluster)) {
      if (!runLaunch(launch) || !runUnmasked(instantiator.unmasked(launch)))
        return;
      rest = instantiator.onePiece();
      amounts = instantiator.oneAmount();
      if (rest.empty() && amounts.empty())
        break;
    }
  for (Operation *op : amounts)
    if (Finding *finding = report.add(
            Code::Undecided, op, nullptr,
            Twine("what this waits for is computed by a quotient, a "
                  "remainder or a minimum, and the ") +
                Twine(looked) +
                " launches that were looked at as a whole show one piece of it "
                "alone"))
      finding->ofCounts = true;
  for (Operation *op : rest)
    if (Finding *finding = report.add(
            Code::Undecided, op, nullptr,
            "this computes with the id of a CTA, and in the " + Twine(looked) +
                " launches that were looked at as a whole the grids are too "
                "small to show more than one of its pieces"))
      finding->ofCounts = true;
  if (!runFarClusters())
    return;
  for (Operation *op : sharing.unexplained())
    report.add(Code::Undecided, op, nullptr,
               Twine("other CTAs may write what this reads, and among the ") +
                   Twine(looked) +
                   " small launches that were looked at none shows which");
}

/// Where some text was not executed: who wrote it says by titan.example what does.
void Search::runExample() {
  if (!firstUnreached())
    return;
  auto example = instantiator.exampleLaunch();
  if (!example)
    return;
  if (auto program = instantiator.instantiate(*example)) {
    sharing.add(*program, instantiator.footprints);
    execute(*program);
    if (!effort.usedUp())
      result.launches.push_back(example->name);
  }
}

/// A proof is enough where all of the text was executed: the launch of titan.example
/// and small ones execute what the combinations have not come to, each in as many
/// steps again.
void Search::runText() {
  const uint64_t again = effort.allowed();
  effort.allow(again);
  auto run = [&](const Program &program) {
    sharing.add(program, instantiator.footprints);
    execute(program);
  };
  runExample();
  effort.allow(again);
  for (auto [least, most] :
       {std::pair(int64_t(2), bound::smallLaunch),
        std::pair(bound::smallLaunch + 1, bound::largerLaunch),
        std::pair(bound::largerLaunch + 1, bound::farthestCluster)})
    for (const SmallLaunch &launch : instantiator.launches(least, most)) {
      if (!firstUnreached() || !goesOn())
        return;
      for (const auto &program : instantiator.instantiateAtBounds(launch))
        run(*program);
      // With data of each kind, where there are few CTAs.
      while (firstUnreached() && goesOn() && most <= bound::largerLaunch) {
        if (auto program = instantiator.instantiate(launch))
          run(*program);
        if (!instantiator.turned())
          break;
      }
    }
}

/// Launches that show who meets further on. False: one cannot be followed.
bool Search::runFarClusters() {
  // Grids that are too large to be looked at as a whole: some clusters of a
  // line.
  std::vector<int64_t> chance(choices.size(), Instantiator::any);
  for (int d : instantiator.besides())
    if (auto [least, most] = instantiator.clustersAlong(d);
        least == most && !possibleConflicts.contains(d))
      if (auto program =
              instantiator.instantiate(chance, d, bound::steppedClusters))
        findConflicts(*program, d);
  const auto firstConflicts = possibleConflicts; // Looking finds others.
  for (auto &[dimension, list] : firstConflicts)
    for (const Sharing::PossibleConflict &pair : list) {
      unsigned tried = 0;
      if (pair.last < bound::farthestCluster && !sharing.haveMet(pair))
        for (const SmallLaunch &launch :
             instantiator.launches(pair.last + 1, bound::farthestCluster)) {
          if (tried++ == bound::meetingLaunches || sharing.haveMet(pair))
            break;
          if (!runLaunch(launch) || !runUnmasked(instantiator.unmasked(launch)))
            return false;
        }
      auto [least, most] = instantiator.clustersAlong(dimension);
      if (tried || sharing.haveMet(pair) || (pair.apart && least != most))
        continue;
      std::string where = std::to_string(pair.last);
      if (Finding *finding = report.add(
              Code::Undecided, pair.first, pair.second,
              (pair.apart ? "this and another operation of another CTA touch "
                            "the same bytes where one of the two is number "
                          : "this and another operation of the CTA touch the "
                            "same bytes in number ") +
                  where + (dimension ? " along dimension " : "") +
                  (dimension ? std::to_string(dimension) : "") +
                  " of the grid, and in none of the launches that were looked "
                  "at as a whole"))
        finding->others.push_back(
            {pair.second->getLoc(), "the other operation"});
    }
  return true;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

void Search::tellUsedUp(uint64_t most) {
  result.usedUp = true;
  const std::string steps = std::to_string(most);
  result.skipped.push_back("what the search would have come to after its " +
                           steps + " steps");
  Operation *first = firstUnreached();
  if (Finding *finding = report.add(
          Code::Undecided, kernel.getLaunchOp(), nullptr,
          "the search has used up its " + Twine(steps) +
              " steps: it has looked at " + Twine(result.counts.size()) +
              " combinations of counts and outcomes and at " +
              Twine(result.launches.size()) +
              " whole launches, and not at the rest" +
              (first ? "; nothing that it has looked at executes '" +
                           first->getName().getStringRef() + "'" +
                           inLine(first->getLoc())
                     : std::string()))) {
    finding->ofCounts = !first;
    finding->fix =
        "let it go on by --search-steps=N, or N=off; or what is proved is "
        "accepted all the same (--proof); or let fewer sizes and arguments "
        "decide, or bound them by titan.require; or --undecided=warning";
  }
}

Operation *Search::firstUnreached() {
  Operation *first = nullptr;
  kernel.getBody().walk([&](HardwareEffectsInterface op) {
    if (op->getNumRegions() || lookedAt.contains(op) || instantiator.isDead(op))
      return WalkResult::advance();
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

void Search::run() {
  runCombinations();
  for (size_t number = 0; goesOn() && number < choices.size(); ++number)
    runOutcomes(number);
  if (tooMany)
    if (Finding *finding = report.add(
            Code::Undecided, choices.back().op, nullptr,
            "so many branches and values depend on sizes and arguments that "
            "not all of their combinations were tried"))
      finding->ofCounts = true;
  runFarIterations();
  if (goesOn() && !wholeGrid)
    runLaunches();
  const uint64_t most = effort.allowed();
  if (effort.usedUp()) {
    runText();
    return tellUsedUp(most);
  }
  if (!followed())
    return;
  if (!executed)
    unreached(kernel.getLaunchOp(),
              "no launch was found that the launch region admits (its checks, "
              "and a grid of CTAs as the device has them)");
  // Nor has what was never reached: a proof leaves to the search what hangs neither on
  // sizes nor on iterations.
  runExample();
  if (effort.usedUp())
    return tellUsedUp(most);
  if (Operation *op = firstUnreached())
    unreached(op, "no sizes were found under which this is executed",
              /*ofCounts=*/false);
  for (Operation *op : instantiator.oneSided(periods.most()))
    report.add(Code::Undecided, op, nullptr,
               "only one side of this branch was ever taken, whatever the "
               "sizes");
}

void Search::close() {
  if (sharing.truncated())
    result.skipped.push_back("some pairs of places in global memory that CTAs "
                             "or iterations further on may share: there are "
                             "more than " +
                             std::to_string(bound::mostPairs));
  llvm::append_range(result.skipped, instantiator.unseen);
  result.assumed = instantiator.pitches();
  for (auto [number, period] : periods.found())
    result.periods.push_back(choices[number].name + " " +
                             std::to_string(period));
  for (auto [number, choice] : llvm::enumerate(choices))
    if (choice.loop() && instantiator.impossible(number, 0))
      result.counts.push_back(choice.name + " is never 0: no launch allows it");
  for (const Problem &problem : instantiator.problems) {
    if (impossible && problem.code == Code::Undecided)
      continue;
    if (Finding *finding =
            report.add(problem.code, problem.op, nullptr, problem.message))
      finding->fix = problem.fix;
  }
  // What is read in a mailbox was taken for what was posted (titan::followLetters).
  kernel.getBody().walk([&](Operation *read) {
    if (!letterOf(read) || !read->getNumResults())
      return WalkResult::advance();
    if (Finding *finding =
            report.add(Code::Undecided, read, nullptr,
                       "which letter this reads is not followed: that it is "
                       "the one of its slot's number only the proof shows")) {
      finding->fix = "a kernel that is proved";
      finding->ofCounts = true;
    }
    return WalkResult::interrupt();
  });
  for (const Problem &gap : instantiator.gaps)
    if (Finding *finding = report.add(gap.code, gap.op, nullptr, gap.message)) {
      finding->fix = gap.fix;
      finding->ofCounts = gap.ofCounts;
    }
}
