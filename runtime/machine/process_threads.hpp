#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "runtime/machine/ended_threads.hpp"
#include "runtime/machine/platform.hpp"

// The threads of this process as the system knows them. Linux keeps a name for each thread, and a thread that is
// started has the name of the one that started it. So a name tells which box started a thread.
namespace weir::detail {

inline constexpr std::size_t longest_thread_name = 15;  // bytes; the system cuts the rest

void name_this_thread(const char* name) noexcept;

// The present name of a thread; "": it has ended. Throws std::bad_alloc, as the next.
std::string thread_name(int number);

// Marks the calling thread as one of weir's own while the first of these on it exists. Without memory it is not marked.
class own_thread {
 public:
  own_thread() noexcept;
  ~own_thread();
  own_thread(const own_thread&) = delete;

 private:
  bool is_first_ = false;
};

// The CPU time of all threads of the process between two samples. Used by one thread.
class process_threads {
 public:
  explicit process_threads(const platform& p) : platform_(p) {}

  // Looks again. Costs a clock read for each thread, some 0.3 us. Throws std::bad_alloc.
  void sample();

  double passed() const { return passed_; }  // seconds between the last two samples; 0: there were not two
  // CPU seconds, between these, of threads that have ended and were not weir's own; never negative.
  double by_ended() const { return by_ended_; }
  // CPU seconds so far of child processes that have ended, and of ended threads between samples.
  double elsewhere() const { return by_children_ + all_ended_; }

  struct thread {
    std::string name;  // when it was seen first
    bool is_own = false;
    bool is_new = true;      // since the last sample
    double cpu_seconds = 0;  // so far
    double computed = 0;     // CPU seconds between the last two samples
  };
  const std::map<int, thread>& all() const { return threads_; }  // by the system's number

 private:
  const platform& platform_;
  std::map<int, thread> threads_;
  double sampled_at_ = 0, passed_ = 0, by_ended_ = 0, all_ended_ = 0, by_children_ = 0;
  ended_threads ended_;  // but for weir's own
};

}  // namespace weir::detail
