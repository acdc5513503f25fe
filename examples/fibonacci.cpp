// Feedback: the outputs of a network that match a pattern go back to its input, and the rest leaves. So fib(n) =
// fib(n-1) + fib(n-2) can be written down directly: a number above one becomes two smaller ones, which go back. The
// ones and zeros leave, and their sum is the answer. No box is needed: a filter is enough.
#include <iostream>
#include <map>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, part{"part"}, of{"of"};

void program() {
  const network step = filter(takes(n)).when(n <= 1).emit(part = n).otherwise().emit(n = n - 1).emit(n = n - 2);
  const network fibonacci = feedback(step, pattern{n});
  std::cout << to_string(fibonacci) << "\n\n";

  execution run = start(fibonacci);
  for (int i = 0; i <= 16; i += 2) run.send(n = i, of = i);
  run.close();

  // The parts of all inputs leave in any order. <of> says whose part it is: it was inherited through every round.
  std::map<std::int64_t, std::pair<int, std::int64_t>> answers;
  for (const record& r : run) {
    auto& [parts, sum] = answers[r[of]];
    ++parts;
    sum += r[part];
  }
  for (const auto& [i, answer] : answers)
    std::cout << "fib(" << i << ") = " << answer.second << ", the sum of " << answer.first << " parts\n";
}

}  // namespace example

int main() { example::program(); }
