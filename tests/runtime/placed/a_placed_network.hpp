#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/support/gives_all_back.hpp"

// The fixture of tests of networks on several ranks, their labels and boxes.
namespace weir::placed_test {

using testing::several_ranks;
using testing::two_cores;
using texts = std::vector<std::string>;

inline constexpr tag number{"number"}, key{"key"}, sum{"sum"};
inline constexpr field<std::string> text{"text"};
inline constexpr field<std::vector<double>> values{"values"};

struct handle {  // which has no codec
  std::shared_ptr<int> to;
};
inline constexpr field<handle> local{"local"};

inline std::int64_t doubled(std::int64_t v) { return 2 * v; }
inline network doubling() { return box("double", takes(number), gives(number), doubled); }
inline network doubling_sum() { return box("double sum", takes(sum), gives(sum), doubled); }
inline network adding() {
  return fold(
      "add", takes(number), gives(sum), std::int64_t{0}, [](std::int64_t& all, std::int64_t v) { all += v; },
      [](std::int64_t& all, emitter& emit) { emit(sum = all); });
}

class a_placed_network : public testing::gives_all_back {
 protected:
  static texts results_of(int ranks, const network& net, const std::vector<record>& inputs,
                          run_report* report = nullptr) {
    several_ranks all(
        ranks, [&](int) { return net; }, two_cores);
    execution& run = all.run();
    for (const record& r : inputs) run.send(r);
    if (!inputs.empty()) run.close();
    texts got;
    for (const record& r : run) got.push_back(to_string(r));
    if (report) *report = run.report();
    all.finish();
    for (int r = 1; r < ranks; ++r) EXPECT_EQ(all.error_of(r), "");
    return got;
  }
  static texts sorted(texts all) {
    std::sort(all.begin(), all.end());
    return all;
  }
  static std::vector<record> numbers(int count) {
    std::vector<record> all;
    for (int i = 0; i < count; ++i) all.emplace_back(number = i, key = i % 7);
    return all;
  }
};

}  // namespace weir::placed_test
