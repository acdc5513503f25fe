#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "runtime/entities/branch_table.hpp"
#include "runtime/streams/scope.hpp"

// The branches of a split by the value of their tag.
namespace weir::detail {
namespace {

class branch_table_test : public ::testing::Test {
 protected:
  owned_scope made(std::int64_t value) { return owned_scope(scope::make(outermost.get(), inside, value)); }

  static std::set<std::int64_t> values_in(const branch_table& t) {
    std::set<std::int64_t> all;
    t.each([&](scope& s) { EXPECT_TRUE(all.insert(s.value()).second) << s.value() << " is there twice"; });
    return all;
  }

  level top, inside;
  owned_scope outermost{scope::make_outermost(top)};
};

// After any changes the table has the branches that a map has, at any of its sizes, and also where many values want the
// same place.
TEST_F(branch_table_test, has_what_a_map_has) {
  std::mt19937_64 random(17);
  // Values in a row; at both ends of a tag's range; far apart; and rows of 16 with one home.
  constexpr std::pair<std::int64_t, std::int64_t> drawn[] = {{0, 1},
                                                             {std::numeric_limits<std::int64_t>::max(), 1},
                                                             {0, std::int64_t{1} << 54},
                                                             {0, std::int64_t{16} * 102'334'155}};
  for (const auto& [middle, step] : drawn) {
    branch_table table;
    std::map<std::int64_t, scope*> expected;
    for (int i = 0; i < 30'000; ++i) {
      const std::uint64_t from_middle = (random() % 600 - 300) * static_cast<std::uint64_t>(step);
      const auto value = static_cast<std::int64_t>(static_cast<std::uint64_t>(middle) + from_middle);
      const auto known = expected.find(value);
      if (known == expected.end()) {
        ASSERT_EQ(table.find(value), nullptr) << value;
        if (random() % 3 > 0) expected[value] = &table.add(value, made(value));
      } else {
        ASSERT_EQ(table.find(value), known->second) << value;
        if (random() % 3 == 0) {
          ASSERT_EQ(table.take(value).get(), known->second) << value;
          expected.erase(known);
        }
      }
      if (random() % 1000 > 0) continue;
      // Some go, or nearly all, and each is asked for once.
      const std::uint64_t stay = random() % 2 ? 2 : 64;
      std::multiset<std::int64_t> asked;
      std::set<std::int64_t> before = values_in(table);
      table.remove_if([&](scope& s) {
        asked.insert(s.value());
        const bool goes = random() % stay > 0;
        if (goes) expected.erase(s.value());
        return goes;
      });
      ASSERT_EQ(asked, std::multiset<std::int64_t>(before.begin(), before.end()));
    }
    std::set<std::int64_t> left;
    for (const auto& [value, branch] : expected) left.insert(value);
    EXPECT_EQ(values_in(table), left);
    EXPECT_EQ(table.count(), left.size());
  }
}

// A removed branch is given up, and so is each branch left when the table ends.
TEST_F(branch_table_test, gives_up_each_branch_once) {
  constexpr std::int64_t many = 1000;
  std::vector<scope*> all;
  {
    branch_table table;
    for (std::int64_t v = 0; v < many; ++v) {
      all.push_back(&table.add(v, made(v)));
      all.back()->hold();  // so that it outlives its place in the table
    }
    for (const scope* s : all) EXPECT_FALSE(s->is_left());
    table.remove_if([](const scope& s) { return s.value() % 10 > 0; });
    EXPECT_EQ(table.count(), static_cast<std::size_t>(many / 10));
    for (const scope* s : all) EXPECT_EQ(s->is_left(), s->value() % 10 > 0) << s->value();
  }
  for (scope* s : all) {
    EXPECT_TRUE(s->is_left()) << s->value();
    s->let_go();
  }
}

// A table has at least two slots for each branch. It grows by doubling, and never keeps more than 32 for each branch
// that is left, but for the fewest: whether branches leave one by one or together.
TEST_F(branch_table_test, gives_up_the_memory_of_branches_that_left) {
  constexpr std::int64_t many = 20'000;
  for (const bool one_by_one : {true, false}) {
    branch_table table;
    const auto expect_fitting = [&] {
      ASSERT_GE(table.size(), 2 * table.count());
      ASSERT_LE(table.size(), std::max(branch_table::fewest, 32 * table.count()));
    };
    EXPECT_EQ(table.size(), 0u);
    for (std::int64_t v = 0; v < many; ++v) table.add(v, made(v));
    EXPECT_GE(table.size(), 2 * static_cast<std::size_t>(many));
    EXPECT_LT(table.size(), 4 * static_cast<std::size_t>(many));
    if (one_by_one) {
      for (std::int64_t v = 0; v < many; ++v) {
        table.take(v);
        expect_fitting();
      }
    } else {
      for (const std::int64_t stay : {1000, 10, 0}) {
        table.remove_if([=](const scope& s) { return s.value() >= stay; });
        expect_fitting();
      }
    }
    EXPECT_EQ(table.count(), 0u);
    EXPECT_EQ(table.size(), branch_table::fewest);
  }
}

}  // namespace
}  // namespace weir::detail
