#include "runtime/machine/core_division.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

// The division of a computer's cores between processes, as a pure function.
namespace weir::detail {
namespace {

core_claim all_of(int cores) { return {core_set::range(0, cores), cores, {}}; }

core_gain amdahl(double parallel, int cores) {
  core_gain gain;
  for (int p = 1; p <= cores; ++p) gain.emplace_back(p, 1 / (1 - parallel + parallel / p));
  return gain;
}

int sum_of(const std::vector<core_set>& parts) {
  int sum = 0;
  for (const core_set& part : parts) sum += part.size();
  return sum;
}

std::vector<int> sizes_of(const std::vector<core_set>& parts) {
  std::vector<int> sizes;
  for (const core_set& part : parts) sizes.push_back(part.size());
  return sizes;
}

// One process alone has all cores that it asks for.
TEST(a_core_division, leaves_all_to_one_process) {
  EXPECT_EQ(divide_cores({all_of(5)}), std::vector{core_set::range(0, 5)});
  EXPECT_EQ(divide_cores({{core_set{1, 3, 4}, 2, {}}}), (std::vector{core_set{1, 3}}));
}

// Without gains equal claims get equal parts of neighbouring cores; the first ones have one more.
TEST(a_core_division, is_even_without_gains) {
  for (int cores = 1; cores <= 20; ++cores)
    for (int processes = 1; processes <= cores; ++processes) {
      const auto parts = divide_cores(std::vector(static_cast<std::size_t>(processes), all_of(cores)));
      EXPECT_EQ(parts, core_set::range(0, cores).slices(processes)) << cores << " cores, " << processes << " processes";
    }
}

// With more processes than cores each has one core, and cores have equally many processes, to within one.
TEST(a_core_division, gives_each_process_a_core) {
  for (int processes = 4; processes <= 12; ++processes) {
    const auto parts = divide_cores(std::vector(static_cast<std::size_t>(processes), all_of(3)));
    std::vector<int> users(3);
    for (const core_set& part : parts) {
      ASSERT_EQ(part.size(), 1);
      ++users[static_cast<std::size_t>(part[0])];
    }
    EXPECT_LE(*std::max_element(users.begin(), users.end()) - *std::min_element(users.begin(), users.end()), 1);
  }
}

// Equal gains give equal parts, whatever unit they are in, and a process that gains less has fewer cores.
TEST(a_core_division, follows_gains_without_their_units) {
  core_gain same = amdahl(0.97, 16), scaled = same;
  for (auto& [cores, throughput] : scaled) throughput *= 1000;
  const core_set all = core_set::range(0, 16);
  EXPECT_EQ(sizes_of(divide_cores({{all, 16, same}, {all, 16, scaled}})), (std::vector{8, 8}));
  const auto uneven = sizes_of(divide_cores({{all, 16, amdahl(0.5, 16)}, {all, 16, amdahl(0.99, 16)}}));
  EXPECT_LT(uneven[0], 5);
  EXPECT_EQ(uneven[0] + uneven[1], 16);
  const auto flat = sizes_of(divide_cores({{all, 16, {{1, 5.0}, {16, 5.0}}}, {all, 16, amdahl(0.99, 16)}}));
  EXPECT_EQ(flat, (std::vector{1, 15}));
}

// The parts are those whose product of throughputs is the largest.
TEST(a_core_division, maximises_the_product_of_throughputs) {
  const core_set all = core_set::range(0, 12);
  for (const double a : {0.3, 0.7, 0.9, 0.99})
    for (const double b : {0.2, 0.8, 0.95, 1.0}) {
      const core_gain first = amdahl(a, 12), second = amdahl(b, 12);
      const auto product = [&](int p) {
        return first[static_cast<std::size_t>(p - 1)].second * second[static_cast<std::size_t>(11 - p)].second;
      };
      const auto sizes = sizes_of(divide_cores({{all, 12, first}, {all, 12, second}}));
      ASSERT_EQ(sizes[0] + sizes[1], 12);
      for (int p = 1; p < 12; ++p) EXPECT_GE(product(sizes[0]), product(p) * (1 - 1e-12)) << a << ' ' << b;
    }
}

// If one process does not say its gain, no gain counts.
TEST(a_core_division, is_even_where_one_process_does_not_say_its_gain) {
  const core_set all = core_set::range(0, 8);
  EXPECT_EQ(sizes_of(divide_cores({{all, 8, amdahl(0.1, 8)}, {all, 8, {}}})), (std::vector{4, 4}));
}

// A process with a quota of two cores has no more; the others have the rest.
TEST(a_core_division, gives_none_more_than_it_asks_for) {
  const core_set all = core_set::range(0, 8);
  EXPECT_EQ(sizes_of(divide_cores({{all, 2, {}}, {all, 8, {}}})), (std::vector{2, 6}));
  EXPECT_EQ(sizes_of(divide_cores({{all, 2, {}}, {all, 2, {}}})), (std::vector{2, 2}));
}

// Processes with cores of their own keep these; they divide the common ones alone.
TEST(a_core_division, keeps_to_the_cores_of_each_claim) {
  EXPECT_EQ(divide_cores({{core_set{0, 1}, 2, {}}, {core_set{2, 3}, 2, {}}}),
            (std::vector{core_set{0, 1}, core_set{2, 3}}));
  EXPECT_EQ(divide_cores({{core_set{0, 1, 2}, 3, {}}, {core_set{2}, 1, {}}}),
            (std::vector{core_set{0, 1}, core_set{2}}));
}

// For random claims: each process has a core of its own claim, and no more than asked. No asked core is left over. No
// core is given twice unless there are more processes than cores. The same claims give the same parts.
TEST(a_core_division, holds_its_promises_for_random_claims) {
  std::mt19937 random(1);
  const auto upto = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
  for (int trial = 0; trial < 2000; ++trial) {
    const int cores = upto(12);
    std::vector<core_claim> claims(static_cast<std::size_t>(upto(6)));
    const bool says_gain = upto(2) == 1, is_alike = upto(2) == 1;
    core_set asked;
    for (core_claim& c : claims) {
      c.cores = core_set::range(0, cores);
      if (!is_alike)
        for (int core = 0; core < cores; ++core)
          if (c.cores.size() > 1 && upto(3) == 1) c.cores = c.cores - core_set{core};
      c.most = upto(c.cores.size());
      if (says_gain) c.gain = amdahl(0.01 * upto(100), c.cores.size());
      asked = asked | c.cores;
    }
    const auto parts = divide_cores(claims);
    EXPECT_EQ(parts, divide_cores(claims));
    core_set given;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      EXPECT_GE(parts[i].size(), 1);
      EXPECT_LE(parts[i].size(), claims[i].most);
      EXPECT_EQ(parts[i] - claims[i].cores, core_set());
      given = given | parts[i];
    }
    for (std::size_t i = 0; i < claims.size(); ++i)
      if (parts[i].size() < claims[i].most) {
        EXPECT_EQ(claims[i].cores - given, core_set());
      }
    if (is_alike && static_cast<int>(claims.size()) <= cores) {
      EXPECT_EQ(given.size(), sum_of(parts));
    }
  }
}

}  // namespace
}  // namespace weir::detail
