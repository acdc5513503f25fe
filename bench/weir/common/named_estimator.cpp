#include "bench/weir/common/named_estimator.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include <weir/model/named/estimators.hpp>
#include "bench/support/bad_input.hpp"

namespace weir::program {

void require_estimator(const std::string& option, const std::string& name, int k) {
  try {
    make_estimator(name, degree{k});
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", option, e.what()));
  }
}

std::unique_ptr<estimator> model_of_one_x(const saved_model& saved) {
  std::unique_ptr<estimator> model = estimator_of(saved);
  if (const description learnt = model->describe(); !learnt.use_names.empty())
    throw std::invalid_argument(
        fmt::format("its time follows several predictors or kinds (of them {}), which its run alone knows, "
                    "expected was a model of one predictor value",
                    fmt::join(learnt.use_names, ", ")));
  return model;
}

}  // namespace weir::program
