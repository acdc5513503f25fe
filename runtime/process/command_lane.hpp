#pragma once

#include <memory>
#include <utility>

#include <weir/network/box_spec.hpp>
#include "runtime/process/command_plan.hpp"
#include "runtime/process/lane_place.hpp"

namespace weir::detail::processes {

// Kept by a thread that runs a command, from one invocation to the next. Used by its thread only.
class command_lane {
 public:
  explicit command_lane(std::shared_ptr<command_plan> plan);  // throws std::system_error
  ~command_lane();
  command_lane(const command_lane&) = delete;

  // As box_code::list_processes and box_code::call.
  void list_processes(std::shared_ptr<box_processes> in) { place_.processes = std::move(in); }
  bool run(invocation& i);

  invocation_use use() const { return use_; }  // of the last invocation

 private:
  const std::shared_ptr<command_plan> plan_;
  lane_place place_;
  invocation_use use_;
};

}  // namespace weir::detail::processes
