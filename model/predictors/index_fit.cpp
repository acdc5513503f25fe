#include "model/predictors/index_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/least_squares/non_negative.hpp"
#include "model/predictors/log_regression.hpp"

namespace weir {
namespace {

using samples_seen = std::span<const index_sample>;

// The parts of a predictor in the regression.
enum class part { none, line, bent, levels };

// A change of parts counts from these differences of the criterion on.
constexpr double margin_of_named = 2, margin_of_candidate = 10;
// As in the choice of families: half as much again as Schwarz's.
constexpr double penalty = 1.5;
// Whether its values go with the order of the samples.
bool is_counter(samples_seen samples, int predictor) {
  constexpr double nearly = 0.9;  // correlation
  const double n = static_cast<double>(samples.size()), middle = (n - 1) / 2;
  double mean = 0;
  for (const index_sample& s : samples) mean += s.of[predictor] / n;
  double with_order = 0, squares = 0, order = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double at = static_cast<double>(i) - middle, off = samples[i].of[predictor] - mean;
    with_order += at * off;
    squares += off * off;
    order += at * at;
  }
  return with_order * with_order > nearly * nearly * squares * order;
}

class index_search {
 public:
  index_search(samples_seen samples, std::span<const predictor_form> forms)
      : samples_(samples), forms_(forms), table_(samples, described()) {}

  joint_index run() {
    const auto may_count = [](const predictor_range& r) { return r.is_number || r.values > 0; };
    if (std::none_of(ranges_.begin(), ranges_.end(), may_count)) return {};
    for (int pass = 0; pass < 3; ++pass) {
      table_.sum_up();
      while (improve()) {
      }
      fit_ = table_.solve(columns_of(parts_));
      table_.weigh(fit_);
    }
    table_.sum_up();
    const double base = table_.solve(columns_of({})).squares;
    fit_ = table_.solve(columns_of(parts_));
    joint_index out = as_product();
    double left = fit_.squares;
    if (out.form == joint_index::combination::product && out.numbers_used > 0) {
      const double with_product = criterion(fit_);
      if (auto sum = as_sum(out); sum && sum->criterion < with_product) out = sum->index, left = sum->squares;
    }
    out.explained = base > 0 ? std::clamp(1 - left / base, 0.0, 1.0) : 0;
    to_microseconds(out);
    return out;
  }

 private:
  using parts = std::array<part, most_predictors>;
  struct summed {
    joint_index index;
    double criterion, squares;
  };

  int count() const { return static_cast<int>(forms_.size()); }
  double many() const { return static_cast<double>(samples_.size()); }

  // The ranges, and the parts to begin with.
  std::span<const predictor_range> described() {
    int levels = 0;
    for (int j = 0; j < count(); ++j) {
      predictor_range& r = ranges_[j];
      const bool named = forms_[j] != predictor_form::candidate;
      r = range_of(samples_, j);
      if (r.low == r.high || (!named && is_counter(samples_, j))) {
        r.is_number = false, r.values = 0;
        continue;
      }
      if (forms_[j] == predictor_form::kind) r.is_number = false;
      // Each level needs some samples, and fewer where it is said that there are levels.
      const double enough = forms_[j] == predictor_form::kind ? 1.5 : 4;
      if (r.values * enough > many() || levels + r.values > joint_index::most_levels) r.values = 0;
      r.first_level = levels;
      levels += r.values;
      if (named) parts_[j] = r.is_number ? part::line : r.values > 0 ? part::levels : part::none;
    }
    return {ranges_.data(), forms_.size()};
  }

  bool is_possible(int j, part p) const {
    if (p == part::none) return true;
    if (p == part::levels) return ranges_[j].values > 0;
    if (!ranges_[j].is_number) return false;
    int numbers = 0;
    for (int i = 0; i < count(); ++i) numbers += i != j && (parts_[i] == part::line || parts_[i] == part::bent);
    return numbers < joint_index::most_numbers;
  }

  regression_columns columns_of(const parts& of) const {
    regression_columns out;
    for (int j = 0; j < count(); ++j) {
      out.line[j] = of[j] == part::line || of[j] == part::bent;
      out.bend[j] = of[j] == part::bent;
      out.levels[j] = of[j] == part::levels;
    }
    return out;
  }

  double criterion(const regression& r) const { return criterion(r.squares, r.parameters); }
  double criterion(double squares, int parameters) const {
    const double n = many(), floor = n * least_residual * least_residual;
    constexpr double most = 0.75;  // of the samples; with more, next to nothing would be left to tell
    if (parameters > most * n) return 1e9;
    return n * std::log((squares + floor) / n) + penalty * parameters * std::log(n);
  }

  // Makes the best change of one part; false when none is worth making.
  bool improve() {
    const double now = criterion(table_.solve(columns_of(parts_)));
    double best = 0;
    parts chosen = parts_;
    for (int j = 0; j < count(); ++j)
      for (const part p : {part::none, part::line, part::bent, part::levels}) {
        if (p == parts_[j] || !is_possible(j, p)) continue;
        parts next = parts_;
        next[j] = p;
        const bool adds = parts_[j] == part::none && forms_[j] == predictor_form::candidate;
        const double gain = now - criterion(table_.solve(columns_of(next))) -
                            (p == part::none ? 0
                             : adds          ? margin_of_candidate
                                             : margin_of_named);
        if (gain > best) best = gain, chosen = next;
      }
    if (best <= 0) return false;
    parts_ = chosen;
    return true;
  }

  joint_index as_product() const {
    joint_index out;
    out.constant = fit_.constant;
    for (int j = 0; j < count(); ++j) {
      const predictor_range& r = ranges_[j];
      if (parts_[j] == part::line || parts_[j] == part::bent) {
        joint_index::number& n = out.numbers[out.numbers_used++];
        n.predictor = j, n.least = r.least, n.largest = r.high;
        n.slope = fit_.slope[j], n.bend = fit_.bend[j];
      }
      if (parts_[j] == part::levels)
        for (int v = 0; v < r.values; ++v)
          out.levels[out.levels_used++] = {j, r.value[v], static_cast<float>(fit_.levels[r.first_level + v])};
    }
    using enum joint_index::combination;
    out.form = out.numbers_used + out.levels_used == 0     ? none
               : out.numbers_used == 1 && !out.levels_used ? one
                                                           : product;
    return out;
  }

  static void to_microseconds(joint_index& index) {
    constexpr double in_a_second = 1e6;
    if (index.form == joint_index::combination::product) index.constant += std::log(in_a_second);
    if (index.form != joint_index::combination::sum) return;
    index.constant *= in_a_second;
    for (joint_index::number& n : index.numbers)
      for (double& c : n.terms) c *= in_a_second;
    for (auto& line : index.pairs)
      for (double& c : line) c *= in_a_second;
  }

  // The sum is fitted with the levels and cores of the product first, and then with its own.
  std::optional<summed> as_sum(const joint_index& product) {
    constexpr int most_summed = 3;  // more have too many terms
    if (product.numbers_used > most_summed) return std::nullopt;
    joint_index sum = product;
    sum.form = joint_index::combination::sum;
    joint_index bare = product;  // without levels
    bare.levels_used = 0;
    std::array<double, most_index_samples> work{};  // log seconds on one core
    for (std::size_t i = 0; i < samples_.size(); ++i) work[i] = std::log(bare.at(samples_[i].of));
    regression rest = fit_;
    parts without = parts_;
    for (part& p : without)
      if (p != part::levels) p = part::none;
    int terms = 0;
    for (int round = 0; round < 3; ++round) {
      terms = fit_terms(sum, work, rest);
      if (terms == 0) return std::nullopt;
      bare = sum;
      bare.levels_used = 0;
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        const double x = bare.at(samples_[i].of);
        if (!(x > 0)) return std::nullopt;
        table_.leave_out(i, std::log(x));
        work[i] = std::log(x);
      }
      table_.sum_up();
      rest = table_.solve(columns_of(without));
      take_rest(sum, rest, work);
    }
    const double parameters = rest.parameters + terms - 1;
    return summed{sum, criterion(rest.squares, static_cast<int>(parameters)), rest.squares};
  }

  // The constant and the levels of the rest become those of the sum.
  void take_rest(joint_index& sum, const regression& rest, std::array<double, most_index_samples>& work) const {
    const double scale = std::exp(rest.constant);
    sum.constant *= scale;
    for (int a = 0; a < sum.numbers_used; ++a) {
      for (double& c : sum.numbers[a].terms) c *= scale;
      for (int b = 0; b < sum.numbers_used; ++b) sum.pairs[a][b] *= scale;
    }
    for (int l = 0; l < sum.levels_used; ++l) {
      const int j = sum.levels[l].predictor;
      for (int v = 0; v < ranges_[j].values; ++v)
        if (ranges_[j].value[v] == sum.levels[l].value)
          sum.levels[l].log_factor = static_cast<float>(rest.levels[ranges_[j].first_level + v]);
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) work[i] += rest.constant;
  }

  // Non-negative least squares of relative errors; `work`: the log of the sum as last known, without levels. Returns
  // the number of positive terms.
  int fit_terms(joint_index& sum, const std::array<double, most_index_samples>& work, const regression& rest) const {
    const int k = sum.numbers_used, powers = static_cast<int>(joint_index::powers.size());
    const bool has_pairs = k == 2;
    const int size = 1 + k * powers + (has_pairs ? k * (k - 1) / 2 : 0);
    normal_equations problem(size);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      std::array<double, normal_equations::max_size> row{};
      std::array<double, joint_index::most_numbers> u{};
      row[0] = 1;
      int at = 1;
      for (int a = 0; a < k; ++a) {
        u[a] = std::max<double>(samples_[i].of[sum.numbers[a].predictor], 0) / sum.numbers[a].largest;
        const double root = std::sqrt(u[a]);
        for (const double term : {root, u[a], u[a] * root, u[a] * u[a], u[a] * u[a] * u[a]}) row[at++] = term;
      }
      if (has_pairs)
        for (int b = 0; b < k; ++b)
          for (int a = 0; a < b; ++a) row[at++] = u[a] * u[b];
      const double seen = samples_[i].log_seconds - table_.beside(i, rest);
      const double scale = std::exp(std::clamp(work[i], seen - std::log(2), seen + std::log(2)));
      const double weight = table_.weight(i) / (scale * scale), target = std::exp(seen);
      for (int r = 0; r < size; ++r) {
        problem.right[r] += weight * row[r] * target;
        for (int c = 0; c < size; ++c) problem.gram[r][c] += weight * row[r] * row[c];
      }
    }
    const auto found = solve_non_negative(problem);
    int at = 1, terms = 0;
    sum.constant = found[0];
    for (int a = 0; a < k; ++a)
      for (double& c : sum.numbers[a].terms) c = found[at++];
    if (has_pairs)
      for (int b = 0; b < k; ++b)
        for (int a = 0; a < b; ++a) sum.pairs[a][b] = found[at++];
    for (int i = 0; i < size; ++i) terms += found[i] > 0;
    return terms;
  }

  samples_seen samples_;
  std::span<const predictor_form> forms_;
  std::array<predictor_range, most_predictors> ranges_{};
  parts parts_{};
  log_regression table_;  // uses the ranges, so it stands after them
  regression fit_;
};

}  // namespace

double left_by(const joint_index& index, samples_seen samples) {
  std::array<index_sample, most_index_samples> by_x;  // a law of x may have any curve
  std::copy(samples.begin(), samples.end(), by_x.begin());
  for (index_sample& s : by_x) s.of[0] = static_cast<float>(index.at(s.of));
  const std::span<const index_sample> seen(by_x.data(), samples.size());
  const predictor_range range = range_of(seen, 0);
  log_regression table(seen, {&range, 1});
  table.sum_up();
  regression_columns columns;
  columns.line[0] = columns.bend[0] = range.is_number && range.low < range.high;
  return table.solve(columns).squares;
}

joint_index fit_index(samples_seen samples, std::span<const predictor_form> forms) {
  return index_search(samples, forms).run();
}

}  // namespace weir
