#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/work.hpp"

// The fixture of tests of reports, with runs to report of.
namespace weir::report_test {

using namespace testing;

class a_report : public gives_all_back {};

inline options four_cores() {
  options o;
  o.machine = machine::synthetic("core:4 pu:1");
  return o;
}

// Work of v units of about a microsecond.
inline std::int64_t work(std::int64_t v) {
  spend(1000 * v);
  return v;
}

inline const component_report& of(const run_report& r, const std::string& name) {
  for (const component_report& c : r.components)
    if (c.name == name) return c;
  throw std::out_of_range("no component " + name);
}

// For 0 .. count-1: "even" drops odd numbers, "twice" doubles, and every tenth of the rest fails in "fails".
inline network counted() {
  return box("work", takes(n), gives(n), [](std::int64_t v) { return work(v % 8); }) >>
         box("count", takes(k), gives(k), plus_one) >>
         box("even", takes(k), gives(k), [](std::int64_t v) { return v % 2 ? std::nullopt : std::optional(v); }) >>
         box("twice", takes(k), gives(k),
             [](std::int64_t v, emitter& emit) {
               emit(k = v);
               emit(k = v);
             }) >>
         box("fails", takes(k), gives(k),
             [](std::int64_t v) {
               if (v % 20 == 0) throw std::runtime_error("a multiple of 20");
               return v;
             }) >>
         box("count", takes(k), gives(k), plus_one);
}

// The observations that a run told.
struct seen {
  std::mutex mutex;
  std::map<std::string, std::vector<observation>> by_component;
};
inline void collect_into(seen& all, options& o) {
  o.on_observation = [&all](std::string_view component, const observation& what) {
    const std::lock_guard lock(all.mutex);
    all.by_component[std::string(component)].push_back(what);
  };
}

}  // namespace weir::report_test
