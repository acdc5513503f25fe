#pragma once

#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// The learnt model of a component's cost, to start another run from (options::prior_models, options::prior_runs). Made
// by execution::models(), written and read by write_models and read_models.
struct saved_model {
  std::string estimator;      // its name, as make_estimator() knows it
  int degree = 0;             // of the polynomial, 0 to 8; -1 is unknown_degree
  std::vector<double> state;  // estimator::state()
  std::string machine{};      // on which it learnt last: topology::description(); empty: not known
};

}  // namespace weir
