#include "model/least_squares/non_negative.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

#include "model/least_squares/bounded_matrix.hpp"

namespace weir {
namespace {

// A column is indistinguishable from the columns already taken if less than this share of its squared length lies
// outside their span. The sums themselves carry rounding errors of about 1e-14.
constexpr double indistinguishable = 1e-12;

class active_set {
 public:
  static constexpr int max_columns = normal_equations::max_size;
  using matrix = bounded_matrix<max_columns>;
  using vector = bounded_vector<max_columns>;

  active_set(const matrix& gram, const vector& right) : size_(static_cast<int>(right.size())) {
    length_ = gram.diagonal().cwiseSqrt();
    inverse_length_ = length_.unaryExpr([](double l) { return l > 0 ? 1 / l : 0.0; });
    gram_ = inverse_length_.asDiagonal() * gram * inverse_length_.asDiagonal();
    right_ = inverse_length_.cwiseProduct(right);
    solution_ = vector::Zero(size_);
  }

  // Begins with these columns if they solve for positive values, else with none.
  void begin_with(unsigned guess) {
    for (int i = 0; i < size_; ++i)
      if (guess >> i & 1 && length_[i] > 0) columns_[count_++] = i;
    if (count_ == 0) return;
    const auto [gram, right] = sub_system();
    const Eigen::LLT<matrix> factor(gram);
    const auto pivots = factor.matrixLLT().diagonal();
    if (factor.info() == Eigen::Success && pivots.cwiseAbs2().minCoeff() > indistinguishable) {
      const vector target = factor.solve(right);
      if (target.minCoeff() > 0) {
        for (int i = 0; i < count_; ++i) solution_[columns_[i]] = target[i], taken_[columns_[i]] = true;
        return;
      }
    }
    count_ = 0;
  }

  vector solve() {
    // Each pass adds a column that lowers the objective. Lawson and Hanson's own bound is 3 passes per column.
    for (int pass = 0; pass < 3 * size_; ++pass)
      if (!add_best_column()) break;
    return inverse_length_.cwiseProduct(solution_);
  }

 private:
  bool add_best_column() {
    const vector gradient = right_ - gram_ * solution_;
    const double smallest = 1e-14 * right_.cwiseAbs().maxCoeff();
    std::array<bool, max_columns> refused{};
    while (true) {  // ends: each round but the last refuses a column; NaN is refused too
      int best = -1;
      for (int i = 0; i < size_; ++i) {
        if (taken_[i] || refused[i] || length_[i] == 0 || gradient[i] <= smallest) continue;
        // The last of equal columns.
        if (best < 0 || gradient[i] >= gradient[best] * (1 - indistinguishable)) best = i;
      }
      if (best < 0) return false;
      if (is_distinguishable(best) && take(best)) return true;
      refused[best] = true;
    }
  }

  bool is_distinguishable(int column) const {
    if (count_ == 0) return true;
    const auto [gram, unused] = sub_system();
    vector coupling(count_);
    for (int i = 0; i < count_; ++i) coupling[i] = gram_(column, columns_[i]);
    const Eigen::LLT<matrix> factor(gram);
    factor.matrixL().solveInPlace(coupling);
    return 1 - coupling.squaredNorm() > indistinguishable;
  }

  // Takes the column in and solves, dropping columns that would turn negative on the way. Returns false and changes
  // nothing when the column itself would not become positive, which only rounding can cause.
  bool take(int column) {
    columns_[count_++] = column;
    taken_[column] = true;
    for (bool first = true;; first = false) {  // ends: each round but the last drops a column
      const auto [gram, right] = sub_system();
      const vector target = Eigen::LLT<matrix>(gram).solve(right);
      if (first && !(target[count_ - 1] > 0)) {
        taken_[columns_[--count_]] = false;
        return false;
      }
      double step = 1;
      int blocking = -1;
      for (int i = 0; i < count_; ++i) {
        if (target[i] > 0) continue;
        const double from = solution_[columns_[i]];
        const double allowed = from > 0 ? from / (from - target[i]) : 0;
        if (blocking < 0 || allowed < step) step = allowed, blocking = i;
      }
      for (int i = 0; i < count_; ++i) {
        double& value = solution_[columns_[i]];
        value = std::max(0.0, value + step * (target[i] - value));
      }
      if (blocking < 0) return true;
      solution_[columns_[blocking]] = 0;
      taken_[columns_[blocking]] = false;
      std::copy(columns_.begin() + blocking + 1, columns_.begin() + count_, columns_.begin() + blocking);
      --count_;
    }
  }

  std::pair<matrix, vector> sub_system() const {
    matrix gram(count_, count_);
    vector right(count_);
    for (int i = 0; i < count_; ++i) {
      right[i] = right_[columns_[i]];
      for (int j = 0; j < count_; ++j) gram(i, j) = gram_(columns_[i], columns_[j]);
    }
    return {gram, right};
  }

  int size_;
  matrix gram_;
  vector right_, length_, inverse_length_, solution_;
  std::array<int, max_columns> columns_{};  // the passive set, in the order of taking
  std::array<bool, max_columns> taken_{};
  int count_ = 0;
};

}  // namespace

std::array<double, normal_equations::max_size> solve_non_negative(const normal_equations& problem, unsigned guess) {
  active_set::matrix gram(problem.size, problem.size);
  active_set::vector right(problem.size);
  for (int i = 0; i < problem.size; ++i) {
    right[i] = problem.right[i];
    for (int j = 0; j < problem.size; ++j) gram(i, j) = problem.gram[i][j];
  }
  active_set search(gram, right);
  search.begin_with(guess);
  const active_set::vector solution = search.solve();
  std::array<double, normal_equations::max_size> out{};
  std::ranges::copy(solution, out.begin());
  return out;
}

}  // namespace weir
