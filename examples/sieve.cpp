// The sieve of Eratosthenes as a pipeline that grows while it runs: one stage per prime. The first number that reaches
// a stage is a prime, and becomes the state of that stage. Later multiples of it end there, and other numbers go on. A
// stage that finds its prime sends an empty state ahead, from which the next stage starts.
#include <iostream>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr tag n{"n"}, sifter{"sifter"};                      // the input, and the state of a stage
inline constexpr tag prime{"prime"}, left{"left"}, empty{"empty"};  // the outputs of a stage

void sift(std::int64_t state, std::int64_t number, emitter& emit) {
  if (state == 0) {
    emit(prime = number);
    emit(empty = 0);
    emit(sifter = number);
  } else {
    if (number % state != 0) emit(left = number);
    emit(sifter = state);
  }
}

void program() {
  // A stage is itself a star: a chain of links, where its state meets one number after another (see prefix_sums.cpp).
  const network meet =
      sync({n}, {sifter}) >>
      (bypass() | box("sift", takes(sifter, n), gives(prime) | gives(left) | gives(empty) | gives(sifter), sift));
  const network stage = ordered(star(meet, pattern{prime} | pattern{left} | pattern{empty}));

  // The outputs of one stage are the inputs of the next; primes are done.
  const network hand_on =
      ordered(filter(takes(left)).emit(n = left) | filter(takes(empty)).emit(sifter = empty) | bypass());
  const network sieve = ordered(star(stage >> hand_on, pattern{prime}));

  execution run = start(sieve);
  run.send(sifter = 0);
  for (int i = 2; i <= 100; ++i) run.send(n = i);
  run.close();
  int count = 0;
  for (const record& r : run) std::cout << (count++ % 10 ? " " : count > 1 ? "\n" : "") << r[prime];
  std::cout << "\n" << count << " primes up to 100\n";
}

}  // namespace example

int main() { example::program(); }
