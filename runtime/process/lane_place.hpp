#pragma once

#include <filesystem>
#include <memory>

#include "runtime/network/box_processes.hpp"
#include "runtime/process/guardian.hpp"

namespace weir::detail::processes {

// The common part of all processes of one lane. Plain data.
struct lane_place {
  std::shared_ptr<guardian> guard;
  std::filesystem::path program;
  int number;                                  // that no other lane of the command has
  std::shared_ptr<box_processes> processes{};  // at work, of all lanes; null: no list is kept
};

}  // namespace weir::detail::processes
