#include "model/papers/parallel_penalty.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/law/component_law.hpp"

namespace weir {
namespace {

constexpr std::array curves{curve_kind::best_two, curve_kind::spline, curve_kind::loess, curve_kind::lm,
                            curve_kind::poly};
constexpr std::array forms{skeleton::form::map, skeleton::form::farm, skeleton::form::iteration,
                           skeleton::form::divide_and_conquer};
constexpr std::array branchings{3, 2, 4, 7, 8};

}  // namespace

std::span<const word_option> parallel_penalty::options() {
  static const auto* const all = new std::array<word_option, 4>{
      // never destroyed, as in extended_amdahl
      word_option{"n", "p"}, word_option{"best-two", "spline", "loess", "lm", "poly"},
      word_option{"map", "farm", "iteration", "divide-and-conquer"},
      word_option{"branching-3", "branching-2", "branching-4", "branching-7", "branching-8"}};
  return *all;
}

parallel_penalty::parallel_penalty(std::string_view name, degree k) : paper_estimator(103, name, options(), k) {
  how_.over_cores = word(0) == 1;
  how_.curve = curves[word(1)];
  how_.form = {forms[word(2)], branchings[word(3)]};
  how_.degree = k.value;
  if (name.find(":branching-") != name.npos && how_.form.kind != skeleton::form::divide_and_conquer)
    throw std::invalid_argument("estimator '" + std::string(name) + "': a branching needs divide-and-conquer");
}

void parallel_penalty::learn(const observation& seen) {
  table_.add(seen);
  chosen_.reset();
}

double parallel_penalty::alpha_of(const penalty_model& model) const {
  const auto serial = model.highest_serial_fraction();
  return serial ? std::clamp(1 - *serial, 0.0, 1.0) : optimistic_alpha;
}

prediction parallel_penalty::predicted(double x, int cores) const {
  const coverage& seen = table_.seen();
  const penalty_model now(table_, how_, chosen_.get());
  const auto time = now.time(x, cores);
  constexpr double largest = std::numeric_limits<double>::max();
  const double within = std::sqrt(table_.within() / static_cast<double>(seen.observations));
  const double leaf = how_.form.leaf(x, cores);
  return {.mean = time.value,
          .spread = std::min(std::hypot(time.deviation, within * time.value), largest),
          .alpha = alpha_of(now),
          .sequential = std::min(how_.form.rounds(x) * now.sequential(x), largest),
          .confidence = seen.confidence(x, cores, how_.degree + 2),
          .extrapolates = !seen.holds(x, cores) || leaf < seen.smallest_x};
}

description parallel_penalty::described(description out) const {
  const coverage& seen = table_.seen();
  out.alpha_known = seen.smallest_cores == 1 && seen.largest_cores > 1;
  out.coefficients.resize(static_cast<std::size_t>(how_.degree) + 1);
  if (seen.observations > 0) {
    const auto choices = chosen_ ? *chosen_ : penalty_model(table_, how_).choose();
    const penalty_model now(table_, how_, &choices);
    out.alpha = alpha_of(now);
    const auto polynomial = now.sequential_polynomial();
    std::copy_n(polynomial.begin(), out.coefficients.size(), out.coefficients.begin());
    const auto seconds = [&](double x, int cores) { return now.time(x, cores).value; };
    out.scatter = table_.scatter_about(seconds, how_.degree + 2).seen();
  }
  return out;
}

std::unique_ptr<estimator> parallel_penalty::clone() const {
  auto copy = std::make_unique<parallel_penalty>(*this);
  if (!chosen_ && table_.seen().observations > 0)
    copy->chosen_ = std::make_shared<const penalty_model::choices>(penalty_model(table_, how_).choose());
  return copy;
}

bool parallel_penalty::assign(std::span<const double> numbers) {
  if (!table_.assign(numbers)) return false;
  chosen_.reset();
  return true;
}

}  // namespace weir
