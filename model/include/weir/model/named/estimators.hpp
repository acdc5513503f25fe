#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <weir/model/estimator.hpp>
#include <weir/model/predictor_form.hpp>

namespace [[gnu::visibility("default")]] weir {

// The names that make_estimator() knows. First comes "weir", the default. The estimators of the papers follow, each
// after the one that it builds on: "simple-amdahl", "extended-amdahl" (offline), "extended-amdahl-online" and
// "parallel-penalty".
std::vector<std::string> estimator_names();

// The same names, plus the variants that are worth comparing. These vary the aggregation of alpha, the curves, the
// penalty over p, and the skeleton.
std::vector<std::string> estimator_variants();

// Makes an estimator by name, which is "name" or "name:word:word...". Each word picks an alternative of one option;
// words may come in any order. The header of each estimator lists its words.
//
// Throws std::invalid_argument when the name or a word is unknown, when two words choose the same option, or when the
// degree is outside 0..8. The message names what was given and what exists.
//
// A name with "(form, form, ..)" behind it is a model of several predictors (joint_estimator): 1 to most_predictors of
// "number", "kind" and "candidate". It finds the shape itself and the degree does not count.
std::unique_ptr<estimator> make_estimator(std::string_view name, degree k);

// The name of such a model: "weir(number, kind)".
std::string joint_name(std::string_view name, const std::vector<predictor_form>& forms);

}  // namespace weir
