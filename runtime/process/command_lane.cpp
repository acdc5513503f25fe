#include "runtime/process/command_lane.hpp"

#include <weir/record/errors.hpp>
#include "runtime/process/command_call.hpp"
#include "runtime/process/command_failed.hpp"

namespace weir::detail::processes {

command_lane::command_lane(std::shared_ptr<command_plan> plan)
    : plan_(std::move(plan)), place_{guardian::of_process(), plan_->program(), plan_->take_number()} {}

command_lane::~command_lane() { plan_->free_number(place_.number); }

bool command_lane::run(invocation& i) {
  use_ = {};
  for (int left = plan_->settings.retries;; --left) {
    command_call call(*plan_, place_, i);
    try {
      call.run();
    } catch (const command_failed&) {
      if (left == 0) throw;
      continue;
    } catch (const timed_out_error&) {
      if (left == 0) throw;
      continue;
    }
    use_ = call.use();
    return call.give();
  }
}

}  // namespace weir::detail::processes
