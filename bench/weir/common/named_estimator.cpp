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

}  // namespace weir::program
