#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/gives_all_back.hpp"

// Helpers for the tests of streams.
namespace weir::testing {

inline options on(const std::string& cores, std::size_t capacity = 0) {
  options o;
  o.machine = machine::synthetic(cores);
  o.capacity = capacity;
  return o;
}

inline network counting(const std::string& name) { return box(name, takes(n), gives(n), plus_one); }

// A box that holds every record until the gate is opened.
inline network gated(gate& g, const std::string& name = "gated") {
  return box(name, takes(n), gives(n), [&g](std::int64_t v) {
    g.pass();
    return v;
  });
}

inline void expect_counts_add_up(const run_report& r) {
  EXPECT_EQ(r.sent, r.results + r.failed + r.dropped)
      << "every record that was taken is a result, failed or was dropped:\n"
      << r.full();
}

class a_stream : public gives_all_back {};

}  // namespace weir::testing
