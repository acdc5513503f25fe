#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "runtime/machine/core_budget.hpp"
#include "tests/runtime/run/failing_memory.hpp"
#include "tests/runtime/support/test_platform.hpp"

namespace weir {
namespace {

using namespace testing;

class with_a_quota final : public test_platform {
 public:
  with_a_quota() : test_platform("core:8 pu:1") {}
  std::optional<double> quota() override { return quota_; }
  core_set usable_here() const override { return usable_; }
  core_set usable_by_first() const override { return usable_; }
  void permit(double quota, core_set usable) {
    quota_ = quota;
    usable_ = std::move(usable);
  }

 private:
  std::optional<double> quota_;
  core_set usable_ = core_set::range(0, 8);
};

// A look for which there is no memory loses no change: the next one finds it. Each allocation of a look fails in turn.
TEST(a_core_budget, without_memory_for_a_look_finds_the_change_at_the_next) {
  const auto no_gain = [] { return detail::core_gain(); };
  for (long first = 0;; ++first) {
    SCOPED_TRACE(first);
    with_a_quota machine;
    detail::core_budget budget(machine);
    machine.permit(2.5, core_set::range(0, 6));
    bool is_lost = false;
    detail::core_budget::finding found;
    {
      const failing_memory it(whose::mine, first, 1);
      try {
        found = budget.look(true, no_gain);
      } catch (const std::bad_alloc&) {
        is_lost = true;
      }
    }
    if (is_lost) found = budget.look(true, no_gain);
    EXPECT_EQ(found.cores, core_set::range(0, 2));
    EXPECT_TRUE(found.is_quota_other);
    EXPECT_EQ(budget.permitted(), core_set::range(0, 2));
    EXPECT_TRUE(budget.is_usable(core_set::range(0, 6)));
    EXPECT_EQ(budget.changes(), 1);
    EXPECT_NE(budget.quota_note().find("2.5 cores"), std::string::npos) << budget.quota_note();
    EXPECT_FALSE(budget.look(true, no_gain).is_quota_other) << "it is said once";
    if (!is_lost) break;
  }
}

}  // namespace
}  // namespace weir
