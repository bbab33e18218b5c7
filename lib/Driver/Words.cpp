//===- Words.cpp - what LLVM's command line takes in silence --------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Words.h"

#include "titan/Target/NearestWord.h"
#include "llvm/Support/CommandLine.h"

using namespace titan;
namespace cl = llvm::cl;

BadWords titan::describeUnreadable(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty())
    return {"the command line cannot be read", ""};
  llvm::StringRef line = lines.front();
  line.consume_front("titan: ");
  line = line.split("  Try: ").first.rtrim();
  // The nearest flag, where it is near: at most a third of it is otherwise.
  std::string fix;
  for (llvm::StringRef other : lines) {
    llvm::StringRef near =
        other.split("Did you mean '").second.split('\'').first;
    llvm::StringRef word = line.split('\'').second.split('\'').first;
    // It repeats the value, which was given as it should be.
    llvm::StringRef name = near.split('=').first.ltrim('-');
    word = word.split('=').first.ltrim('-');
    if (!name.empty() && 3 * name.edit_distance(word) <= name.size())
      fix = ("did you mean " + near + "?").str();
  }
  // Another command may have it.
  llvm::StringRef flag =
      line.split('\'').second.split('\'').first.split('=').first.ltrim('-');
  std::string of;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!command->getName().empty() && command->OptionsMap.count(flag))
      of += (of.empty() ? "titan " : ", titan ") + command->getName().str();
  if (fix.empty() && !of.empty())
    fix = (flag.size() == 1 ? "-" : "--") + flag.str() + " is a flag of " + of;
  return {line.str(), fix};
}

/// Of a flag that takes one.
static std::string hasNoValue(llvm::StringRef flag) {
  return (flag + " has no value").str();
}

std::string titan::findMisread(llvm::StringRef command,
                               llvm::ArrayRef<const char *> words) {
  for (cl::SubCommand *sub : cl::getRegisteredSubcommands()) {
    if (sub->getName() != command)
      continue;
    auto &flags = cl::getRegisteredOptions(*sub);
    // The library adds these to each command as it parses.
    std::vector<std::string_view> names = {"help", "help-hidden", "help-list",
                                           "help-list-hidden"};
    size_t ofLibrary = names.size();
    for (auto &[name, flag] : flags)
      names.emplace_back(std::string_view(name));
    const cl::Option *before = nullptr;
    for (llvm::StringRef word : words.drop_front()) {
      if (word == "--")
        break;
      bool isValue = before;
      before = nullptr;
      if (isValue || !word.starts_with("-"))
        continue;
      auto [name, value] = word.ltrim('-').split('=');
      auto flag = flags.find(name);
      if (flag != flags.end()) {
        if (flag->second->getValueExpectedFlag() == cl::ValueRequired &&
            !word.contains('='))
          before = flag->second;
      } else if (name.size() > 1 &&
                 (name.front() == 'h' || flags.contains(name.take_front())) &&
                 !llvm::is_contained(
                     llvm::ArrayRef(names).take_front(ofLibrary),
                     std::string_view(name))) {
        std::string text =
            ("Unknown command line argument '" + word + "'.").str();
        if (auto near = nearestWord(std::string_view(name), names);
            !near.empty())
          text += "\nDid you mean '--" + std::string(near) +
                  (value.empty() ? "" : "=" + value.str()) + "'?";
        return text;
      }
    }
    if (before)
      return hasNoValue(words.back());
  }
  return {};
}

std::string titan::findCareless(llvm::ArrayRef<const char *> words) {
  for (llvm::StringRef word : words.drop_front()) {
    if (word.empty())
      return "an argument is empty";
    if (word.starts_with("-") && word.find('=') == word.size() - 1)
      return hasNoValue(word.drop_back());
  }
  for (cl::SubCommand *sub : cl::getRegisteredSubcommands())
    if (*sub && sub != &cl::SubCommand::getTopLevel())
      for (auto &[name, option] : cl::getRegisteredOptions(*sub))
        if (option->getNumOccurrencesFlag() == cl::Optional &&
            option->getNumOccurrences() > 1)
          return ((name.size() > 1 ? "--" : "-") + name +
                  " is given a second time")
              .str();
  return {};
}
