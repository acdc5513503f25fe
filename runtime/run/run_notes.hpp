#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/run/messenger.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// Sentences for the report and the log: what a machine did not allow, and what the run does without. Thread-safe.
class run_notes {
 public:
  explicit run_notes(messenger& log) : log_(log) {}

  // Each sentence once. True: it is new, and messages are to be seen to. Throws std::bad_alloc.
  bool add(const std::string& sentence) {
    const lock_guard lock(mutex_);
    if (std::find(noted_.begin(), noted_.end(), sentence) != noted_.end()) return false;
    noted_.push_back(sentence);
    log_.put(sentence);
    return true;
  }
  // Adds to the report alone.
  void add_unlogged(const std::vector<std::string>& sentences) {
    const lock_guard lock(mutex_);
    noted_.insert(noted_.end(), sentences.begin(), sentences.end());
  }
  std::vector<std::string> all() const {
    const lock_guard lock(mutex_);
    return noted_;
  }

 private:
  messenger& log_;
  mutable WEIR_LOCK(notes) mutex_;
  std::vector<std::string> noted_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::detail
