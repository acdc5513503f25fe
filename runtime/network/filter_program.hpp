#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/filter.hpp>
#include <weir/record/record.hpp>
#include "runtime/patterns/program.hpp"
#include "runtime/record/per_shape.hpp"

namespace weir::detail {

enum class filter_outcome { done, no_match, no_guard_true, division_by_zero };

// Executes one filter. Thread-safe; takes no lock for shapes that it has met before.
class filter_program {
 public:
  explicit filter_program(std::shared_ptr<const filter_spec> spec);

  // Why records of this shape do not match, in words; "" when they do.
  std::string mismatch(const shape& s) const;

  // Which guard or value divides by zero for this record, in words.
  std::string dividing(const record_body& r) const;

  // Replaces a record by the filter's outputs for it. `r` becomes the last of them, null if there is none; the others
  // are appended to `before`. All have the context of the record. With any outcome but `done`, or when it throws
  // std::bad_alloc, `r` and `before` are unchanged.
  filter_outcome run(record_body*& r, std::vector<record_body*>& before) const;

 private:
  // How records of one shape become one record of an output: every label resolved to a slot.
  struct output_plan {
    const shape* out;
    bool in_place;  // the shape stays the same, and only computed slots change
    std::vector<std::pair<std::uint16_t, program>> computed;  // slot and value; its variables are the input's slots
    std::vector<std::pair<std::uint16_t, std::uint16_t>> carried;  // from input slot to output slot
    std::vector<std::uint16_t> shared;  // boxed output slots with the same value as an earlier output slot
    std::vector<std::uint16_t> gone;    // boxed input slots that are not carried
  };
  struct clause_plan {
    std::optional<program> guard;
    std::vector<output_plan> outputs;
  };
  struct plan {
    std::vector<clause_plan> clauses;
  };

  std::unique_ptr<plan> plan_for(const shape& in) const;
  output_plan plan_output(const filter_output& output, const shape& in) const;

  static void give(const std::vector<output_plan>& outputs, record_body*& r, std::vector<record_body*>& before);
  static record_body* begin(const output_plan& o, const record_body& input);
  static void share(const output_plan& o, const record_body& input, record_body& out) noexcept;
  static void move(const output_plan& o, record_body& input, record_body& out) noexcept;

  const std::shared_ptr<const filter_spec> spec_;
  mutable per_shape<plan> plans_;
};

}  // namespace weir::detail
