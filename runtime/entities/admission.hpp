#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/entities/learnt_need.hpp"
#include "runtime/machine/resource_ledger.hpp"
#include "runtime/network/used_amounts.hpp"
#include "runtime/threads/concurrency_limit.hpp"

namespace weir::detail {

struct run_environment;
class at_work;
class error_site;

// An invocation needs more of a resource than there is, or no amount.
class needs_too_much_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// When invocations of a component may begin: its amounts of resources are free, and then one of its permits is, where
// its width is limited over several places. Thread-safe.
class admission {
 public:
  explicit admission(const box_spec& of) : box_(of), needs_(of.needs.size()) {}
  // Closes the accounts.
  ~admission();
  admission(const admission&) = delete;

  // Before the run starts. open() opens the accounts with the totals that total_of gives. It throws the exceptions of
  // total_of and of resource_ledger::open().
  void limit_width(int most) { width_.emplace(most); }
  bool limits_width() const { return width_.has_value(); }
  void open(resource_ledger& ledger, const std::function<std::int64_t(const resource&)>& total_of);

  // Holds what one invocation needs, while it exists.
  class permit final : public used_amounts {
   public:
    permit() = default;
    permit(const permit&) = delete;
    ~permit() {
      if (of_) [[unlikely]]
        leave();
    }
    // Waits for it, off the thread's cores. False: the run stopped meanwhile. Throws what the functions of the needs
    // and the predictor throw, needs_too_much_error, and std::logic_error where nothing else can run; then nothing is
    // held.
    // `batch`: one invocation, or several that are made together.
    bool enter(admission& of, const error_site& at, std::span<const invocation> batch, run_environment& run,
               at_work& doing);
    bool note(const resource& of, std::int64_t amount) noexcept override;

   private:
    void leave() noexcept;
    std::span<const resource_ledger::demand> amounts() const { return {amounts_.data(), amounts_.size()}; }

    admission* of_ = nullptr;
    double x_ = 1;
    boost::container::small_vector<resource_ledger::demand, 2> amounts_;
    boost::container::small_vector<std::int64_t, 2> used_;  // as said, by need; -1: nothing was
    used_amounts* outer_ = nullptr;
  };

  // A process of an invocation at this predictor value used so much memory: for a learnt need of "memory".
  void note_process(double x, std::int64_t peak_bytes) noexcept;

  // The number of invocations that the resources let run at a time, and the resource that limits them. It assumes
  // light invocations: the mean amount of about the last 64 minus the mean absolute deviation. Unlimited before the
  // first request, or where the amounts are 0.
  struct bound {
    int invocations = std::numeric_limits<int>::max();
    std::string resource{};
  };
  bound most_at_a_time() const;

  // The accounts of its resources; null before open().
  std::vector<const resource_ledger::account*> accounts() const;

  // Invocations that waited, and the seconds that they did. Relaxed: numbers for a report.
  std::uint64_t waited() const { return waited_.load(std::memory_order_relaxed); }
  double seconds_waited() const { return seconds_waited_.load(std::memory_order_relaxed); }

 private:
  struct need_state {
    resource_ledger::account* of = nullptr;
    learnt_need learnt;
    // The mean of the last amounts (-1: none yet), and their mean distance from it. Relaxed: numbers for decisions.
    threads::atomic<double> mean{-1}, distance{0};
  };
  std::int64_t amount_of(std::size_t need, std::span<const invocation> batch, double x) const;
  void note_wait(double seconds) noexcept;

  const box_spec& box_;
  std::vector<need_state> needs_;  // as box_.needs
  resource_ledger* ledger_ = nullptr;
  std::optional<concurrency_limit> width_;
  threads::atomic<std::uint64_t> waited_{0};
  threads::atomic<double> seconds_waited_{0};
};

}  // namespace weir::detail
