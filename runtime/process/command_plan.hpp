#pragma once

#include <filesystem>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/process/command_settings.hpp>
#include "runtime/threads/locks.hpp"

namespace weir::detail::processes {

// The callable of a command: its settings, the code by which a run calls it, and which lanes have which numbers.
// Immutable, but for the numbers; thread-safe.
class command_plan {
 public:
  // Throws type_error for settings that contradict each other.
  command_plan(command_settings s, const box_code& by);

  const command_settings settings;
  const box_code code;

  std::size_t place_of_taken(const label_info* label) const;  // REQUIRES: it is one
  std::filesystem::path program() const;                      // throws std::system_error

  int take_number();  // the smallest that is free
  void free_number(int number) noexcept;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void check_numbers() const;
  void check_labels() const;

  WEIR_LOCK(lane_numbers) mutex_;
  std::vector<bool> used_ WEIR_GUARDED_BY(mutex_);
};

// When a run starts: every given label must come from somewhere, and the program must be there.
void check_at_start(const box_spec& box);

}  // namespace weir::detail::processes
