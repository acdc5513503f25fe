#include "runtime/engine/intake.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "runtime/engine/entity.hpp"
#include "runtime/run/run_state.hpp"
#include "tests/runtime/engine/a_stream.hpp"

// The source of a region's records, where its head takes batches.
namespace weir {
namespace {

using namespace testing;

// Counts how often it is asked for the size of a batch. Each answer is a plan that only a batch ends.
class planning_head final : public detail::entity {
 public:
  explicit planning_head(detail::run_environment& run) : entity(run, "planning") {}
  std::string name() const override { return "planning"; }
  detail::entity* step(detail::record_body*&, detail::context&) override { return nullptr; }
  mutable int plans = 0;
};

class an_intake : public gives_all_back {};

// An intake in front of such a head.
struct planned {
  planned() {
    in.set_batching(4, [](const detail::entity& at, std::size_t) noexcept {
      ++static_cast<const planning_head&>(at).plans;
      return detail::intake::batch_size{4, 7};
    });
    in.open();
  }

  void add(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      detail::record_body* const one = std::move(record{n = i}).release();
      ASSERT_EQ(in.push(&one, 1), 1u);
    }
  }
  detail::intake::batch take() {
    std::array<detail::record_body*, 8> taken{};
    const detail::intake::batch got = in.take(taken.data(), nullptr, 1);
    for (std::size_t i = 0; i < got.count; ++i) detail::drop_body(taken[i]);
    return got;
  }

  detail::run_state run{counting("any"), on("core:1 pu:1")};
  planning_head head{run.environment()};
  detail::intake in{run.environment(), head, 8};
};

// Invariant: as many sizes are planned as batches are taken, also where another worker has taken the records before.
// A plan without a batch would count for ever as a batch that is to come.
TEST_F(an_intake, asks_for_a_size_only_where_a_batch_follows) {
  planned p;
  EXPECT_EQ(p.take().count, 0u);
  EXPECT_EQ(p.head.plans, 0);
  p.add(6);
  const detail::intake::batch first = p.take();
  EXPECT_EQ(first.count, 4u);
  EXPECT_EQ(first.note, 7);
  EXPECT_EQ(p.take().count, 2u);
  EXPECT_EQ(p.head.plans, 2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p.take().count, 0u);
  EXPECT_EQ(p.head.plans, 2);
}

// A gate that is shut keeps the records back, and plans nothing.
TEST_F(an_intake, plans_nothing_behind_a_gate_that_is_shut) {
  planned p;
  bool is_shut = true;
  p.in.set_gate([&] { return is_shut; });
  p.add(3);
  EXPECT_EQ(p.take().count, 0u);
  EXPECT_EQ(p.head.plans, 0);
  is_shut = false;
  EXPECT_EQ(p.take().count, 3u);
  EXPECT_EQ(p.head.plans, 1);
}

}  // namespace
}  // namespace weir
