//===- Trace.cpp - a run as a Chrome trace --------------------------------===//
//
// Part of TITAN, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Trace.h"

#include "titan/Runtime/File.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace titan;
using namespace titan::sim;

/// Threads of a CTA beyond its warps: its engines.
static constexpr uint64_t firstEngine = 100;

void Trace::operation(const Agent &agent, const Inst &inst, uint64_t begin,
                      uint64_t end) {
  auto key = std::make_pair(agent.cta.number, uint64_t(agent.warp));
  if (!threads.count(key))
    threads[key] = "warp " + std::to_string(agent.warp);
  events.push_back({inst.origin->getName().getStringRef().str(),
                    placeOf(inst.origin->getLoc()), key.first, key.second,
                    begin, end});
}

void Trace::work(const Work &work, uint64_t end) {
  uint64_t thread = firstEngine + static_cast<uint64_t>(work.engine);
  threads.try_emplace({work.cta->number, thread},
                      std::string(engineInfo(work.engine).name));
  events.push_back({work.inst->origin->getName().getStringRef().str(),
                    placeOf(work.inst->origin->getLoc()), work.cta->number,
                    thread, work.issued, end});
}

std::optional<std::string> Trace::write() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (auto &[key, name] : threads)
        json.object([&] {
          json.attribute("name", "thread_name");
          json.attribute("ph", "M");
          json.attribute("pid", number(key.first));
          json.attribute("tid", number(key.second));
          json.attributeObject("args", [&] { json.attribute("name", name); });
        });
      for (const Event &event : events)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("ph", "X");
          json.attribute("pid", number(event.cta));
          json.attribute("tid", number(event.thread));
          json.attribute("ts", number(event.begin));
          json.attribute(
              "dur", number(std::max(event.end - event.begin, uint64_t(1))));
          json.attributeObject("args",
                               [&] { json.attribute("place", event.place); });
        });
    });
  });
  if (auto written = runtime::writeFile(path, text); !written)
    return written.error().place + ": " + written.error().message;
  return std::nullopt;
}
