#pragma once

#include <atomic>
#include <string>

#include "runtime/engine/stage.hpp"

namespace weir::detail {

// Sends each record into the branch of its tag's value, which is made when its first record comes. Branches are scopes;
// the body exists once. When there are many branches, some are removed: no record is in them, and no later one could
// tell them from new ones.
class split_entry_stage final : public stage {
 public:
  split_entry_stage(run_environment& run, std::string path, const label_info* by, level& inside,
                    std::size_t state_index)
      : stage(run, std::move(path)), by_(by), inside_(inside), state_index_(state_index) {}
  std::string name() const override { return "split " + weir::to_string(*by_); }
  stage* step(record_body*& r, context& c) override;
  int max_width() const override { return 1; }

 private:
  class branches;
  scope* branch_for(scope& outer, std::int64_t value);  // null: max_branches is reached

  const label_info* const by_;
  level& inside_;
  const std::size_t state_index_;
};

// The stage where records leave their branch.
class split_exit_stage final : public stage {
 public:
  using stage::stage;
  std::string name() const override { return "split"; }
  stage* step(record_body*& r, context& c) override;
};

}  // namespace weir::detail
