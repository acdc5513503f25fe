#include "runtime/record/per_shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace weir {
namespace {

// More than the table has places for at first.
std::vector<const detail::shape*> many_shapes() {
  std::vector<const detail::shape*> shapes;
  for (int i = 0; i < 1000; ++i) {
    const std::array labels{tag{"shape" + std::to_string(i)}.info()};
    shapes.push_back(detail::shape::of(labels));
  }
  return shapes;
}

struct plan {
  const detail::shape* of;
};

TEST(a_table_of_plans, gives_each_shape_the_plan_that_was_made_for_it_once) {
  const auto shapes = many_shapes();
  std::atomic<int> made{0};
  detail::per_shape<plan> table;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round)
        for (const detail::shape* s : shapes) {
          const plan* p = table.find(s, [&] {
            ++made;
            return std::make_unique<plan>(plan{s});
          });
          ASSERT_EQ(p->of, s);
          ASSERT_EQ(table.find(s, [] { return std::unique_ptr<plan>(); }), p) << "the same plan for ever";
        }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(made, 1000);
}

TEST(a_table_of_plans, remembers_neither_that_there_was_none_nor_what_was_thrown) {
  const detail::shape* const s = detail::shape::empty();
  detail::per_shape<plan> table;
  EXPECT_EQ(table.find(s, [] { return std::unique_ptr<plan>(); }), nullptr);
  EXPECT_THROW(table.find(s, []() -> std::unique_ptr<plan> { throw std::runtime_error("no plan"); }),
               std::runtime_error);
  EXPECT_NE(table.find(s, [&] { return std::make_unique<plan>(plan{s}); }), nullptr);
}

}  // namespace
}  // namespace weir
