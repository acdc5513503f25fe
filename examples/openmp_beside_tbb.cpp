// More than oneTBB: a component with its own threads together with one that has none. The first multiplies with OpenMP,
// on as many threads as its grant has cores. The second uses oneTBB and needs no information about its cores.
#include <iostream>

#include <weir/openmp.hpp>
#include <weir/weir.hpp>

#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"
#include "components/matrix/multiply_openmp.hpp"

using components::matrix;
namespace example {
using namespace weir;

inline constexpr field<matrix> a{"a"}, square{"square"}, fourth{"fourth"};
inline constexpr tag n{"n"};

matrix random_matrix(std::int64_t size) { return components::random_matrix(size, 1); }

// It asks for 64 threads, as a library might, and has as many as the grant has cores, on these cores.
matrix squared_by_openmp(const grant& given, const matrix& m) {
  return given.openmp([&] { return components::multiply_openmp(m, m, 64); });
}

matrix squared_by_tbb(const matrix& m) { return components::multiply_naive(m, m); }

void program() {
  const auto rows = [](const matrix& m) { return m.rows(); };
  auto make = box("make", takes(n), gives(a), random_matrix);
  auto first = box("OpenMP", takes(a), gives(square), squared_by_openmp).predicted_by(rows, degree{3});
  auto second = box("oneTBB", takes(square), gives(fourth), squared_by_tbb).predicted_by(rows, degree{3});

  execution run = start((make >> first >> second).as("fourth powers", takes(n), gives(fourth)));
  for (int i = 1; i <= 6; ++i) run.send(n = 40 * i);
  run.close();
  std::int64_t size = 0;
  for (const record& r : run) {
    const matrix m = random_matrix(size += 40), m2 = components::multiply_sequential(m, m);
    const bool right = r[fourth] == components::multiply_sequential(m2, m2);
    std::cout << components::shape(r[fourth]) << (right ? ", right" : ", wrong") << '\n';
  }
}

}  // namespace example

int main() { example::program(); }
