#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "model/held_function.hpp"
#include "runtime/stage.hpp"

namespace weir::detail {

// Shows each record that passes to a function of the user's.
class observe_stage final : public stage {
 public:
  using observer = held_function<void(const record&, std::string_view)>;
  observe_stage(run_state& run, std::string path, observer see) : stage(run, std::move(path)), see_(std::move(see)) {}
  std::string name() const override { return "observe"; }
  stage* step(record_body*& r, context& c) override;

 private:
  std::mutex mutex_;  // one call at a time
  const observer see_;
};

}  // namespace weir::detail
