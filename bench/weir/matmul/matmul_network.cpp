#include "bench/weir/matmul/matmul_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/network/filter.hpp>
#include <weir/patterns/expression.hpp>
#include <weir/record/label.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/runs/matrix_work.hpp"

template <>
struct weir::codec<components::matrix> {
  static void write(wire_writer& to, const components::matrix& m) {
    to.put(m.rows());
    to.put(m.cols());
    to.block(m.data(), m.rows() * m.cols());
  }
  static components::matrix read(wire_reader& from) {
    const auto rows = from.get<std::size_t>(), cols = from.get<std::size_t>();
    components::matrix m(rows, cols);
    from.block(m.data(), rows * cols);
    return m;
  }
};

namespace weir::program {
namespace {

using components::matrix;

constexpr tag n{"n"}, id{"id"}, at_rank{"rank"};
constexpr field<matrix> a{"a"}, c{"c"};

using product = matrix (*)(const matrix&, const matrix&);

const std::map<std::string, product>& kernels() {
  static const std::map<std::string, product> all{{"naive", components::multiply_naive},
                                                  {"blocked16", components::multiply_blocked<16>},
                                                  {"blocked32", components::multiply_blocked<32>},
                                                  {"blocked64", components::multiply_blocked<64>}};
  return all;
}

}  // namespace

std::vector<std::string> matmul_names() { return {"generate", "multiply"}; }

void require_kernel(const std::string& kernel) {
  if (kernels().count(kernel)) return;
  throw bad_input(fmt::format(
      "--kernel: there is no kernel \"{}\"; there are naive, blocked16, blocked32, blocked64 and emulated", kernel));
}

workload matmul_workload(const std::string& kernel, const std::vector<std::int64_t>& inputs, std::uint64_t seed,
                         int max_width, int ranks) {
  const product multiplied = kernels().at(kernel);
  const auto generate = box("generate", takes(n, id), gives(a, id),
                            [seed](std::int64_t size, std::int64_t index) {
                              return std::tuple(matrix_of(size, seed, static_cast<std::uint64_t>(index)), index);
                            })
                            .predicted_by([](std::int64_t size, std::int64_t) { return size; }, degree{2})
                            .width(max_width);
  const auto multiply = box("multiply", takes(a), gives(c), [multiplied](const matrix& m) { return multiplied(m, m); })
                            .predicted_by([](const matrix& m) { return m.rows(); }, degree{3})
                            .width(max_width);

  const auto smallest = std::min_element(inputs.begin(), inputs.end());
  const std::int64_t exact = smallest - inputs.begin();
  const auto reference = std::make_shared<matrix>();  // of record `exact`, computed on first use

  const network squares =
      ranks > 1 ? generate >> filter(takes(id)).emit(id, at_rank = id % ranks) >> at(split(multiply, at_rank), at_rank)
                : generate >> multiply;
  const auto sizes = std::make_shared<const std::vector<std::int64_t>>(inputs);
  workload w{squares.as("squares", takes(n, id), gives(c, id)),
             matmul_names(),
             inputs.size(),
             [sizes](std::size_t i) { return record(n = (*sizes)[i], id = static_cast<std::int64_t>(i)); },
             [](const record& result) { return static_cast<std::size_t>(result[id]); },
             ranks == 1};
  w.result_bytes = [sizes](std::size_t i) {
    return static_cast<std::size_t>((*sizes)[i] * (*sizes)[i]) * sizeof(double);
  };
  w.is_right = [sizes, seed, exact, reference](const record& result, std::size_t i) {
    const matrix m = matrix_of((*sizes)[i], seed, i);
    if (!is_square_of(m, result[c], seed ^ i)) return false;
    if (static_cast<std::int64_t>(i) != exact) return true;
    if (reference->rows() == 0) *reference = components::multiply_sequential(m, m);
    return result[c] == *reference;
  };
  w.checked_how = fmt::format(
      "every one by Freivalds' check with {} vectors, and one of N = {} in each run bit for bit against the naive "
      "sequential product",
      freivalds_vectors, *smallest);
  return w;
}

}  // namespace weir::program
