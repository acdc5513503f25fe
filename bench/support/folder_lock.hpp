#pragma once

#include <filesystem>

namespace weir::command {

// A folder that one process at a time has, by flock(2) of the folder itself: nothing is written, and the system gives
// the lock back when the process ends, however it does. A file system without such locks refuses nobody. For one
// thread.
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

}  // namespace weir::command
