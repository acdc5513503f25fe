#pragma once

#include <cstddef>
#include <string>

#include <weir/weir.hpp>

#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::testing {

// S-Net's own programs. Their results are known, so lost, doubled or mixed up records are noticed.
class a_program : public gives_all_back {
 protected:
  // Calls `body` with the options of every machine and capacity that a program must run with.
  template <class Body>
  static void everywhere(Body body) {
    for (const char* cores : {"core:1 pu:1", "core:2 pu:1", "core:8 pu:1", "package:4 core:16 pu:1"})
      for (const std::size_t capacity : {1, 0}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
        options o;
        o.machine = machine::synthetic(cores);
        o.capacity = capacity;
        body(o);
      }
  }
};

// Nothing was dropped, nothing failed, and no synchrocell keeps a record.
inline void expect_nothing_left(const run_report& report) {
  EXPECT_EQ(report.dropped, 0u);
  EXPECT_EQ(report.failed, 0u);
  EXPECT_EQ(report.held, 0u);
}

// A number that looks random and is the same on every machine.
inline std::uint64_t scrambled(std::int64_t value) {
  std::uint64_t z = static_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace weir::testing
