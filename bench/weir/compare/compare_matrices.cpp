#include "bench/weir/compare/compare_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/record/label.hpp>
#include "bench/weir/compare/compare_fixed.hpp"
#include "bench/weir/compare/compare_pipeline.hpp"
#include "bench/weir/runs/matrix_work.hpp"
#include "components/matrix/multiply_openmp.hpp"

namespace weir::program {
namespace {

using components::matrix;

constexpr tag n{"n"}, m{"m"}, id{"id"};
constexpr field<matrix> a{"a"}, b{"b"}, c{"c"}, d{"d"};

// The larger product of a record takes about 18 to 44 ms of one core, the smaller one an eighth of that. That is long
// compared with a move or a wake-up, and 80 records take two to three seconds. If the sizes swap, there are twice as
// many records. So each half is longer than the 64 invocations that learner::mean_seconds() averages.
constexpr double large_sizes[] = {340, 380, 420, 460};
constexpr std::size_t default_records = 80;

struct sizes {
  std::int64_t first = 0, second = 0;
};

struct job {
  std::vector<sizes> of;  // by record
  std::uint64_t seed = 1;

  matrix drawn(std::int64_t size, std::size_t index, std::uint64_t which) const {
    return matrix_of(size, seed, 2 * index + which);
  }
};

// First binds the threads that OpenMP keeps to the cores of this grant (<weir/network/grant.hpp>).
matrix squared_by_openmp(const grant& given, const matrix& of) {
#pragma omp parallel num_threads(given.size())
  given.bind_this_thread();
  return components::multiply_openmp(of, of, given.size());
}

// OpenMP has a team of all cores for each caller.
void run_free_for_all(const job& what, bool openmp, int cores, const std::function<bool(std::size_t)>& sent,
                      const std::function<void(record)>& result) {
  struct item {
    std::size_t index = 0;
    matrix a, b, c, d;
  };
  run_as_pipeline<item>(
      cores,
      [](std::size_t i) {
        return item{i, {}, {}, {}, {}};
      },
      pipeline_stage<item>([&](item& i) {
        i.a = what.drawn(what.of[i.index].first, i.index, 0);
        i.b = what.drawn(what.of[i.index].second, i.index, 1);
      }) & pipeline_stage<item>([](item& i) { i.c = squared(i.a); }) &
          pipeline_stage<item>(
              [&](item& i) { i.d = openmp ? components::multiply_openmp(i.b, i.b, cores) : squared(i.b); }),
      [](item& i) { return record(c = std::move(i.c), d = std::move(i.d), id = static_cast<std::int64_t>(i.index)); },
      sent, result);
}

network network_of(const std::shared_ptr<const job>& what, bool openmp) {
  const network generate = box("generate", takes(n, m, id), gives(a, b, id),
                               [what](std::int64_t first, std::int64_t second, std::int64_t index) {
                                 const auto i = static_cast<std::size_t>(index);
                                 return std::tuple(what->drawn(first, i, 0), what->drawn(second, i, 1), index);
                               })
                               .predicted_by([](std::int64_t first, std::int64_t second,
                                                std::int64_t) { return first * first + second * second; },
                                             degree{1});
  const auto rows = [](const matrix& of) { return of.rows(); };
  const network first = box("first", takes(a), gives(c), squared).predicted_by(rows, degree{3});
  network second = box("second", takes(b), gives(d), squared).predicted_by(rows, degree{3});
  if (openmp) second = box("second", takes(b), gives(d), squared_by_openmp).predicted_by(rows, degree{3});
  return (generate >> first >> second).as("products", takes(n, m, id), gives(c, d, id));
}

compared_workload pair_of(const workload_size& size, bool swaps, bool openmp) {
  const auto what = std::make_shared<job>();
  what->seed = size.seed;
  const std::size_t records = size.records.value_or(swaps ? 2 * default_records : default_records);
  const auto scaled = [&](double of) { return std::max<std::int64_t>(1, std::llround(of * size.scale)); };
  for (std::size_t i = 0; i < records; ++i) {
    const double large = large_sizes[i % std::size(large_sizes)];
    const bool swapped = swaps && i >= (records + 1) / 2;
    what->of.push_back({scaled(swapped ? large / 2 : large), scaled(swapped ? large : large / 2)});
  }

  compared_workload w{{network_of(what, openmp), {"generate", "first", "second"}, records, {}, {}}};
  std::vector<std::int64_t> larger;
  for (const double of : large_sizes) larger.push_back(scaled(of));
  w.work =
      fmt::format("N = {} for first{}, half of it for second{}", fmt::join(larger, ", "), openmp ? " (oneTBB)" : "",
                  openmp  ? " (OpenMP)"
                  : swaps ? "; halfway the other way round"
                          : "");
  w.input = [what](std::size_t i) {
    return record(n = what->of[i].first, m = what->of[i].second, id = static_cast<std::int64_t>(i));
  };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[id]); };
  w.is_right = [what](const record& result, std::size_t i) {
    return is_square_of(what->drawn(what->of[i].first, i, 0), result[c], i) &&
           is_square_of(what->drawn(what->of[i].second, i, 1), result[d], i);
  };
  w.result_bytes = [what](std::size_t i) {
    const sizes& s = what->of[i];
    return sizeof(double) * static_cast<std::size_t>(s.first * s.first + s.second * s.second);
  };
  w.checked_how = fmt::format("both products of each by Freivalds' check with {} vectors", freivalds_vectors);
  w.free_for_all = [what, openmp](int cores, const auto& sent, const auto& result) {
    run_free_for_all(*what, openmp, cores, sent, result);
  };
  w.fixed_divisions = [names = w.components](int cores) { return all_divisions(names, cores); };
  w.fixed_how = "all of which were run";
  return w;
}

}  // namespace

compared_workload matmul_pair(const workload_size& size) { return pair_of(size, false, false); }
compared_workload swapped_pair(const workload_size& size) { return pair_of(size, true, false); }
compared_workload openmp_pair(const workload_size& size) { return pair_of(size, false, true); }

}  // namespace weir::program
