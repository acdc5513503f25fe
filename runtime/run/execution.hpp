#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/prediction.hpp"
#include "runtime/network/grant.hpp"
#include "runtime/network/network.hpp"
#include "runtime/options/options.hpp"
#include "runtime/record/errors.hpp"
#include "runtime/record/record.hpp"
#include "runtime/run/report.hpp"

namespace [[gnu::visibility("default")]] weir {
class execution;
execution start(const network& net, options o);

// One running network: records in by send, results out by iteration. Movable, not copyable.
//
// send, try_send, close, stop, stats, report, predict, errors and take_errors may be called from any number of threads;
// iteration and wait from one. Destroying an execution early stops it, drops what is still queued, and joins its
// threads.
//
// A box, and any function that the run calls (on_hang, on_observation, observe, record_bytes, predictors, log sinks,
// destructors of values), may call its own run but for what might wait for that call itself: iteration, wait and a send
// into a full network throw std::logic_error there. It must not destroy it. It may start other runs and wait for them;
// a box gives its cores back for as long as it waits for a run.
//
// The process may end by exit() while it runs, in a box as well, with the code that was asked for: invocations under
// way have a second to finish, other threads that use the run wait for the end. A static execution is destroyed then,
// as any object, so no other thread may still call it. A box that calls pthread_exit fails its record, and the thread
// goes on. In a child made by fork() the run is not there: the child may not use it, only destroy it, and starts none
// of its own (start throws) where the parent ever had one; exec, exit and _exit work.
//
// Where memory runs out while it runs, a record fails with failure_kind::out_of_memory, or the run ends with that
// error. Every function here may throw std::bad_alloc, and has done nothing then: send has not taken the record, and
// iteration goes on where it was.
class execution {
 public:
  class iterator {
   public:
    using value_type = record;
    using reference = const record&;
    using pointer = const record*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;
    reference operator*() const { return current_; }
    pointer operator->() const { return &current_; }
    iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return run_ == nullptr; }
    bool operator==(const iterator& other) const { return run_ == other.run_; }

   private:
    friend class execution;
    explicit iterator(detail::run_state* run) : run_(run) { ++*this; }
    detail::run_state* run_ = nullptr;
    record current_;
  };

  // What for reads: results as they come.
  class result_range {
   public:
    iterator begin() const { return iterator(run_); }
    iterator end() const { return {}; }

   private:
    friend class execution;
    explicit result_range(detail::run_state* run) : run_(run) {}
    detail::run_state* run_;
  };

  // Sends a record in; blocks while the network is full. Throws send_error when the record fits no input variant, or
  // after close() or stop(), and run_error when an error has ended the run.
  void send(record r);
  template <detail::binding... B>
  requires(sizeof...(B) > 0) void send(B&&... bindings) { send(record(std::forward<B>(bindings)...)); }

  // The same without blocking: false, and the record is not taken, when the network is full.
  bool try_send(const record& r);
  template <detail::binding... B>
  requires(sizeof...(B) > 0) bool try_send(B&&... bindings) { return try_send(record(std::forward<B>(bindings)...)); }

  // Ends the input: what is in flight drains, then iteration ends. Idempotent.
  void close();

  // Results as they come; ends when the input is closed and all is drained, or after stop(), when the invocations that
  // were running have finished. An error that ended the run is thrown here as run_error, after all results.
  iterator begin() { return iterator(state_.get()); }
  iterator end() { return {}; }
  result_range results() { return result_range(state_.get()); }

  // Blocks until the input is closed and all is drained, or after stop() until running invocations have finished;
  // results stay to be read. Throws run_error when an error ended the run.
  void wait();

  // Ends the run soon: running invocations finish, queued records are dropped and counted. Idempotent.
  void stop();

  // The errors so far that are kept, in the order in which they came: with on_error::collect the newest of them (option
  // max_failures_kept). report().failed counts all.
  std::vector<failure> errors() const;

  // The same, and they are kept no longer: what a run that goes on for long calls now and then. From several threads at
  // once each error is returned to one of them. Records that fail meanwhile do not wait for it.
  std::vector<failure> take_errors();

  run_report report() const;  // while the run goes on, its counters are a moment's

  // What one invocation of a component would cost at predictor value x on so many cores, as far as is known. Throws
  // std::invalid_argument naming the component and those that exist.
  prediction predict(const std::string& component, double x, cores on) const;

  // What was learnt, by component, to be saved and started from.
  std::map<std::string, saved_model> models() const;

  execution(execution&&) noexcept;
  execution& operator=(execution&&) noexcept;
  ~execution();

 private:
  friend execution start(const network& net, options o);
  explicit execution(std::unique_ptr<detail::run_state> state);
  std::unique_ptr<detail::run_state> state_;
};

// Starts a network. Throws type_error when it cannot work (two boxes of one name with different callables, one field
// name with two types), std::invalid_argument for options that do not fit (what, given, expected), run_error of
// failure_kind::no_thread when the system gives no thread to control it, std::logic_error in a child made by fork() of
// a process that had runs, and std::bad_alloc.
execution start(const network& net, options o);

// The same with the options as they are. Not a default argument: who gives none compiles nothing of them.
execution start(const network& net);

}  // namespace weir
