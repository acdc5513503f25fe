#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "runtime/engine/entity.hpp"
#include "runtime/patterns/pattern_matcher.hpp"
#include "runtime/streams/scope.hpp"

namespace weir::detail {

// Sends each record into the branch of its tag's value, which is made when its first record comes. Branches are scopes;
// the body exists once. When there are many branches, some are removed: no record is in them, and no later one could
// tell them from new ones.
//
// With until() a record may end its branch. The split then lets go of the branch, whose records go on in it. Once none
// is left, its folds finish.
class split_entry_entity final : public entity, public branch_listener {
 public:
  // last: the records that end their branch; null: none does. ordered_around: the ordered networks around the split.
  split_entry_entity(run_environment& run, std::string path, const label_info* by, const pattern_list* last,
                     level& inside, std::size_t state_index, std::size_t ordered_around);
  std::string name() const override { return "split " + weir::to_string(*by_); }
  entity* step(record_body*& r, context& c) override;
  entity* step_all(std::span<record_body*>& batch, context& c) noexcept override;
  int max_width() const override { return 1; }
  bool finds_branch() const override { return true; }
  void is_left(scope& ended) noexcept override;

 private:
  class branches;
  branches& branches_in(scope& outer);
  scope* branch_for(scope& outer, std::int64_t value);  // null: max_branches is reached
  bool prefetch(std::span<record_body* const> batch);   // false: with as many new branches max_branches is reached

  std::optional<pattern_list_matcher> last_;
  const std::size_t ordered_around_;

  const label_info* const by_;
  level& inside_;
  const std::size_t state_index_;
};

// The entity where records leave their branch. Where branches end it has a stream of its own: the last outputs of a
// branch's folds must come behind the records that left before. Another thread may still hold some of these.
class split_exit_entity final : public entity {
 public:
  split_exit_entity(run_environment& run, std::string path, bool branches_end)
      : entity(run, std::move(path)), branches_end_(branches_end) {}
  bool is_always_head() const override { return branches_end_; }
  std::string name() const override { return "split"; }
  entity* step(record_body*& r, context& c) override;

 private:
  const bool branches_end_;
};

}  // namespace weir::detail
