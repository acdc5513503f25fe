#include "bench/weir/compare/compare_workloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <tuple>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/network/fold.hpp>
#include <weir/record/label.hpp>
#include "bench/weir/compare/compare_fixed.hpp"
#include "bench/weir/compare/compare_pipeline.hpp"
#include "bench/weir/runs/matrix_work.hpp"

namespace weir::program {
namespace {

using components::matrix;

constexpr tag n{"n"}, kind{"kind"}, id{"id"}, digest{"digest"}, tally{"tally"};
constexpr field<matrix> a{"a"}, c{"c"};

constexpr double sizes[] = {48, 56, 64, 72};
constexpr std::size_t kinds = 4 * std::size(sizes);  // of inputs, so that all results are known beforehand
constexpr std::size_t default_records = 40000;       // five seconds on one core

// FNV-1a over the bytes of all entries: one dependent multiplication each.
std::int64_t digest_of(const matrix& m) {
  constexpr std::uint64_t start = 14695981039346656037u, prime = 1099511628211u;
  std::uint64_t sum = start;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(m.data());
  for (std::size_t i = 0; i < m.rows() * m.cols() * sizeof(double); ++i) sum = (sum ^ bytes[i]) * prime;
  return static_cast<std::int64_t>(sum);
}

// The state after one more record. It depends on their order.
std::int64_t tallied(std::int64_t before, std::int64_t one) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(before) * 31 + static_cast<std::uint64_t>(one));
}

struct job {
  std::uint64_t seed = 1;
  std::vector<std::int64_t> sizes;    // by kind
  std::vector<std::int64_t> tallies;  // the right result, by record

  std::int64_t size_of(std::int64_t of_kind) const { return sizes[static_cast<std::size_t>(of_kind)]; }
  matrix drawn(std::int64_t size, std::int64_t of_kind) const {
    return matrix_of(size, seed, static_cast<std::uint64_t>(of_kind));
  }
};

network network_of(const std::shared_ptr<const job>& what) {
  const auto entries = [](const matrix& of) { return of.rows() * of.cols(); };
  const network draw = box("draw", takes(n, kind), gives(a), [what](std::int64_t size, std::int64_t k) {
                         return what->drawn(size, k);
                       }).predicted_by([](std::int64_t size, std::int64_t) { return size * size; }, degree{1});
  const network square =
      box("square", takes(a), gives(c), squared).predicted_by([](const matrix& of) { return of.rows(); }, degree{3});
  const network sum = box("digest", takes(c), gives(digest), digest_of).predicted_by(entries, degree{1});
  const network all = fold("tally", takes(digest, id), gives(tally, id), std::int64_t{0},
                           [](std::int64_t& state, std::int64_t one, std::int64_t of, emitter& emit) {
                             state = tallied(state, one);
                             emit(tally = state, id = of);
                           });
  return (draw >> square >> sum >> all).as("mixed", takes(n, kind, id), gives(tally, id));
}

}  // namespace

compared_workload mixed_pipeline(const workload_size& size) {
  const auto what = std::make_shared<job>();
  what->seed = size.seed;
  std::vector<std::int64_t> digests;
  for (std::size_t k = 0; k < kinds; ++k) {
    what->sizes.push_back(std::max<std::int64_t>(1, std::llround(sizes[k % std::size(sizes)] * size.scale)));
    const matrix drawn = what->drawn(what->sizes[k], static_cast<std::int64_t>(k));
    digests.push_back(digest_of(components::multiply_sequential(drawn, drawn)));
  }
  const std::size_t records = size.records.value_or(default_records);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < records; ++i) what->tallies.push_back(sum = tallied(sum, digests[i % kinds]));

  compared_workload w{{network_of(what), {"draw", "square", "digest", "tally"}, records, {}, {}}};
  w.work = fmt::format("N = {}: drawn, squared (oneTBB), summed up byte by byte, and counted in order",
                       fmt::join(what->sizes.begin(), what->sizes.begin() + std::size(sizes), ", "));
  w.input = [what](std::size_t i) {
    const auto k = static_cast<std::int64_t>(i % kinds);
    return record(n = what->size_of(k), kind = k, id = static_cast<std::int64_t>(i));
  };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[id]); };
  w.is_right = [what](const record& result, std::size_t i) { return result[tally] == what->tallies[i]; };
  w.result_bytes = [](std::size_t) { return 2 * sizeof(std::int64_t); };
  w.checked_how = "the tally after each record with that of a sequential run";
  w.free_for_all = [what](int cores, const auto& sent, const auto& result) {
    struct item {
      std::size_t index = 0;
      matrix a, c;
      std::int64_t digest = 0;
    };
    std::int64_t state = 0;
    run_as_pipeline<item>(
        cores,
        [](std::size_t i) {
          return item{i, {}, {}, 0};
        },
        pipeline_stage<item>([&](item& i) {
          const auto k = static_cast<std::int64_t>(i.index % kinds);
          i.a = what->drawn(what->size_of(k), k);
        }) & pipeline_stage<item>([](item& i) { i.c = squared(i.a); }) &
            pipeline_stage<item>([](item& i) { i.digest = digest_of(i.c); }),
        [&](item& i) {
          state = tallied(state, i.digest);
          return record(tally = state, id = static_cast<std::int64_t>(i.index));
        },
        sent, result);
  };
  w.closed = [what, net = w.net](std::function<bool(std::size_t)> sent, std::function<void(record)> result) {
    const auto feed = [what, sent = std::move(sent)](emitter& emit) {
      for (std::size_t i = 0; sent(i); ++i) {
        const auto k = static_cast<std::int64_t>(i % kinds);
        emit(n = what->size_of(k), kind = k, id = static_cast<std::int64_t>(i));
      }
    };
    const auto take = [result = std::move(result)](std::int64_t counted_so_far, std::int64_t of) {
      result(record(tally = counted_so_far, id = of));
    };
    return source("feed", gives(n, kind, id), feed) >> net >> box("take", takes(tally, id), gives_none, take).serial();
  };
  w.fixed_divisions = [names = w.components](int cores) { return all_divisions(names, cores, "tally"); };
  w.fixed_how = "all of which were run";
  return w;
}

}  // namespace weir::program
