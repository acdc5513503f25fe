#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weir/model/prediction.hpp>
#include <weir/network/grant.hpp>
#include <weir/network/network.hpp>
#include <weir/options/options.hpp>
#include <weir/record/errors.hpp>
#include <weir/record/record.hpp>
#include <weir/report/report.hpp>
#include <weir/run/run_view.hpp>

namespace [[gnu::visibility("default")]] weir {
class execution;
execution start(const network& net, options o);
namespace detail {
struct [[gnu::visibility("hidden")]] started;
}

// One running network: records go in by send, results come out by iteration. start() makes it. Movable, not copyable;
// one that was moved from can be destroyed and assigned, all else throws std::logic_error.
// Use, with a tag n:
//
//   execution run = start(net);
//   for (int i = 1; i <= 4; ++i) run.send(n = i);
//   run.close();
//   for (const record& r : run) std::cout << r << '\n';
//
// Any number of threads may call send, try_send, close, stop, errors, take_errors, report, predict and models; one
// thread may iterate and wait. Another thread may iterate once the iterators of the first are gone or at the end;
// before that, begin() throws std::logic_error there. Destroying an execution early stops it, drops the records still
// queued, and joins its threads.
//
// An exception that leaves the loop over the results stops the run; `break` does not. So a thread that is blocked in
// send gets a send_error and can be joined. A sender's thread catches run_error, of which send_error is one, and ends.
//
// A box may call its own run, and so may any function that the run calls: on_hang, on_observation, observe,
// record_bytes, predictors, log sinks, destructors of values. Only what might wait for that call itself is refused
// there: iteration, wait and a send into a full network throw std::logic_error. Such code must not destroy its own run.
// It may start other runs and wait for them; a box gives its cores back for as long as it waits for a run.
//
// The process may end by exit() while it runs, in a box as well, with the code that was asked for. Invocations under
// way then have a second to finish, and other threads that use the run wait for the end. A static execution is
// destroyed then, like any object, so no other thread may still call it. A box that calls pthread_exit fails its
// record, and the thread goes on. In a child made by fork() the run does not exist: the child may only destroy it. If
// the parent ever had a run, the child cannot start one either (start throws); exec, exit and _exit work.
//
// The threads of a run stay for three seconds after it and serve later runs. So a thread_local object of a box may
// outlive the run: it is destroyed when its thread ends, or never, when the process ends first.
//
// If memory runs out while it runs, a record fails with failure_kind::out_of_memory, or the run ends with that error.
// Every function here may throw std::bad_alloc and has done nothing then: send has not taken the record, and iteration
// goes on where it was, by the same iterator.
class execution {
 public:
  // An input iterator over results. begin() and ++ wait for the next result, or for the end of the run; then it equals
  // end(). The record that it refers to is valid until the next ++.
  //
  // The copies of an iterator share one loop. If stack unwinding destroys the last of them before the end, and began
  // after begin(), the run is stopped, as by stop().
  class iterator {
   public:
    // The standard requires these names of an input iterator.
    using value_type = record;
    using reference = record&;
    using pointer = record*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() = default;  // the end

    // The result, and the next one. ++ throws as iteration does.
    reference operator*() const { return current_; }
    pointer operator->() const { return &current_; }
    iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return run_ == nullptr; }
    bool operator==(const iterator& other) const { return run_ == other.run_; }

   private:
    friend class execution;
    explicit iterator(detail::run_state* run);
    detail::run_state* run_ = nullptr;
    std::shared_ptr<detail::reading> loop_;  // null: at the end
    mutable record current_;                 // an iterator may be constant, and its results still the reader's own
  };

  // Results as a range: for (const record& r : run.results()).
  class result_range {
   public:
    // As those of the execution.
    iterator begin() const { return iterator(run_); }
    iterator end() const { return {}; }

   private:
    friend class execution;
    explicit result_range(detail::run_state* run) : run_(run) {}
    detail::run_state* run_;
  };

  // Sends a record in; blocks while the network is full. The second form makes the record of bindings, as in send(n =
  // 1). Throws send_error when the record fits no input variant, and after close() or stop(). Throws run_error instead
  // when an error has ended the run.
  void send(record r);
  template <class... B>
  requires(sizeof...(B) > 0 && !detail::is_record<B...>) void send(B&&... bindings) {
    constexpr bool fits = (detail::binding<B> && ...);
    static_assert(fits, "weir::send: give a record, or values under their labels, as in send(n = 3)");
    if constexpr (fits) send(record(std::forward<B>(bindings)...));
  }

  // The same without blocking: false, and the record is not taken, when the network is full. A box of the same run may
  // call it.
  bool try_send(const record& r);
  template <class... B>
  requires(sizeof...(B) > 0 && !detail::is_record<B...>) bool try_send(B&&... bindings) {
    constexpr bool fits = (detail::binding<B> && ...);
    static_assert(fits, "weir::try_send: give a record, or values under their labels, as in try_send(n = 3)");
    if constexpr (fits)
      return try_send(record(std::forward<B>(bindings)...));
    else
      return false;
  }

  // Ends the input (of a closed network, source(..) >> net, start() does): records under way drain, then iteration
  // ends. A later send throws send_error. Idempotent.
  void close();

  // Results as they come. Iteration ends when the input is closed and all is drained, or after stop(), when running
  // invocations have finished. If an error ended the run, iteration throws it as run_error, once, after all results.
  iterator begin() { return iterator(&state()); }
  iterator end() { return {}; }
  result_range results() { return result_range(&state()); }

  // Blocks until the input is closed and all is drained, or after stop() until running invocations have finished.
  // Results stay to be read; unless option results_capacity is set, they are kept without bound meanwhile. Throws
  // run_error when an error ended the run.
  void wait();

  // Ends the run soon, without waiting for it: running invocations finish, queued records are dropped and counted.
  // Boxes see it in their grant's stop(). Idempotent.
  void stop();

  // The failures so far that are kept, oldest first. With on_error::collect these are the newest (option
  // max_failures_kept); report().failed counts all.
  std::vector<failure> errors() const;

  // The same, and they are kept no longer: for a run that goes on for long, to be called now and then. Called from
  // several threads at the same time, it returns each failure to one of them. Records that fail meanwhile do not wait
  // for it.
  std::vector<failure> take_errors();

  run_report report() const;  // see report.hpp; while the run goes on, its counters are a moment's

  // A handle to report() that outlives the run. Throws std::bad_alloc.
  run_view view() const;

  // Predicts the cost of one invocation of a component at predictor value x on `cores` cores, as far as is known.
  // Throws std::invalid_argument when there is no such component, naming it and the existing ones, and for less than
  // one core.
  prediction predict(const std::string& component, double x, cores on) const;

  // The same for a component of several predictors, with a value for each: `run.predict("read", {letters, pixels},
  // cores{2})`. Throws std::invalid_argument for another number of values, as the above does for such a component.
  // Where a model found by itself what the cost depends on, both predict an invocation of the middle input.
  prediction predict(const std::string& component, std::initializer_list<double> values, cores on) const;

  // The models learnt so far, by component: save them by write_models, start from them by options::prior_models. Rank 0
  // of several adds those of the other ranks: of each rank the 64 components with the most time. Where several ranks
  // have a component, the model that has seen the most is returned. During the run rank 0 asks the others and waits
  // half a second at most.
  std::map<std::string, saved_model> models() const;

  execution(execution&&) noexcept;
  execution& operator=(execution&&) noexcept;
  ~execution();

 private:
  friend execution start(const network& net, options o);
  friend struct detail::started;
  explicit execution(std::unique_ptr<detail::run_state> state);
  detail::run_state& state() const;  // throws std::logic_error where it was moved from
  std::unique_ptr<detail::run_state> state_;
};

// Starts a network. Throws type_error when it cannot work: two boxes of one name have different callables, or one field
// name has two types. Throws std::invalid_argument for options that do not fit: it says which, what was given and what
// was expected. Throws run_error of failure_kind::no_thread when the system gives no thread to control the run. Throws
// std::logic_error in a child made by fork() of a process that had runs. Throws std::bad_alloc.
execution start(const network& net, options o);

// The same with default options. No default argument, so that callers without options compile nothing of them.
execution start(const network& net);

}  // namespace weir
