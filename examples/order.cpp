// Order. A chain of boxes keeps the order of its inputs on any number of cores. A choice merges its branches as records
// come, unless `ordered` is around it.
#include <iostream>
#include <set>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, even{"even"}, odd{"odd"}, result{"result"};

std::int64_t collatz_steps(std::int64_t x) {  // some numbers take far longer than their neighbours
  std::int64_t steps = 0;
  for (; x != 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

std::vector<std::int64_t> all_of(execution run) {
  std::vector<std::int64_t> all;
  for (const record& r : run) all.push_back(r[result]);
  return all;
}

std::vector<std::int64_t> results_of(const network& net) {
  execution run = start(net);
  for (int i = 1; i <= 1000; ++i) run.send(n = i);
  run.close();
  return all_of(std::move(run));
}

void program() {
  const auto steps = box("steps", takes(n), gives(result), collatz_steps);
  const auto in_chain = results_of(steps);
  std::cout << "chain:   " << in_chain[0] << ' ' << in_chain[1] << ' ' << in_chain[2] << " .. " << in_chain[999]
            << '\n';

  const auto part = filter(takes(n)).when(n % 2 == 0).emit(even = n).otherwise().emit(odd = n);
  const auto choice_of_two = box("of_even", takes(even), gives(result), collatz_steps) |
                             box("of_odd", takes(odd), gives(result), [](std::int64_t x) { return collatz_steps(x); });
  const auto in_order = results_of(part >> ordered(choice_of_two));
  std::cout << "ordered: " << (in_order == in_chain ? "the same\n" : "another order\n");

  // `ordered` orders what comes into it by its inputs, and all that a source gives has one cause: put it behind the
  // source.
  const auto numbers = source("numbers", gives(n), [](emitter& emit) {
    for (int i = 1; i <= 1000; ++i) emit(n = i);
  });
  const auto behind_source = all_of(start(numbers >> ordered(part >> choice_of_two)));
  std::cout << "source:  " << (behind_source == in_chain ? "the same\n" : "another order\n");

  const auto as_they_come = results_of(part >> choice_of_two);
  const std::multiset<std::int64_t> one(in_chain.begin(), in_chain.end()),
      other(as_they_come.begin(), as_they_come.end());
  std::cout << "choice:  " << (one == other ? "the same results, in any order\n" : "other results\n");
  std::cout << to_string(part >> ordered(choice_of_two)) << '\n';
}

}  // namespace example

int main() { example::program(); }
