#pragma once

#include <array>
#include <cstdint>
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

// The predictors of a box. For a box without any these are the tags that it takes and the sizes of its fields, which a
// run sees for nothing. Immutable; any thread may read.
class box_predictors {
 public:
  explicit box_predictors(const box_spec& box);

  // Whether a record has values to read.
  bool are_there() const { return box_.predict || candidates_ > 0; }
  // More than the one of its first predictor.
  bool are_several() const {
    return candidates_ > 0 || (box_.predict && (!box_.further.empty() || box_.first_form == predictor_form::kind));
  }
  // As a model of several takes them; empty: one number or nothing.
  std::vector<predictor_form> forms() const;
  // Calls the candidates in use by their labels: "<n>", "size of page".
  void name_uses(description& of) const;

  // The record's values. Throws what the predictors throw; a size that throws is NaN.
  predictor_values_read read(const invocation& i) const;
  // The values of an invocation of several records: means, of x as the mean of powers. NaN for kinds that differ.
  predictor_values_read mean_of(std::span<const predictor_values_read> each) const;

 private:
  const box_spec& box_;
  std::uint8_t candidates_ = 0;
  std::array<std::uint8_t, most_predictors - 1> taken_{};  // the index of each candidate's label
};

}  // namespace weir::detail
