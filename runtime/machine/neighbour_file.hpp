#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/machine/core_division.hpp"

namespace weir::detail {

// The claims of all processes that share the cores of this computer: of one user, in one small file. Each process has a
// slot of it, which it alone writes. It holds a lock on the slot while it has one. The system drops the lock when the
// process ends, however it does, so a slot without a lock is free. A claim is valid for a while only, so that a
// process that stands still is not waited for. No call waits for another process.
//
// The format is part of the file's name. Each slot is a line of text that names the format, says its own length and has
// a checksum; anything else in a slot is no claim.
//
// Nothing that happens to the file is an error. A file that cannot be used is the same as none, and the next call of
// exchange() tries again. For one thread at a time.
class neighbour_file {
 public:
  // The file is made when it is first needed, in this folder; the folder itself too, unless its parent is missing or
  // another user's. Empty: there is no file.
  explicit neighbour_file(std::filesystem::path folder);
  ~neighbour_file() { close(); }
  neighbour_file(const neighbour_file&) = delete;

  // The folder "weir" below the one that XDG_RUNTIME_DIR names; empty where that is not set. The system makes such a
  // folder for a user who logs in, readable by that user alone, in memory, and removes it afterwards.
  static std::filesystem::path usual_folder();

  // The claims of all processes, this one's first slot among them. Plain data.
  struct table {
    std::vector<core_claim> claims;  // in the order of the slots
    std::size_t own = 0;             // which one is this process's
  };

  // Says the claim of this process, valid for `seconds` from now, and reads all claims that are valid. Nothing: the
  // file cannot be used. Cores in claims are the system's numbers. `now`: in seconds, by a clock that all processes of
  // the computer have. Throws std::bad_alloc.
  std::optional<table> exchange(const core_claim& own, double now, double seconds);

  // The claim of this process ends at that time; nothing happens if it has none.
  void leave(double until) noexcept;

  // System calls that the object has made; for tests of the cost of being alone.
  int system_calls() const { return system_calls_; }

 private:
  bool open();
  void close() noexcept;
  bool is_ours() const;
  bool take_slot();
  bool has_lock(int slot) const;
  bool write(const std::string& line);

  const std::filesystem::path folder_;
  int file_ = -1;
  int opened_by_ = 0;  // the process that opened the file; a copy unlocks nothing
  int slot_ = -1;
  double written_at_ = 0;
  std::string written_;  // the claim in the slot, in words
  mutable int system_calls_ = 0;
};

}  // namespace weir::detail
