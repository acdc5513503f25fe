// Coordination that computes. A filter makes two records of one, a choice gives each to the branch that it fits, and a
// synchrocell joins the two again. A star repeats that, one stage per factor, until the count is down to one.
#include <cstdint>
#include <iostream>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::uint64_t> product{"product"};
inline constexpr tag n{"n"}, factor{"factor"}, of{"of"};

std::uint64_t times(std::uint64_t so_far, std::int64_t by) { return so_far * static_cast<std::uint64_t>(by); }

void program() {
  const network fork = filter(takes(n, product)).emit(n).emit(product, factor = n);  // {<n>} and {product, <factor>}
  const network count_down = filter(takes(n)).emit(n = n - 1);
  const network multiply = box("multiply", takes(product, factor), gives(product), times);
  // One synchrocell joins one pair and lets later records pass. A star of synchrocells joins the k-th count with the
  // k-th product, which belong together, so several inputs may be in the network at the same time.
  const network join = star(sync({n}, {product}), pattern{n, product});
  const network step = fork >> (count_down | multiply) >> join;

  // Records leave the outer star before the first stage that would see n <= 1. They leave in the order of the inputs,
  // though small numbers are done first.
  const network factorial = ordered(star(step, pattern{n, product}.where(n <= 1)));
  std::cout << "step: " << to_string(step) << "\n\n";

  execution run = start(factorial);
  for (int i : {20, 1, 5, 10, 0, 13}) run.send(n = i, of = i, product = std::uint64_t{1});
  run.close();
  for (const record& r : run) std::cout << r[of] << "! = " << r[product] << '\n';
}

}  // namespace example

int main() { example::program(); }
