#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/record/record.hpp>
#include <weir/record/shape.hpp>
#include "runtime/record/spare_body.hpp"
#include "runtime/record/words.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// How a box turns records of one shape into its output records: every label resolved to a slot, once per shape.
struct box_plan {
  template <class T>
  using few = boost::container::small_vector<T, 2>;  // most lists are short: a plan is then one piece of memory
  struct variant {
    const shape* out;
    bool in_place;       // the same shape: the given labels lie in the slots they were taken from
    bool keeps_body;     // the output fits the memory of the input
    int only_slot = -1;  // in place, and this is the only slot to write; -1: otherwise
    struct given_label {
      std::uint64_t key;
      const value_type* type;
      std::uint16_t slot;
      bool is_boxed;
    };
    few<given_label> labels;                               // that are given, in signature order
    few<std::pair<std::uint16_t, std::uint16_t>> inherit;  // from input slot to output slot
    struct consumed_slot {
      std::uint16_t slot;
      std::int16_t again;  // the given label that may have taken over its value's memory; -1: none
    };
    few<consumed_slot> consumed;  // boxed input slots that the output does not have
  };
  boost::container::small_vector<std::uint32_t, 4> take;  // as invocation::take
  boost::container::small_vector<variant, 1> variants;
};

// The plan for records of this shape; null when they do not match.
std::unique_ptr<box_plan> make_plan(const box_spec& spec, const shape& s);

// A cache of the latest plans of a run, so that boxes with the same signature share one: a large network has many of
// these. Thread-safe.
class recent_plans {
 public:
  // As make_plan().
  std::shared_ptr<const box_plan> find(const box_spec& spec, const shape& s);

 private:
  struct made {
    const shape* of = nullptr;
    bool is_fold = false;
    std::vector<const label_info*> takes;
    std::vector<std::vector<const label_info*>> variants;
    std::shared_ptr<const box_plan> plan;
  };
  WEIR_LOCK(recent_plans) mutex_;
  std::array<made, 8> kept_ WEIR_GUARDED_BY(mutex_);
  std::size_t next_ WEIR_GUARDED_BY(mutex_) = 0;  // is replaced
};

// The plan for what a fold emits when its input has ended: it takes nothing.
std::unique_ptr<box_plan> plan_without_input(const box_spec& spec);

// Builds the record that goes on from the input, whose body it may reuse, and the given words. Without memory it
// throws: the words are freed, and the input is unchanged. That is only where neither in_place nor keeps_body.
[[gnu::noinline]] record_body* rebuilt(record_body* input, const box_plan::variant& v, const slot_word* given);
inline record_body* output_of(const invocation& i, const box_plan::variant& v) {
  if (v.only_slot >= 0)
    i.input->slots()[v.only_slot] = i.given[0];
  else if (i.given_count != invocation::in_input)
    return rebuilt(i.input, v, i.given);
  return i.input;
}

// Lets go of the values that a box gave before it threw.
void let_go_of_given(const box_spec& spec, const invocation& i) noexcept;

// The same for one of several emitted records: the input keeps its values. word(i): the given one of a label.
template <class Word>
record_body* derived_from(const record_body& input, const box_plan::variant& v, spare_body& spare, Word word) {
  record_body* const out = spare.make(v.out);
  slot_word* const slots = out->slots();
  const slot_word* const inherited = input.slots();
  const int boxed = v.out->boxed();
  for (const auto& [from, to] : v.inherit) {
    const slot_word w = slots[to] = inherited[from];
    if (to < boxed) hold(w);
  }
  const std::size_t given = v.labels.size();
  for (std::size_t i = 0; i < given; ++i) slots[v.labels[i].slot] = word(i);
  if (input.where || input.order) share_context(input, *out);
  return out;
}

// Says why an emission matches no declared output.
std::string undeclared(const box_spec& spec, const labelled_word* words, std::size_t count);

}  // namespace weir::detail
