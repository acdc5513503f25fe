#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/network/box_spec.hpp>

namespace weir::detail {

// The values of a box's predictors at one record, as an observation has them. Plain data.
struct predictor_values_read {
  double x = 1;
  decltype(observation::further) further{};
};

// On what the cost of a box may depend: its predictors, or for a box without any what a run sees for nothing, the tags
// that it takes and the sizes of its fields. Immutable; any thread may read.
class box_predictors {
 public:
  explicit box_predictors(const box_spec& box);

  // Whether a record has values to read.
  bool are_there() const { return box_.predict || !candidates_.empty(); }
  // More than the one of its first predictor.
  bool are_several() const { return !forms_.empty(); }
  // As a model of several takes them; empty: one number or nothing.
  const std::vector<predictor_form>& forms() const { return forms_; }
  // Calls the candidates in use by their labels: "<n>", "size of page".
  void name_uses(description& of) const;

  // The record's values. Throws what the predictors throw.
  predictor_values_read read(const invocation& i) const;
  // The values of an invocation of several records: means, of x as the mean of powers. NaN for kinds that differ.
  predictor_values_read mean_of(std::span<const predictor_values_read> each) const;

 private:
  struct candidate {
    std::size_t taken;                                 // its index
    double (*extent)(const std::uint64_t&) = nullptr;  // null: a tag
  };
  const box_spec& box_;
  std::vector<candidate> candidates_;
  std::vector<predictor_form> forms_;
};

}  // namespace weir::detail
