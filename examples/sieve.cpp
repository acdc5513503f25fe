// The sieve of Eratosthenes as a pipeline that grows while it runs: a stage a prime. The first number that comes to a
// stage is a prime, and stays as the state of that stage; of the numbers after it the multiples end there, and the
// others go on. When a stage finds its prime, it sends an empty state ahead: the next stage is born.
#include <iostream>

#include <weir/weir.hpp>

using namespace weir;

inline constexpr tag n{"n"}, sifter{"sifter"};                      // what comes in, and the state of a stage
inline constexpr tag prime{"prime"}, left{"left"}, empty{"empty"};  // what leaves it

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

int main() {
  // A stage is a star itself: the chain in which its state meets one number after the other (see prefix_sums.cpp).
  const network meet =
      sync({n}, {sifter}) >>
      (bypass() | box("sift", takes(sifter, n), gives(prime) | gives(left) | gives(empty) | gives(sifter), sift));
  const network stage = ordered(star(meet, pattern{prime} | pattern{left} | pattern{empty}));

  // What one stage leaves is the next one's input, and primes are done.
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
