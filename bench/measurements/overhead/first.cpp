// The first records of a run through a chain: nothing was observed before, and at first nothing is fused.

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measurements/overhead/chain.hpp"
#include "bench/measurements/overhead/row.hpp"

namespace weir::overhead {

// From when the source is called. A run through 10^5 boxes is over before any of them is fused.
std::vector<row> first_rows() {
  using namespace chain;
  std::vector<row> rows;
  for (const auto& [k, records] : {std::pair{100, 1000}, {1000, 1000}, {100000, 20}}) {
    const auto add = [&](const std::string& impl, std::function<sample(std::int64_t)> run) {
      rows.push_back({"first", fmt::format("k={}", k), impl, std::move(run)});
      rows.back().records = records;
      rows.back().is_paced = false;
      if (k == 100000) rows.back().rounds = 5;
    };
    constexpr std::size_t automatic = 0, places = 64;
    add("weir", [k = k](std::int64_t n) { return run_weir(k, automatic, n); });
    add("flow_graph", [k = k](std::int64_t n) { return run_flow_graph(k, places, n, false); });
    add("parallel_pipeline",
        [k = k](std::int64_t n) { return run_parallel_pipeline(k, places, n, tbb::filter_mode::parallel); });
    add("loop", [k = k](std::int64_t n) { return run_loop(k, n); });
  }
  return rows;
}

}  // namespace weir::overhead
