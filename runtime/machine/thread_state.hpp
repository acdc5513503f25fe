#pragma once

#include <locale.h>
#include <signal.h>

#include <array>
#include <cstdint>
#include <string>

namespace weir::detail {

// The state of a thread that a box or a library in it may change, besides the floating-point unit: CPU affinity, signal
// mask, scheduling class, NUMA policy, locale. Used by one thread.
class thread_state {
 public:
  enum part : unsigned { cores = 1, signals = 2, scheduling = 4, memory = 8, locale = 16 };

  void remember() noexcept;        // all of the calling thread
  void remember_cores() noexcept;  // after it was bound otherwise
  // The state of a thread that the calling thread starts: the same, with the locale of the process.
  void remember_inherited() noexcept;
  // Whether both were in the same scheduling class, at the same priority. A thread may not be let back into a higher
  // one.
  bool has_schedule_of(const thread_state& other) const noexcept { return schedule_ == other.schedule_; }

  // Whether remember() was called. A thread of the user's has its own state, which is not looked at.
  bool is_known() const { return is_known_; }

  // Whether the thread may run where it did when that was remembered, or the system does not tell.
  bool has_its_cores() const noexcept;

  // Puts back the parts that changed, and returns which these were. A part that the system does not let it put back, or
  // does not tell, is left from then on. Four system calls, about 1 us.
  unsigned put_back() noexcept;

  // Such as "other cores and another locale".
  static std::string in_words(unsigned parts);

 private:
  static constexpr std::size_t most_units = 8192;  // processing units, as many as Linux is built for at most
  using unit_mask = std::array<unsigned long, most_units / (8 * sizeof(unsigned long))>;
  using node_mask = std::array<unsigned long, 1024 / (8 * sizeof(unsigned long))>;  // NUMA nodes, likewise
  struct schedule {  // sched_getattr(2), its first version
    std::uint32_t size = 0, policy = 0;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
    bool operator==(const schedule&) const = default;
  };
  struct memory_policy {
    int mode = 0;
    node_mask nodes{};
    bool operator==(const memory_policy&) const = default;
  };

  bool keep_cores() noexcept;
  bool keep_signals() noexcept;
  bool keep_schedule() noexcept;
  bool keep_memory() noexcept;
  bool keep_locale() noexcept;

  bool is_known_ = false;
  unsigned told_ = 0;  // parts that the system tells
  std::size_t mask_bytes_ = 0;
  unit_mask units_{};
  sigset_t signals_{};
  schedule schedule_;
  memory_policy memory_;
  locale_t locale_{};
};

}  // namespace weir::detail
