#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include <weir/engine/trace.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/streams/run_life.hpp"

namespace weir::detail {

class scope;
class error_site;
struct record_body;

// Writes what happens in a run into its tracer (option trace), if there is one, and counts how much of the network it
// unfolded. Thread-safe.
class timeline {
 public:
  timeline(const run_life& life, std::optional<tracer> into) : life_(life), into_(std::move(into)) {}

  bool is_on() const { return into_.has_value(); }

  // REQUIRES: is_on(). Without memory the event is left out.
  template <class Make>
  void add(Make make) const noexcept {
    try {
      into_->add(make());
    } catch (const std::bad_alloc&) {
    }
  }

  // A scope came into being, or ended. `mark` names it in the stage's path, with a star for its number.
  void unfolded(const error_site& at, const scope& fresh, const char* mark);
  void removed(const error_site& at, const scope& gone, const char* mark);
  std::uint64_t unfolded() const { return unfolded_.load(std::memory_order_relaxed); }
  std::uint64_t removed() const { return removed_.load(std::memory_order_relaxed); }

  // An invocation waited, off its cores, from `since` (seconds after the start) until now. REQUIRES: is_on().
  void held_back(int core, const error_site& box, const record_body& input, const char* why,
                 double since) const noexcept;

 private:
  void scope_event(trace_kind kind, const error_site& at, const scope& which, const char* mark) const noexcept;

  const run_life& life_;
  const std::optional<tracer> into_;
  threads::atomic<std::uint64_t> unfolded_{0}, removed_{0};  // relaxed: numbers only
};

}  // namespace weir::detail
