#include "bench/measurements/components/learnt.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <weir/model/named/estimators.hpp>
#include "bench/support/quantile.hpp"

namespace weir::component_costs {
namespace {

class errors {
 public:
  void add(double predicted, const observation& seen) {
    if (!std::isnan(predicted)) all_.push_back(100 * std::abs(predicted - seen.seconds) / seen.seconds);
  }
  error_percent summary() const { return {program::quantile(all_, 0.5), program::quantile(all_, 0.95)}; }

 private:
  std::vector<double> all_;
};

// predict(observation) gives seconds or NaN; settle() is called between the last learnt observation and the held-out
// ones.
template <typename Predict, typename Observe, typename Settle>
learnt learn_by_halves(const std::vector<observation>& seen, const Predict& predict, const Observe& observe,
                       const Settle& settle) {
  learnt result;
  errors online;
  errors held_out;
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    if (result.observations++ >= first_predicted) online.add(predict(seen[i]), seen[i]);
    observe(seen[i]);
  }
  settle();
  for (std::size_t i = 1; i < seen.size(); i += 2) held_out.add(predict(seen[i]), seen[i]);
  result.online = online.summary();
  result.held_out = held_out.summary();
  return result;
}

}  // namespace

learnt learn(const std::string& estimator, degree k, const std::vector<observation>& seen) {
  auto model = make_estimator(estimator, k);
  learnt result = learn_by_halves(
      seen, [&](const observation& o) { return model->predict(o.x, o.cores).mean; },
      [&](const observation& o) { model->observe(o); },
      [&] { model = model->clone(); });  // fitted once, to predict often
  result.model = model->describe();
  return result;
}

learnt look_up(const std::vector<observation>& seen) {
  std::map<std::pair<double, int>, std::vector<double>> table;
  return learn_by_halves(
      seen,
      [&](const observation& o) {
        return program::quantile(table[{o.x, o.cores}], 0.5);
      },
      [&](const observation& o) {
        table[{o.x, o.cores}].push_back(o.seconds);
      },
      [] {});
}

}  // namespace weir::component_costs
