#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/virtual_time.hpp"
#include "tests/support/gives_all_back.hpp"

// The scheduler's knowledge of records that wait, on a clock that only invocations advance.
namespace weir {
namespace {

using namespace testing;

// All in the shared group. Notes the inputs of the last query.
struct noting_inputs : allocation_rule {
  noting_inputs(std::vector<typical_input>& i, bool a) : inputs(i), is_adaptive(a) {}
  std::string name() const override { return "noting"; }
  allotment decide(const system_view& view) const override {
    return {std::vector<share>(view.components.size()), view.cores};
  }
  assessment assess(const system_view& view, const allotment& given) const override {
    inputs = view.components[0].inputs;
    return allocation_rule::assess(view, given);
  }
  bool adapts() const override { return is_adaptive; }

  std::vector<typical_input>& inputs;
  bool is_adaptive;
};

class forecasts : public gives_all_back {
 protected:
  const std::shared_ptr<virtual_time> time = std::make_shared<virtual_time>("core:1 pu:1");
  std::vector<typical_input> inputs;  // at the last decision
  int predictions = 0;
  int largest_run = 0;  // the largest input of an invocation so far

  // A box whose invocations take `seconds` each, and whose predictor is the value of n.
  std::unique_ptr<detail::run_state> run_of(double seconds, bool is_adaptive = true) {
    options o = on(time);
    o.on_error = on_error::collect;
    o.policy = noting_inputs(inputs, is_adaptive);
    const network net = box("f", takes(n), gives(n),
                            [this, seconds](std::int64_t k) {
                              time->advance(seconds);
                              largest_run = std::max(largest_run, static_cast<int>(k));
                              return k;
                            })
                            .predicted_by(
                                [this](std::int64_t k) {
                                  if (k < 0) throw std::runtime_error("less than nothing");
                                  return ++predictions, static_cast<double>(k);
                                },
                                degree{1});
    return std::make_unique<detail::run_state>(net, o);
  }

  static void pass(detail::run_state& run, int records, int value) {
    record out;
    for (int k = 0; k < records; ++k) {
      run.send(record(n = value));
      EXPECT_TRUE(run.next(out));
    }
  }

  static void end(detail::run_state& run) {
    run.close();
    for (record out; run.next(out);) {
    }
    run.wait();
  }
};

// Eight records that wait are larger than those before: the decision is for them, though none of them ran yet. Three
// would be too few.
TEST_F(forecasts, are_the_inputs_of_records_that_wait_where_they_differ) {
  for (const int waiting : {3, 8}) {
    auto run = run_of(1e-3);
    pass(*run, 64, 1);
    run->send(record(n = 1));
    for (int k = 0; k < waiting; ++k) run->send(record(n = 50));
    record out;
    EXPECT_TRUE(run->next(out));
    EXPECT_EQ(largest_run, 1);
    inputs.clear();
    time->advance(1);
    run->step();
    ASSERT_FALSE(inputs.empty());
    for (const typical_input& one : inputs) EXPECT_EQ(one.x, waiting == 8 ? 50 : 1);
    end(*run);
    largest_run = 0;
  }
}

// A stream of values that are like those before is no news.
TEST_F(forecasts, change_nothing_where_records_that_wait_are_like_those_before) {
  auto run = run_of(1e-3);
  pass(*run, 64, 1);
  for (int k = 0; k < 8; ++k) run->send(record(n = 1));
  time->advance(1);
  pass(*run, 1, 1);
  run->step();
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].x, 1);
  end(*run);
}

TEST_F(forecasts, call_the_predictor_once_more_for_each_record_and_only_for_a_policy_that_adapts) {
  for (const bool is_adaptive : {true, false}) {
    predictions = 0;
    auto run = run_of(1e-3, is_adaptive);
    pass(*run, 100, 1);
    end(*run);
    EXPECT_EQ(predictions, is_adaptive ? 200 : 100);
  }
}

// A predictor that throws fails its record when that is run, and no other.
TEST_F(forecasts, leave_it_to_the_invocation_to_report_a_predictor_that_throws) {
  auto run = run_of(1e-3);
  pass(*run, 10, 1);
  run->send(record(n = -1));
  pass(*run, 10, 1);
  end(*run);
  EXPECT_EQ(run->report().failed, 1u);
}

}  // namespace
}  // namespace weir
