#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#include <weir/weir.hpp>

#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

// The fixture of tests of large networks, and their labels.
namespace weir::size_test {

using testing::gives_all_back;
using testing::sanitized;
using testing::slow;

inline constexpr std::array<const char*, 3> machines{"core:1 pu:1", "core:2 pu:1", "core:8 pu:1"};

inline constexpr tag n{"n"}, k{"k"}, number{"number"}, count{"count"}, left{"left"};
inline constexpr tag st{"st"}, in{"in"}, out{"out"};
inline constexpr field<std::int64_t> A{"A"}, B{"B"};

class sizes : public gives_all_back {
 protected:
  // Sends `records` records made by `make` from a separate thread, and shows each result to `see`. Nothing fails.
  template <class Make, class See>
  static run_report pass(const network& net, const options& o, std::int64_t records, Make make, See see) {
    execution run = start(net, o);
    {
      const std::jthread sender([&] {
        try {
          for (std::int64_t i = 0; i < records; ++i) run.send(make(i));
          run.close();
        } catch (const std::exception& e) {
          ADD_FAILURE() << e.what();
        }
      });
      try {
        for (const record& r : run) see(r);
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
      }
    }
    const run_report report = run.report();
    EXPECT_EQ(report.failed + report.dropped, 0u) << to_string(net);
    return report;
  }

  // On every machine, with streams of capacity 1 and of automatic capacity.
  template <class Use>
  static void everywhere(Use use) {
    for (const char* cores : machines)
      for (const std::size_t capacity : {0, 1}) {
        SCOPED_TRACE(std::string(cores) + ", capacity " + std::to_string(capacity));
        options o;
        o.machine = machine::synthetic(cores);
        o.capacity = capacity;
        use(o);
        if (HasFatalFailure()) return;
      }
  }

  static options on(const char* cores) {
    options o;
    o.machine = machine::synthetic(cores);
    return o;
  }
};

}  // namespace weir::size_test
