#include "runtime/report/cost_curves.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include <weir/options/saved_models.hpp>
#include "model/number_text.hpp"

namespace weir {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_numbers_of_cores = 6, most_places_of_cores = 48;  // more cannot be told apart in a drawing
constexpr int places_of_x = 33;

// At most `most` of the values, evenly spread, with the first and the last. REQUIRES: sorted.
std::vector<int> spread_over(const std::vector<int>& values, std::size_t most) {
  if (values.size() <= most) return values;
  std::vector<int> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(values[i * (values.size() - 1) / (most - 1)]);
  return some;
}

void add(cost_curves::curve& to, double at, const prediction& p) {
  to.at.push_back(at);
  to.mean.push_back(p.mean);
  to.low.push_back(std::max(0.0, p.mean - 2 * p.spread));
  to.high.push_back(p.mean + 2 * p.spread);
}

// To six digits, more than a drawing shows: in full they would be most of a report's bytes.
json six_digits(double value) {
  if (!std::isfinite(value)) return nullptr;
  const std::string text = in_digits(value);
  double rounded = value;  // kept where the rounded one is none
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

json all_of(const std::vector<double>& values) {
  json all = json::array();
  for (const double v : values) all.push_back(six_digits(v));
  return all;
}

json curve_json(const char* places, const cost_curves::curve& c) {
  return {{places, all_of(c.at)}, {"mean", all_of(c.mean)}, {"low", all_of(c.low)}, {"high", all_of(c.high)}};
}

}  // namespace

std::optional<cost_curves> curves_of(const estimator& model, std::vector<invocation_sample> seen, int cores) {
  std::erase_if(seen, [](const invocation_sample& s) { return !std::isfinite(s.x) || !std::isfinite(s.seconds); });
  if (seen.empty()) return {};
  std::vector<double> x;
  std::set<int> numbers_of_cores;
  for (const invocation_sample& s : seen) {
    x.push_back(s.x);
    numbers_of_cores.insert(s.cores);
  }
  std::sort(x.begin(), x.end());
  cost_curves all;
  for (const int p : spread_over({numbers_of_cores.begin(), numbers_of_cores.end()}, most_numbers_of_cores)) {
    cost_curves::curve c;
    c.cores = p;
    const int places = x.front() < x.back() ? places_of_x : 1;
    for (int i = 0; i < places; ++i) {
      const double at = places == 1 ? x.front() : x.front() + (x.back() - x.front()) * i / (places - 1);
      add(c, at, model.predict(at, p));
    }
    all.over_x.push_back(std::move(c));
  }
  std::vector<int> counts(static_cast<std::size_t>(std::max(1, cores)));
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<int>(i) + 1;
  all.over_cores.x = x[x.size() / 2];
  for (const int p : spread_over(counts, most_places_of_cores))
    add(all.over_cores, p, model.predict(all.over_cores.x, p));
  all.points = std::move(seen);
  return all;
}

std::optional<cost_curves> curves_of(const component_report& of, int cores) {
  if (of.learnt.estimator.empty()) return {};
  return curves_of(*estimator_of(of.learnt), of.recent, cores);
}

json curves_json(const std::optional<cost_curves>& curves) {
  if (!curves) return nullptr;
  json over_x = json::array(), points = json::array();
  for (const cost_curves::curve& c : curves->over_x) {
    over_x.push_back({{"cores", c.cores}});
    over_x.back().update(curve_json("x", c));
  }
  json over_cores{{"x", six_digits(curves->over_cores.x)}};
  over_cores.update(curve_json("cores", curves->over_cores));
  for (const invocation_sample& s : curves->points) points.push_back({six_digits(s.x), s.cores, six_digits(s.seconds)});
  return {{"over_x", over_x}, {"over_cores", over_cores}, {"points", points}};
}

}  // namespace weir
