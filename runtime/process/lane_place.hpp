#pragma once

#include <filesystem>
#include <memory>

#include "runtime/process/guardian.hpp"

namespace weir::detail::processes {

// What all processes of one lane share. Plain data.
struct lane_place {
  std::shared_ptr<guardian> guard;
  std::filesystem::path program;
  int number;  // that no other lane of the command has
};

}  // namespace weir::detail::processes
