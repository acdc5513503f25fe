#include "examples/images/comparison.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iomanip>
#include <ostream>

#include "examples/spread.hpp"

namespace examples::images {
namespace {

using way = std::vector<std::string> (*)(const picture_files&, const settings&, const writer&);

double pictures_per_second(way go, const picture_files& pictures, const settings& with) {
  std::size_t copied = 0;
  const auto begin = std::chrono::steady_clock::now();
  go(pictures, with, [&](std::size_t, const std::vector<std::uint8_t>&) { ++copied; });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(copied) / took.count();
}

}  // namespace

void print_comparison(std::ostream& to, const picture_files& pictures, const settings& with, int rounds) {
  const std::array<way, 2> ways{by_weir, by_pipeline};
  std::array<std::vector<double>, 2> rates;
  std::vector<double> ratios;
  for (int round = 0; round <= rounds; ++round) {
    std::array<double, 2> rate{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t which = (i + static_cast<std::size_t>(round)) % 2;
      rate[which] = pictures_per_second(ways[which], pictures, with);
    }
    if (round == 0) continue;
    for (std::size_t i = 0; i < 2; ++i) rates[i].push_back(rate[i]);
    ratios.push_back(rate[0] / rate[1]);
  }
  to << "pictures/s    median     least      most\n" << std::fixed << std::setprecision(1);
  to << "weir      " << spread(rates[0]) << "\npipeline  " << spread(rates[1]) << '\n' << std::setprecision(3);
  to << "ratio     " << spread(ratios) << '\n';
}

}  // namespace examples::images
