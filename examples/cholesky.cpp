// Tasks as records: A = L L^T by blocks. Each stage of the star does one column of blocks. `factor` finishes the
// column, which leaves the network. `fork` makes a task of each column behind it, `update` processes these in parallel,
// and a chain gathers them into the remaining matrix for the next stage. The other inputs of a task, such as the panel,
// are inherited from stage to stage, shared and not copied: no box but `update` names the panel.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <utility>

#include <weir/weir.hpp>

#include "components/matrix/matrix.hpp"

using components::matrix;
namespace example {
using namespace weir;
using columns = std::map<std::int64_t, matrix>;  // of blocks: column j begins at row j * size

constexpr std::size_t size = 16;  // of a block

// Factors column 0 of the remaining blocks: first the triangle, then all rows below it are solved against it.
matrix factored(matrix m) {
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < m.rows(); ++i) {
      for (std::size_t k = 0; k < j; ++k) m(i, j) -= m(i, k) * m(j, k);
      m(i, j) = i < j ? 0 : i == j ? std::sqrt(m(j, j)) : m(i, j) / m(j, j);
    }
  return m;
}
// Subtracts the contribution of the finished column `now` from column `mine`.
std::pair<matrix, std::int64_t> updated(matrix&& m, const matrix& finished, std::int64_t mine, std::int64_t now) {
  const std::size_t above = std::size_t(mine - now) * size;
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) m(i, j) -= finished(above + i, k) * finished(above + j, k);
  return {std::move(m), mine};
}

matrix positive_definite(std::size_t n) {
  const matrix random = components::random_matrix(static_cast<std::int64_t>(n), 1);
  matrix a(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) a(r, c) = random(r, c) + random(c, r) + (r == c ? 2.0 * double(n) : 0.0);
  return a;
}
columns cut(const matrix& a) {
  columns all;
  for (std::size_t first = 0; first < a.cols(); first += size) {
    matrix& part = all[std::int64_t(first / size)] = matrix(a.rows() - first, size);
    for (std::size_t r = first; r < a.rows(); ++r)
      for (std::size_t c = 0; c < size; ++c) part(r - first, c) = a(r, first + c);
  }
  return all;
}

inline constexpr field<columns> rest{"rest"}, gathered{"gathered"};
inline constexpr field<matrix> column{"column"}, panel{"panel"}, task{"task"};
inline constexpr tag k{"k"}, j{"j"}, missing{"missing"}, job{"job"};

void program() {
  const network factor =
      box("factor", takes(rest), gives(column, k) | gives(rest, panel, k), [](columns&& all, emitter& emit) {
        const std::int64_t now = all.begin()->first;
        const matrix done = factored(std::move(all.begin()->second));
        all.erase(all.begin());
        emit(column = done, k = now);
        if (!all.empty()) emit(rest = std::move(all), panel = done, k = now);
      });
  const network fork =
      box("fork", takes(rest), gives(task, j) | gives(gathered, missing), [](const columns& all, emitter& emit) {
        emit(gathered = columns(), missing = std::int64_t(all.size()));
        for (const auto& [number, each] : all) emit(task = each, j = number);
      });
  const network update = box("update", takes(task, panel, j, k), gives(task, j), updated);
  const network add = box("add", takes(gathered, missing, task, j), gives(gathered, missing),
                          [](columns&& all, std::int64_t still, const matrix& more, std::int64_t number) {
                            all.emplace(number, more);
                            return std::pair(std::move(all), still - 1);
                          });
  const network gather =
      star(sync({gathered, missing}, {task, j}) >> (add | bypass()), pattern{gathered, missing}.where(missing == 0));
  const network trailing =
      fork >> (update | bypass()) >> gather >> filter(takes(gathered, missing)).emit(rest = gathered);
  const network stage = factor >> (trailing | bypass());
  const network cholesky = split(star(stage, pattern{column}), job);  // each matrix has its own synchrocells: one star
                                                                      // per matrix

  execution run = start(cholesky);
  std::map<std::int64_t, matrix> left;  // of each input: the part that the results so far do not explain
  for (const int blocks : {6, 1, 9}) {
    left[blocks] = positive_definite(std::size_t(blocks) * size);
    run.send(rest = cut(left[blocks]), job = blocks);
  }
  run.close();

  for (const record& r : run) {  // A = L L^T is the sum of l l^T over the columns of L, in any order
    matrix& a = left[r[job]];
    const matrix& l = r[column];
    const std::size_t first = std::size_t(r[k]) * size;
    for (std::size_t row = 0; row < l.rows(); ++row)
      for (std::size_t col = 0; col < l.rows(); ++col)
        for (std::size_t i = 0; i < size; ++i) a(first + row, first + col) -= l(row, i) * l(col, i);
  }
  for (const auto& [blocks, a] : left) {
    double error = 0;
    for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) error = std::max(error, std::abs(a.data()[i]));
    std::cout << components::shape(a) << " in " << blocks << " columns of blocks: A - L L^T is "
              << (error < 1e-9 ? "less than 1e-9" : "WRONG") << '\n';
  }
}

}  // namespace example

int main() { example::program(); }
