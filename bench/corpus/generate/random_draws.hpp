#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace weir::corpus {

// Random numbers that are the same with every compiler and library, which those of <random> are not, for a seed.
class random_draws {
 public:
  explicit random_draws(std::uint64_t seed) : engine_(seed) {}

  double part() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // in [0, 1)
  bool happens(double probability) { return part() < probability; }

  // In [least, most].
  int between(int least, int most) { return least + static_cast<int>(part() * (most - least + 1)); }

  // A number of mean 0 and deviation 1, as the sum of four uniform ones: within 3.5 always. One draw, since pictures
  // take millions.
  double normal() {
    const std::uint64_t bits = engine_();
    const auto sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return (static_cast<double>(sum) / 65536 - 2) * std::sqrt(3.0);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weir::corpus
