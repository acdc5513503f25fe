#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <string_view>
#include <vector>

#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/support/test_platform.hpp"
#include "tests/support/gives_all_back.hpp"

// Moves of a component to other cores, on a clock that only invocations advance.
namespace weir {
namespace {

using namespace testing;
using namespace std::chrono_literals;

class four_cores final : public test_platform {
 public:
  double now() const noexcept override { return 1e-9 * static_cast<double>(nanoseconds_.load()); }
  void pass(std::chrono::nanoseconds span) { nanoseconds_.fetch_add(span.count()); }
  bool bind(const core_set& to) noexcept override {
    bound_to = to[0];
    return true;
  }
  static thread_local int bound_to;

 private:
  std::atomic<std::int64_t> nanoseconds_{1'000'000'000};
};
thread_local int four_cores::bound_to = -1;

// Cores for the only component, in one lane, and cores for the shared group.
allotment given(core_set own, core_set shared) { return {{{std::move(own), 1}}, std::move(shared)}; }

// Returns the first allotment until `moved` is set, then the second.
struct told_rule : allocation_rule {
  told_rule(allotment a, allotment b, const std::atomic<bool>& s)
      : first(std::move(a)), second(std::move(b)), moved(s) {}
  std::string name() const override { return "told"; }
  allotment decide(const system_view&) const override { return moved ? second : first; }
  assessment assess(const system_view& view, const allotment& a) const override {
    assessment said = allocation_rule::assess(view, a);
    said.cost = a == (moved ? second : first) ? 1 : 2;
    said.critical = 0;
    return said;
  }
  bool adapts() const override { return true; }

  allotment first, second;
  const std::atomic<bool>& moved;
};

class a_move : public gives_all_back {
 protected:
  static constexpr std::int64_t last_before = 400, records = 600;

  struct place {
    int cores, own;  // the number of cores, and the core of the lane's own thread
    bool operator==(const place&) const = default;
  };

  // Where each invocation ran, if the allotment changes during one of them and all others wait.
  static std::vector<place> of_invocations(const allotment& before, const allotment& after,
                                           std::chrono::nanoseconds each) {
    const auto machine_of_four = std::make_shared<four_cores>();
    std::atomic<bool> moved{false};
    std::latch all_wait(1);
    std::vector<place> seen(records);
    std::unique_ptr<detail::run_state> run;
    options o;
    o.machine = machine(std::make_shared<detail::machine_state>(machine_of_four));
    o.policy = told_rule(before, after, moved);
    o.capacity = records;
    o.on_observation = [&](std::string_view, const observation& one) {
      seen[static_cast<std::size_t>(one.x)].cores = static_cast<int>(one.cores);
    };
    const network net = box("f", takes(n), gives_none,
                            [&](std::int64_t k) {
                              if (k == 0) all_wait.wait();
                              seen[static_cast<std::size_t>(k)].own = four_cores::bound_to;
                              machine_of_four->pass(each);
                              moved = k >= last_before;
                              if (k % 100 == 0) run->step();
                            })
                            .width(1)
                            .predicted_by([](std::int64_t k) { return k; }, degree{1});
    run = std::make_unique<detail::run_state>(net, o);
    for (std::int64_t k = 0; k < records; ++k) run->send(record(n = k));
    run->close();
    all_wait.count_down();
    run->wait();
    return seen;
  }

  // `late`: how many more invocations may run as before.
  static void expect(const allotment& before, place was, const allotment& after, place is,
                     std::chrono::nanoseconds each = 30us, std::int64_t late = 0) {
    const std::vector<place> seen = of_invocations(before, after, each);
    for (std::int64_t k = 0; k < records; ++k) {
      const place ran = seen[static_cast<std::size_t>(k)];
      if (k > last_before && k <= last_before + late && ran == was) continue;
      EXPECT_EQ(ran, k <= last_before ? was : is)
          << "invocation " << k << " ran on the lane of " << ran.cores << " cores, on core " << ran.own;
    }
  }
};

// It does not wait for a batch, however many records wait.
TEST_F(a_move, waits_for_the_invocation_under_way_alone) {
  expect(given({1}, {0}), {1, 1}, given({2, 3}, {0}), {2, 2});
}

TEST_F(a_move, waits_for_20_us_of_short_invocations) {
  expect(given({1}, {0}), {1, 1}, given({2, 3}, {0}), {2, 2}, 6us, 2);
}

TEST_F(a_move, to_more_cores_leaves_the_thread_where_it_is) {
  expect(given({2}, {0}), {1, 2}, given({1, 2, 3}, {0}), {3, 2});
}

TEST_F(a_move, to_fewer_cores_leaves_the_thread_where_it_is_among_them) {
  expect(given({1, 2, 3}, {2}), {3, 2}, given({1, 2}, {0}), {2, 2});
}

// The thread can later leave the core to the shared group without waking another thread.
TEST_F(a_move, beside_the_shared_group_takes_the_thread_to_the_core_of_that) {
  expect(given({2}, {0}), {1, 2}, given({1, 2, 3}, {3}), {3, 3});
}

// The lane stays the same; the shared group moves to another core of it.
TEST_F(a_move, of_the_shared_group_takes_the_thread_along) {
  expect(given({1, 2}, {1}), {2, 1}, given({1, 2}, {2}), {2, 2});
}

}  // namespace
}  // namespace weir
