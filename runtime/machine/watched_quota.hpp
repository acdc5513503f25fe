#pragma once

#include <optional>
#include <string>

#include <weir/scheduler/machine/core_set.hpp>
#include "runtime/machine/platform.hpp"

namespace weir::detail {

// Which of a machine's cores the process may use, while the system's answer changes. By its affinity and its cpuset it
// may use some. A CPU quota of 2.5 cores leaves it two of these, the first ones; it always has one. For one thread at a
// time.
class watched_quota {
 public:
  // Reads the quota. All cores of the machine are taken to be usable until the first look. Throws std::bad_alloc.
  explicit watched_quota(platform& p);

  // Asks again; true: something has changed. It costs one system call and two for each file of a quota. REQUIRES: the
  // calling thread is unbound. Throws std::bad_alloc; then nothing has changed.
  bool sample();

  const core_set& usable() const { return usable_; }  // never empty
  int most() const { return most_; }                  // that the quota feeds, 1 to usable().size()
  core_set cores() const { return usable_.part(0, most_); }
  std::string note() const;  // a sentence on cores that a quota leaves out, or stops; empty: none

 private:
  static int fed(const std::optional<double>& quota, const core_set& usable);

  platform& platform_;
  core_set usable_;
  std::optional<double> quota_;
  int most_ = 1;
};

}  // namespace weir::detail
