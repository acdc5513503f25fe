// A minimal complete program: two plain functions become boxes, the boxes become a network, and records stream through
// it. The runtime gives each box cores, learns its cost on them, and moves cores to the boxes where they gain most.
#include <iostream>

#include <weir/weir.hpp>

#include "components/matrix/matrix.hpp"
#include "components/matrix/multiply.hpp"

using components::matrix;
namespace example {
using namespace weir;

inline constexpr field<matrix> a{"a"}, c{"c"};  // a label: a name and a C++ type
inline constexpr tag n{"n"}, k{"k"};            // tags are integers that coordination can read

matrix random_matrix(std::int64_t size) { return components::random_matrix(size, 1); }

void program() {
  auto generate = box("generate", takes(n), gives(a), random_matrix);  // any callable: plain functions too
  auto multiply = box("multiply", takes(a), gives(c), [](const matrix& m) {
                    return components::multiply_naive(m, m);
                  }).predicted_by([](const matrix& m) { return m.rows(); }, degree{3});
  auto net = (generate >> multiply).as("squares", takes(n), gives(c));  // a type_error here, before anything runs
  std::cout << to_string(generate >> multiply) << " is " << to_string(net.signature()) << '\n';

  execution run = start(net, {.policy = adaptive{objective::throughput}});
  for (int i = 0; i < 5; ++i) run.send(n = 50 + 20 * i, k = i);  // blocks when the network is full
  run.close();
  for (const record& r : run)  // no box names k: it is inherited
    std::cout << r[k] << ": " << components::shape(r[c]) << (r[c](0, 0) > 0 ? ", positive" : ", wrong") << '\n';
  std::cout << run.report().results << " results\n";
}

}  // namespace example

int main() { example::program(); }
