#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/network/grant.hpp"
#include "runtime/network/signature.hpp"
#include "runtime/record/record.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

// Where an emitter's records go: implemented by the execution.
class emission {
 public:
  // Makes the output record of one declared variant from these words and what it inherits. Takes the words over when it
  // returns; throws, taking nothing, when no declared variant has exactly these labels.
  virtual record_body* build(const labelled_word* words, std::size_t count) = 0;
  // Sends it on; may block. Owns the record in any case.
  virtual void deliver(record_body* body) = 0;

 protected:
  ~emission() = default;
};

// One call of a box, as its typed thunk sees it.
struct invocation {
  record_body* input;
  const std::uint32_t* take;  // the offset of the slot of each taken label
  slot_word* given;           // where the returned values go, in the order of the variant's labels
  int given_count = 0;        // those already written: what is let go when the rest throws
  const grant* granted;
  emission* out;

  slot_word& taken(std::size_t i) const { return input->at_offset(take[i]); }
  void give(slot_word word) { given[given_count++] = word; }
  void give_only(slot_word word) { given[0] = word; }  // of one label: nothing is left to throw
};

inline constexpr int max_given = 32;  // labels a box can give in one variant: bounds a buffer on the stack

// What is compiled for one type of callable with one list of labels.
struct box_code {
  // True when it gave the values of the only variant. `callable`: null where that has no state.
  bool (*call)(void* callable, invocation& i);
  void (*end)(void* callable);  // null where the callable has no state
  bool takes_grant;             // may start threads of its own, which inherit the invoking thread's affinity
  bool returns_one;             // gives exactly one record an input, by returning: such boxes need no counting
  label_sorts takes;
  label_sorts gives;  // in the only variant
};

// What a box is, with its C++ types erased: labels and function pointers. Immutable once built; shared by all networks
// and runs that use the box.
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

  int min_cores = 1;
  int max_cores = std::numeric_limits<int>::max();
  int max_width = std::numeric_limits<int>::max();
  bool sequential = false;
  bool blocking = false;     // waits, on threads outside the cores: at most max_width at once
  bool initialiser = false;  // takes nothing and runs once, when the network starts

  weir::signature signature() const;
  bool same_box(const box_spec& other) const;  // the same callable, used in the same way
};

}  // namespace detail
}  // namespace weir
