#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "runtime/network/box_processes.hpp"

// The list of processes that work for a box.
namespace weir::detail {
namespace {

// The system gives the number of a process that has ended to another. A lane may leave the list after that.
TEST(box_processes, keep_a_process_that_has_the_number_of_one_that_leaves) {
  const auto list = std::make_shared<box_processes>();
  std::optional<box_processes::membership> ended(std::in_place, list, box_process{7, 1, {}});
  box_processes::membership later(list, box_process{7, 2, {}});
  ended->grant(4);
  ended.reset();
  const std::vector<box_process> left = list->sample();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].cores, 2) << "the other lane has four";
}

}  // namespace
}  // namespace weir::detail
