#include "model/weir/law_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "model/least_squares/bounded_matrix.hpp"
#include "model/least_squares/non_negative.hpp"
#include "model/weir/law_moments.hpp"

namespace weir {
namespace {

// The curve's parameters: theta[0] is alpha, theta[1] contention.
using curve_point = Eigen::Vector2d;

// The change of the objective around a point, to second order: half its negative gradient, and half its curvature.
struct quadratic {
  curve_point descent = curve_point::Zero();
  Eigen::Matrix2d curvature = Eigen::Matrix2d::Zero();

  double change(const curve_point& step) const { return step.dot(curvature * step) - 2 * descent.dot(step); }
};

// Times that only rise with p would leave nothing of the work, and so nothing for one core. A further core costs at
// most this multiple of the work at the largest x. Eight: a hand-over may outweigh short work.
constexpr double most_cost_of_a_core = 8;

class law_search {
 public:
  law_search(const power_sums& sums, family kind, double pull, const component_law& start)
      : sums_(sums), kind_(kind), pull_(pull) {
    best_.law = start;
    best_.law.degree = sums.degree();
    best_.law.exponent = sums.exponent();
    best_.law.roots = sums.roots();
    if (best_.law.two_curves) best_.law.two_curves = false, best_.law.serial = {};
    best_.law.fork_join = 0;
    if (kind != family::contention) best_.law.contention = 0;
    for (int index = 0; index < sums.slots(); ++index) square_of_times_ += sums.at(index).y;
  }

  // Stops at the best law found so far. A step of NaN counts as none, since `size > settled` and `<=` are false for it.
  fitted_law run() {
    descend();
    if (best_.law.fork_join > most_cost_of_a_core * best_.law.sequential(sums_.largest_x())) {
      work_of_a_core_ = 1 / most_cost_of_a_core;
      descend();
    }
    return best_;
  }

 private:
  bool has_fork_join() const { return kind_ == family::fork_join; }

  void descend() {
    constexpr int most_steps = 40;  // 3 to 6 is usual
    project(best_);
    if (sums_.slots() > 1)
      for (int i = 0; i < most_steps && improve(); ++i) {
      }
  }

  // The least c[0] next to a cost of further cores.
  double least_work(const component_law& law) const { return law.fork_join * work_of_a_core_; }

  // Whether c[i] is above its least.
  bool is_free(const component_law& law, int i) const { return law.c[i] > (i == 0 ? least_work(law) : 0); }

  // The normal equations of c[0] beyond its least, c[1], .. and d: the column of d includes the least work.
  normal_equations equations_for(const component_law& law) const {
    normal_equations out = equations_of(sums_, law, has_fork_join());
    if (!has_fork_join()) return out;
    const int last = out.size - 1;
    for (int i = 0; i < out.size; ++i) out.gram[last][i] += out.gram[0][i] * work_of_a_core_;
    for (int i = 0; i < out.size; ++i) out.gram[i][last] += out.gram[i][0] * work_of_a_core_;
    out.right[last] += out.right[0] * work_of_a_core_;
    return out;
  }

  // Sets c and d to the best values for the curve, and the residual, parameters and objective accordingly.
  void project(fitted_law& at) const {
    component_law& law = at.law;
    unsigned guess = law.fork_join > 0 ? 1u << law.columns() : 0;
    for (int a = 0; a < law.columns(); ++a)
      if (is_free(law, a * law.step)) guess |= 1u << a;
    const normal_equations problem = equations_for(law);
    const auto solution = solve_non_negative(problem, guess);
    law.c = {};
    for (int a = 0; a < law.columns(); ++a) law.c[a * law.step] = solution[a];
    law.fork_join = has_fork_join() ? solution[law.columns()] : 0;
    law.c[0] += least_work(law);
    double explained = 0;  // 2 b'c - c'Gc
    at.parameters = 0;
    for (int i = 0; i < problem.size; ++i) {
      double row = 0;
      for (int j = 0; j < problem.size; ++j) row += problem.gram[i][j] * solution[j];
      explained += solution[i] * (2 * problem.right[i] - row);
      at.parameters += solution[i] > 0;
    }
    if (sums_.slots() > 1) at.parameters += 1 + (law.contention > 0);
    at.residual = std::max(square_of_times_ - explained, 0.0);
    const double away = law.alpha - optimistic_alpha;
    at.objective = at.residual + pull_ * away * away;
  }

  // Makes a step that descends; false when none is worth making.
  bool improve() {
    // Below this, no caller would notice a step of alpha, or of the cost of contention at the largest p.
    constexpr double settled = 1e-10;
    // Residuals of exact data are rounding errors of the sums.
    const double rounding = 1e-15 * square_of_times_;
    curve_point step = bounded_step(model_around(best_.law));
    for (int halving = 0; halving < 12; ++halving, step /= 2) {
      const double size = std::max(std::abs(step[0]), step[1] == 0 ? 0 : std::abs(step[1]) * sums_.largest_cores());
      if (!(size > settled)) return false;
      fitted_law next = best_;
      next.law.alpha = std::clamp(best_.law.alpha + step[0], 0.0, 1.0);
      next.law.contention = std::clamp(best_.law.contention + step[1], 0.0, most_cost_of_a_core);
      project(next);
      if (next.objective <= best_.objective + rounding) {
        best_ = next;
        return true;
      }
    }
    return false;
  }

  // The objective as c and d respond: the Schur complement of the Gauss-Newton matrix over the columns in use.
  quadratic model_around(const component_law& law) const {
    const normal_equations problem = equations_for(law);
    constexpr int most = normal_equations::max_size;
    std::array<int, most> used{};
    int count = 0;
    for (int i = 0; i < problem.size; ++i)
      if (i < law.columns() ? is_free(law, i * law.step) : law.fork_join > 0) used[count++] = i;

    quadratic out;
    using rows = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::ColMajor, most, 2>;
    rows mixed = rows::Zero(count, 2);
    for (int index = 0; index < sums_.slots(); ++index) {
      const auto slot = sums_.at(index);
      const slot_moments m = moments_of(slot, law);
      const curve_point slope(slot.inverse_cores - 1, kind_ == family::contention ? m.further : 0.0);
      out.descent += slope * (m.product - m.share * m.square - m.further * law.fork_join * m.powers[0]);
      out.curvature += slope * slope.transpose() * m.square;
      for (int i = 0; i < count; ++i)
        mixed.row(i) +=
            slope.transpose() * (used[i] < law.columns() ? m.share * m.powers[used[i] * law.step]
                                                         : (m.further + m.share * work_of_a_core_) * m.powers[0]);
    }
    const Eigen::Matrix2d plain = out.curvature;
    if (count > 0) {
      bounded_matrix<most> gram(count, count);
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) gram(i, j) = problem.gram[used[i]][used[j]];
      const Eigen::LLT<bounded_matrix<most>, Eigen::Lower> factor(gram);
      factor.matrixL().solveInPlace(mixed);
      out.curvature -= mixed.transpose() * mixed;
    }
    // Rounding may have made the difference too small or negative.
    for (int i = 0; i < 2; ++i) out.curvature(i, i) = std::max(out.curvature(i, i), 1e-12 * plain(i, i));
    out.descent[0] += pull_ * (optimistic_alpha - law.alpha);
    out.curvature(0, 0) += pull_;
    return out;
  }

  // The minimum of the quadratic inside the bounds.
  curve_point bounded_step(const quadratic& q) const {
    const double low = -best_.law.alpha, high = 1 - best_.law.alpha, least = -best_.law.contention,
                 most = most_cost_of_a_core - best_.law.contention;
    const double aa = q.curvature(0, 0), ab = q.curvature(0, 1), bb = q.curvature(1, 1);
    const auto alpha_for = [&](double b) { return aa > 0 ? std::clamp((q.descent[0] - ab * b) / aa, low, high) : 0.0; };
    if (kind_ != family::contention || !(bb > 0)) return {alpha_for(0), 0};
    const auto contention_for = [&](double a) { return std::clamp((q.descent[1] - ab * a) / bb, least, most); };
    const double determinant = aa * bb - ab * ab;
    if (determinant > 1e-12 * aa * bb) {
      const curve_point inside =
          curve_point(bb * q.descent[0] - ab * q.descent[1], aa * q.descent[1] - ab * q.descent[0]) / determinant;
      if (inside[0] >= low && inside[0] <= high && inside[1] >= least && inside[1] <= most) return inside;
    }
    curve_point best(low, contention_for(low));
    for (const curve_point& edge : {curve_point(high, contention_for(high)), curve_point(alpha_for(least), least),
                                    curve_point(alpha_for(most), most)})
      if (q.change(edge) < q.change(best)) best = edge;
    return best;
  }

  const power_sums& sums_;
  family kind_;
  double pull_;
  double work_of_a_core_ = 0;   // c[0] is at least this multiple of d
  double square_of_times_ = 0;  // sum w t^2
  fitted_law best_;
};

}  // namespace

fitted_law fit_law(const power_sums& sums, family kind, double pull, const component_law& start) {
  return law_search(sums, kind, pull, start).run();
}

}  // namespace weir
