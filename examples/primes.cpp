// One input becomes many records, and most of them end in the network: an emitter unrolls a range, and an optional
// drops numbers that are not prime. Neither box names the label of the range: it is passed on by flow inheritance.
#include <iostream>
#include <optional>
#include <string>

#include <weir/weir.hpp>

namespace example {
using namespace weir;

inline constexpr field<std::string> range{"range"};
inline constexpr tag first{"first"}, last{"last"}, number{"number"};

// An emitter sends any number of records, each immediately; when the stream behind it is full, it waits.
void unroll(std::int64_t from, std::int64_t to, emitter& emit) {
  for (std::int64_t i = from; i <= to; ++i) emit(number = i);
}

// An optional is one record or none.
std::optional<std::int64_t> if_prime(std::int64_t value) {
  for (std::int64_t i = 2; i * i <= value; ++i)
    if (value % i == 0) return std::nullopt;
  return value >= 2 ? std::optional(value) : std::nullopt;
}

void program() {
  const network primes = box("unroll", takes(first, last), gives(number), unroll) >>
                         box("if_prime", takes(number), gives(number), if_prime);
  execution run = start(primes);
  run.send(range = "small", first = 1, last = 30);
  run.send(range = "large", first = 1'000'000, last = 1'000'050);
  run.close();
  for (const record& r : run) std::cout << r << '\n';  // in the order of the inputs, on any number of cores
}

}  // namespace example

int main() { example::program(); }
