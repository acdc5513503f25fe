// Generates an N x N matrix, multiplies it by itself with oneTBB inside, and checks the product. `loop` does that on
// one thread and one core. Efficiency is the rate over the loop's in the same round, divided by the number of cores.

#include <fmt/format.h>

#include <memory>
#include <tuple>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/value_stages.hpp"
#include "bench/measurements/overhead/weir_run.hpp"
#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"

namespace weir::overhead {
namespace {

using components::matrix;

constexpr field<matrix> a{"a"}, c{"c"};

// The factors and the exact expected products, of a few matrices, so the sink only compares.
class work {
 public:
  explicit work(std::int64_t size) : size_(size) {
    for (std::uint64_t seed = 0; seed < kinds; ++seed) {
      const matrix m = components::random_matrix(size, seed);
      answers_.push_back(components::multiply_sequential(m, m));
    }
  }
  std::int64_t size() const { return size_; }
  matrix generate(std::int64_t n) const {
    return components::random_matrix(size_, static_cast<std::uint64_t>(n) % kinds);
  }
  static matrix multiply(const matrix& m) { return components::multiply_naive(m, m); }
  bool is_right(const matrix& product, std::int64_t n) const {
    return product == answers_[static_cast<std::size_t>(n) % kinds];
  }

 private:
  static constexpr std::size_t kinds = 8;
  std::int64_t size_;
  std::vector<matrix> answers_;
};

sample run_weir(const work& w, std::int64_t records) {
  meter m(records, true);
  const network generate = box("generate", takes(number), gives(a, number), [&](std::int64_t n) {
                             return std::tuple(w.generate(n), n);
                           }).predicted_by([size = w.size()](std::int64_t) { return size; }, degree{2});
  const network multiply = box("multiply", takes(a), gives(c), work::multiply)
                               .predicted_by([](const matrix& x) { return x.rows(); }, degree{3});
  const network sink = box("sink", takes(c, number), gives_none, [&](const matrix& product, std::int64_t n) {
                         m.see(n, w.is_right(product, n));
                       }).serial();
  run_to_end(fed(
      m, records, gives(number), [](emitter& emit, std::int64_t i) { emit(number = i); },
      generate >> multiply >> sink));
  return m.result("weir");
}

}  // namespace

std::vector<row> matmul_rows() {
  std::vector<row> rows;
  for (const int n : {64, 128, 256}) {
    const auto w = std::make_shared<const work>(n);
    const auto stages = std::make_shared<const value_stages<matrix>>(
        value_stages<matrix>{{[w](std::int64_t i, const matrix*) { return w->generate(i); },
                              [](std::int64_t, const matrix* m) { return work::multiply(*m); }},
                             [w](const matrix& product, std::int64_t i) { return w->is_right(product, i); }});
    add_rows<matrix>(
        rows, "matmul", fmt::format("N={}", n), [w](std::int64_t r) { return run_weir(*w, r); }, stages);
  }
  return rows;
}

}  // namespace weir::overhead
