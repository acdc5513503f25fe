#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <weir/model/predictor_form.hpp>
#include <weir/network/grant.hpp>
#include <weir/network/resource.hpp>
#include <weir/network/signature.hpp>
#include <weir/record/record.hpp>
#include <weir/threads/primitives.hpp>

namespace [[gnu::visibility("default")]] weir {
class emitter;
namespace detail {
class box_processes;
struct box_spec;

// Thrown through a box when the run is stopping, as by emission::deliver(): it ends the invocation, and drops its
// input.
struct stopped {};

// Thrown through a box that cannot run any more, whatever its input: its record fails, and the run ends with this
// error, also with on_error::collect.
class run_ending_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The use of the machine by a process that does the work of an invocation, whose thread waits for it. Plain data.
struct invocation_use {
  double seconds = 0;            // that count as the invocation's time; 0: nothing is known
  double cpu_seconds = 0;        // of all its cores
  std::uint64_t peak_bytes = 0;  // of its resident memory; 0: unknown
};

// The target of an emitter's records. The run implements it, for one invocation.
class emission {
 public:
  // Makes the output record of one declared variant from these words and the inherited labels. Owns the words when it
  // returns. Throws type_error, and owns nothing, when no declared variant has exactly these labels.
  virtual record_body* build(const labelled_word* words, std::size_t count) = 0;
  // Sends the record on; may block. Owns the record even when it throws.
  virtual void deliver(record_body* body) = 0;
  // The emitter for the callable, the same one until it has returned. Throws std::bad_alloc.
  virtual emitter& open() = 0;
  // Requests a stop as grant::stop() does.
  virtual std::stop_token stop() const = 0;

 protected:
  ~emission() = default;
};

// One call of a box, as the thunk for its C++ types sees it. Used by the invoking thread only.
struct invocation {
  record_body* input;
  // The offset of the slot of each taken label; behind them 1 if the values given may stay in these slots, else 0. They
  // may if the box gives the labels that it takes, in their order, and the output has the shape of the input.
  const std::uint32_t* take;
  slot_word* given;     // where the returned values go, in the order of the variant's labels
  int given_count = 0;  // values already written; the caller lets go of them when a later one throws. Or in_input
  const grant* granted;
  emission* out;
  void* kept = nullptr;  // what the box keeps, for a callable that takes it first; see keeping

  static constexpr int in_input = -1;  // all values are in the slots from which the box took the same labels

  slot_word& taken(std::size_t i) const { return input->at_offset(take[i]); }
  void give(slot_word word) { given[given_count++] = word; }
  void give_only(slot_word word) { given[0] = word; }  // of a single label: nothing that could throw follows
};

inline constexpr int max_given = 32;  // labels of one output variant: bounds a buffer on the stack

// The compiled code for one type of callable and one list of labels.
struct box_code {
  // True when it gave the values of the only variant. `callable` is null when the callable has no state.
  bool (*call)(void* callable, invocation& i);
  void (*end)(void* callable);  // destroys the callable; null when it has no state
  bool takes_grant;             // may start threads of its own, which inherit the invoking thread's affinity
  bool returns_one;             // gives exactly one record per input, by returning it, so its outputs need no counter
  bool gives_none;              // a sink without an emitter
  label_sorts takes;
  label_sorts gives;  // of the only variant
  // The use by the last invocation with this kept value, for boxes that work in another process. Null: the thread's
  // own.
  invocation_use (*use_of)(const void* kept) = nullptr;
  // Called when a run starts, before anything runs; start() throws its exceptions. Null: nothing.
  void (*check_at_start)(const box_spec& box) = nullptr;
  // Calls the callable for several records, whose `given` each have room for the values of the only variant. gave[i]:
  // whether it gave them for record i. Throws what the callable throws; then given_count says of each record what the
  // caller is to let go of. Null: the callable takes one record at a time.
  void (*call_batch)(void* callable, std::span<invocation> each, bool* gave) = nullptr;
  // From now on the kept value has its processes in this list while they work. Null: the box starts none.
  void (*list_processes)(void* kept, std::shared_ptr<box_processes> in) = nullptr;
};

// The value that a box keeps from one invocation to the next: the state of a fold, in each instance, or the value that
// each_lane() makes, on each thread. The callable gets a reference to it as its first argument.
struct keeping {
  std::shared_ptr<void> maker;           // for make(): the function that makes one, or the value that is copied
  void* (*make)(void* maker) = nullptr;  // throws what the maker throws
  void (*end)(void* kept) = nullptr;
  bool in_instance = false;  // of a fold
  // Calls the finish function of a fold with the state, at the end of the input. Null: the fold has none.
  void (*finish)(void* callable, invocation& i) = nullptr;
};

// The part of a resource that each invocation of a box needs: `amount`, or what the function says, or a learnt one.
struct resource_need {
  resource of;
  std::int64_t amount = 0;
  std::shared_ptr<void> function{};  // null: it has none
  double (*call)(void* function, const invocation& i) = nullptr;
  bool is_learnt = false;

  bool operator==(const resource_need&) const = default;
};

// One of several predictors of a box.
struct box_predictor {
  std::shared_ptr<void> function;
  double (*call)(void* function, const invocation& i) = nullptr;
  predictor_form form = predictor_form::number;

  bool operator==(const box_predictor&) const = default;
};

// The second implementation of a box, on a device.
struct device_box {
  std::string device;                                     // its name
  std::shared_ptr<void> callable;                         // never null
  bool (*call)(void* callable, invocation& i) = nullptr;  // as box_code::call; invocation::kept: a slot_arguments
  std::vector<label_sort> gives;                          // the types of its results
  bool may_give_none = false;                             // it returns an optional
  // As box_code::call_batch; the invocations share a slot_arguments. Null: the callable takes one record at a time.
  void (*call_batch)(void* callable, std::span<invocation> each, bool* gave) = nullptr;
  bool emits = false;   // any number of records, which need not be of the types of `gives`
  keeping each_slot{};  // its `make` is null: nothing is kept
  std::optional<double>
      from{};  // the device gets the records whose predictor value is this or more; none: it is learnt
};

// A box with its C++ types erased: labels, function pointers and properties. Immutable once built. All networks and
// runs that use the box share it.
struct box_spec {
  std::string name;
  std::vector<const label_info*> takes;                  // in signature order
  std::vector<std::vector<const label_info*>> variants;  // each in signature order; empty: a sink

  std::shared_ptr<void> callable;  // null: it has no state
  const box_code* code = nullptr;
  const void* identity = nullptr;  // with `code`: two specs that agree in both have the same callable

  std::shared_ptr<void> predictor;  // null: x = 1, constant cost
  double (*predict)(void* predictor, const invocation& i) = nullptr;
  int degree = 0;
  predictor_form first_form = predictor_form::number;  // of that predictor
  std::vector<box_predictor> further;                  // predictors behind it

  int min_cores = 1;
  int max_cores = std::numeric_limits<int>::max();
  int max_width = std::numeric_limits<int>::max();
  bool sequential = false;
  bool one_call = false;     // the callable changes when it is called, so max_width stays 1
  bool blocking = false;     // runs on max_width threads outside the cores
  bool initialiser = false;  // takes nothing and runs once, when the network starts

  std::vector<resource_need> needs;      // of different resources
  std::shared_ptr<const device_box> on;  // null: it runs on cores alone

  int priority = 1;                      // its weight in the shared group
  const label_info* first_by = nullptr;  // the tag whose highest value is taken first; null: first come, first served

  int most_in_batch = 1;        // records of one invocation; 1 unless code->call_batch is there
  bool batch_is_fixed = false;  // each has exactly that number, but for the last at the end of the input

  // Whether its invocations were short in the run that ended last: the next run expects it again, until it has seen
  // some. Any thread may note it. A copy knows nothing yet.
  class earlier_runs {
   public:
    earlier_runs() = default;
    earlier_runs(const earlier_runs&) noexcept {}
    earlier_runs& operator=(const earlier_runs&) noexcept { return *this; }
    bool were_short() const noexcept { return short_.load(std::memory_order_relaxed); }
    void note(bool was_short) const noexcept {
      if (was_short != were_short()) short_.store(was_short, std::memory_order_relaxed);
    }

   private:
    mutable threads::atomic<bool> short_{false};  // relaxed: a hint
  };
  earlier_runs earlier;

  std::shared_ptr<const keeping> keeps;  // null: nothing
  bool is_fold() const { return keeps && keeps->in_instance; }
  bool has_state() const { return is_fold() || batch_is_fixed; }                       // that is kept in each instance
  bool acts_at_end() const { return (is_fold() && keeps->finish) || batch_is_fixed; }  // of the input

  weir::signature signature() const;
  bool same_box(const box_spec& other) const;  // the same callable with the same labels and properties
};

}  // namespace detail
}  // namespace weir
