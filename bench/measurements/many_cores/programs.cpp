#include "bench/measurements/many_cores/programs.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <random>

#include "components/jpeg/jpeg_colour.hpp"
#include "components/jpeg/jpeg_dct.hpp"
#include "components/jpeg/jpeg_huffman.hpp"
#include "components/jpeg/jpeg_quantisation.hpp"
#include "components/matrix/gauss.hpp"
#include "components/matrix/multiply.hpp"

namespace weir::many_cores {
namespace {

using sizes = std::array<std::int64_t, 4>;

constexpr std::int64_t kinds = 16;  // of inputs

std::uint64_t seed_of(const item& i) { return static_cast<std::uint64_t>(i.index % kinds + 1); }

std::uint64_t sum_of(const void* data, std::size_t bytes) {  // FNV-1a, eight bytes at a time
  std::uint64_t sum = 14695981039346656037u;
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const char*>(data) + at, 8);
    sum = (sum ^ word) * 1099511628211u;
  }
  return sum;
}

template <class T>
std::uint64_t sum_of(const std::vector<T>& v) {
  return sum_of(v.data(), v.size() * sizeof(T));
}

void add(item& i, std::uint64_t sum) { i.sum = (i.sum * 1099511628211u) ^ sum; }

stage drawing() {
  return {"draw", 2, false, [](item& i) { i.a = components::random_matrix(i.size[0], seed_of(i)); }};
}

// A matrix of size[at] by itself.
template <class Kernel>
stage product(const std::string& name, std::size_t at, Kernel kernel) {
  return {name, 3, true, [at, kernel](item& i) {
            const components::matrix drawn = components::random_matrix(i.size[at], seed_of(i));
            const components::matrix result = kernel(drawn, drawn);
            add(i, sum_of(result.data(), sizeof(double) * result.rows() * result.cols()));
          }};
}

// As many equations as size[at] says.
stage elimination(const std::string& name, std::size_t at) {
  return {name, 3, true, [at](item& i) {
            const components::matrix drawn = components::random_matrix(i.size[at], seed_of(i));
            i.numbers.assign(drawn.data(), drawn.data() + drawn.rows());
            if (const auto x = components::solve_gauss(drawn, i.numbers)) i.numbers = *x;
            add(i, sum_of(i.numbers));
          }};
}

constexpr auto naive = [](const auto& a, const auto& b) { return components::multiply_naive(a, b); };
template <int Block>
constexpr auto blocked = [](const auto& a, const auto& b) { return components::multiply_blocked<Block>(a, b); };

std::vector<stage> product_stages() {
  return {drawing(), product("naive", 1, naive), product("blocked", 2, blocked<32>), elimination("gauss", 3)};
}

std::vector<stage> naive_stages() { return {drawing(), product("small", 1, naive), product("large", 2, naive)}; }

std::vector<stage> blocked_stages() {
  return {drawing(), product("blocks of 16", 1, blocked<16>), product("blocks of 32", 2, blocked<32>),
          product("blocks of 64", 3, blocked<64>)};
}

std::vector<stage> gauss_stages() {
  return {drawing(), elimination("small", 1), elimination("middle", 2), elimination("large", 3)};
}

std::vector<stage> picture_stages() {
  using components::jpeg_tables;
  return {{"picture", 1, false,
           [](item& i) {
             const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(i.size[0]))));
             i.picture = components::random_image(side, side, seed_of(i));
           }},
          {"colours", 1, false,
           [](item& i) {
             components::colour_planes made = components::planes_of(i.picture);
             i.picture = {};
             i.planes = {std::move(made.y), std::move(made.cb), std::move(made.cr)};
           }},
          {"dct", 1, true,
           [](item& i) {
             tbb::parallel_for(0, 3, [&](int p) {
               const auto at = static_cast<std::size_t>(p);
               i.coefficients[at] = components::forward_dct(i.planes[at]);
             });
             i.planes = {};
           }},
          {"huffman", 1, false, [](item& i) {
             for (std::size_t p = 0; p < 3; ++p) {
               const jpeg_tables which = p == 0 ? jpeg_tables::luminance : jpeg_tables::chrominance;
               const auto table = components::scaled_table(components::annex_k_table(which), 90);
               i.sum ^=
                   sum_of(components::entropy_coded(components::quantised(i.coefficients[p], table), which).bytes) + p;
             }
             i.coefficients = {};
           }}};
}

// Four rounds of DES on every block, in ranges, as one of four stages.
void four_rounds(item& i, std::size_t first) {
  const auto keys = components::des_key_schedule(0x133457799bbcdff1u);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, i.blocks.size(), 1024), [&](const auto& range) {
    for (std::size_t b = range.begin(); b < range.end(); ++b) {
      for (std::size_t round = first; round < first + 4; ++round)
        i.blocks[b] = components::des_round(i.blocks[b], keys[round]);
      if (first == 12) i.blocks[b] = components::des_final_permutation(i.blocks[b]);
    }
  });
}

std::vector<stage> des_stages() {
  const auto begin = [](item& i) {
    std::mt19937_64 random(seed_of(i));
    i.blocks.resize(static_cast<std::size_t>(i.size[0]));
    for (auto& b : i.blocks) b = components::des_initial_permutation(random());
    four_rounds(i, 0);
  };
  return {{"rounds 1 to 4", 1, false, begin},
          {"rounds 5 to 8", 1, true, [](item& i) { four_rounds(i, 4); }},
          {"rounds 9 to 12", 1, true, [](item& i) { four_rounds(i, 8); }},
          {"rounds 13 to 16", 1, true, [](item& i) {
             four_rounds(i, 12);
             i.sum = sum_of(i.blocks);
           }}};
}

// Seconds by spinning on integers, on one thread.
void compute(item& i, std::int64_t rounds) {
  if (i.sum == 0) i.sum = seed_of(i);
  for (std::int64_t r = 0; r < rounds; ++r) i.sum = (i.sum ^ static_cast<std::uint64_t>(r)) * 1099511628211u;
}

stage computing(const std::string& name, std::size_t at) {
  return {name, 1, false, [at](item& i) { compute(i, i.size[at]); }};
}

std::vector<stage> memory_stages() {
  return {computing("begin", 0),
          {"memory", 1, true,  // three arrays that no cache holds: all cores share one memory
           [](item& i) {
             const auto third = static_cast<std::size_t>(i.size[1]) / 3;
             i.numbers.assign(3 * third, 1.5);
             double* const x = i.numbers.data();
             tbb::parallel_for(tbb::blocked_range<std::size_t>(0, third, 1 << 14), [&](const auto& range) {
               for (std::size_t k = range.begin(); k < range.end(); ++k) x[k] = x[third + k] + 3 * x[2 * third + k];
             });
             i.sum ^= sum_of(x, sizeof(double) * std::min<std::size_t>(third, 1024));
             i.numbers = {};
           }},
          computing("end", 2)};
}

std::vector<stage> lock_stages() {
  const auto lock = std::make_shared<std::mutex>();
  return {computing("begin", 0),
          {"lock", 1, false,  // nine tenths of it under one lock
           [lock](item& i) {
             compute(i, i.size[1] / 10);
             const std::lock_guard held(*lock);
             compute(i, i.size[1] - i.size[1] / 10);
           }},
          computing("end", 2)};
}

sizes products_of(std::int64_t i, std::int64_t) {
  const std::int64_t n = 200 + 40 * (i % 4);
  return {n, n, n + 40, n + 80};
}

// Four equal phases, in each of which another stage costs most (K1 of bench/scenarios).
sizes phases_of(std::int64_t i, std::int64_t n) {
  constexpr std::int64_t large = 360, small = 150;
  sizes of{small, small, small, small};
  of[static_cast<std::size_t>(1 + (4 * i / std::max<std::int64_t>(1, n)) % 3)] = large;
  return of;
}

// The phases, and one record in fifty is much larger, by a tail of Pareto(2, 1.5) (K3 of bench/scenarios).
sizes tails_of(std::int64_t i, std::int64_t n) {
  sizes of = phases_of(i, n);
  std::mt19937_64 random(static_cast<std::uint64_t>(i) + 7);
  if (random() % 50 != 0) return of;
  const double u = (static_cast<double>(random() >> 11) + 1) * 0x1p-53;
  const double factor = std::min(20.0, 2 * std::pow(u, -1 / 1.5));  // of the time, which follows N^3
  auto& n_of = of[1 + random() % 3];
  n_of = std::llround(static_cast<double>(n_of) * std::cbrt(factor));
  return of;
}

}  // namespace

std::vector<program> all_programs() {
  return {{"products", "draw, naive product, blocked product, Gauss; N = 200 to 400", product_stages(), products_of},
          {"phases", "the same; a third of the records have a large naive, blocked, Gauss in turn (as K1)",
           product_stages(), phases_of},
          {"tails", "phases, and one record in fifty takes 2 to 20 times as long (as K3)", product_stages(), tails_of},
          {"matmul", "draw, naive products; N = 240, 360", naive_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{360, 240, 360, 0};
           }},
          {"blocked", "draw, products in blocks of 16, 32 and 64; N = 400", blocked_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{400, 400, 400, 400};
           }},
          {"gauss", "draw, Gauss; N = 200, 300, 400", gauss_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{400, 200, 300, 400};
           }},
          {"jpeg", "pictures of 512 x 512 to JPEG: draw, colours, DCT of three planes, Huffman", picture_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{512 * 512, 512 * 512, 512 * 512, 512 * 512};
           }},
          {"des", "20,000 blocks of DES, four rounds a stage", des_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{20000, 20000, 20000, 20000};
           }},
          {"memory", "a stage bound by memory between two that compute", memory_stages(),
           [](std::int64_t, std::int64_t) {
             return sizes{2'000'000, 3'000'000, 4'000'000, 0};
           }},
          {"lock", "a stage bound by a lock between two that compute", lock_stages(), [](std::int64_t, std::int64_t) {
             return sizes{2'000'000, 1'000'000, 4'000'000, 0};
           }}};
}

}  // namespace weir::many_cores
