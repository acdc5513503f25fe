#pragma once

#include <filesystem>

namespace weir::program {

// An exclusive lock of a folder among processes, by flock(2) on the folder itself: nothing is written, and the system
// releases it when the process ends. Without effect on a file system without such locks. For one thread.
class folder_lock {
 public:
  // Does not wait. REQUIRES: the folder is there.
  explicit folder_lock(const std::filesystem::path& folder);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;

  bool is_held() const { return is_held_; }  // false: another process, or another lock of this one, has it

 private:
  int folder_;
  bool is_held_ = true;
};

}  // namespace weir::program
