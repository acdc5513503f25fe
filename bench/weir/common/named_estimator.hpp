#pragma once

#include <memory>
#include <string>

#include <weir/options/saved_models.hpp>

namespace weir::program {

// Throws bad_input that begins with `option` if there is no such estimator, or none of degree k. It tries to make one,
// so that it needs no list of names and variants.
void require_estimator(const std::string& option, const std::string& name, int k);

// The saved model, for use with one predictor value. Throws std::invalid_argument as estimator_of() does, and where the
// model makes its x of several predictors.
std::unique_ptr<estimator> model_of_one_x(const saved_model& saved);

}  // namespace weir::program
