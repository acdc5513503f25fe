#include "bench/field/ferret/ways.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <weir/weir.hpp>
#include "bench/field/ferret/schedule.hpp"

namespace weir::field_bench::ferret {
namespace {

constexpr field<held_query> picture{"picture"}, regions{"regions"}, features{"features"}, found{"found"};

}  // namespace

std::vector<std::string> weir_components() { return {"segment", "extract", "look_up", "rank"}; }

namespace {

// The measurements of a run under a rule, and its report as JSON.
std::pair<outcome, std::string> reported(const workload& what, const picture_index& in, const policy& rule) {
  schedule times(what);
  const auto stage = [](const char* name, const auto& from, const auto& to, auto change, auto cost) {
    return box(name, takes(from), gives(to),
               [change](const held_query& q) {
                 change(*q);
                 return q;
               })
        .predicted_by(cost, degree{1})
        .sequential();
  };
  const auto pixels = [](const held_query& q) { return static_cast<double>(q->pixels.size()); };
  const auto segmenting = stage("segment", picture, regions, segment, pixels);
  const auto extracting = stage("extract", regions, features, extract, pixels);
  const auto looking = stage(
      "look_up", features, found, [&in](query& q) { look_up(q, in); },
      [](const held_query& q) { return static_cast<double>(q->regions); });
  const auto ranking =
      box("rank", takes(found), gives_none,
          [&](const held_query& q) {
            rank(*q, in);
            times.done(*q);
          })
          .predicted_by([](const held_query& q) { return static_cast<double>(q->regions * q->candidates.size()); },
                        degree{1})
          .sequential();
  options how;
  how.policy = rule;
  execution run = start(segmenting >> extracting >> looking >> ranking, how);
  const std::jthread sender([&] {
    for (std::size_t i = 0; i < what.queries; ++i) run.send(picture = times.wait_for(i));
    run.close();
  });
  run.wait();
  outcome seen = times.end();
  return {std::move(seen), run.report().json()};
}

}  // namespace

outcome by_weir(const workload& what, const picture_index& in, const policy& rule) {
  return reported(what, in, rule).first;
}

std::string weir_report(const workload& what, const picture_index& in) {
  return reported(what, in, adaptive{objective::throughput}).second;
}

outcome by_pipeline(const workload& what, const picture_index& in, int threads) {
  schedule times(what);
  std::size_t next = 0;
  const auto read = tbb::make_filter<void, held_query>(tbb::filter_mode::serial_in_order,
                                                       [&](tbb::flow_control& control) -> held_query {
                                                         if (next < what.queries) return times.wait_for(next++);
                                                         control.stop();
                                                         return nullptr;
                                                       });
  const auto stage = [](auto change) {
    return tbb::make_filter<held_query, held_query>(tbb::filter_mode::parallel, [change](const held_query& q) {
      change(*q);
      return q;
    });
  };
  const auto all = read & stage(segment) & stage(extract) & stage([&](query& q) { look_up(q, in); }) &
                   tbb::make_filter<held_query, void>(tbb::filter_mode::parallel, [&](const held_query& q) {
                     rank(*q, in);
                     times.done(*q);
                   });
  // One more, since the first filter sleeps until the next query arrives.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads + 1));
  tbb::task_arena arena(threads + 1);
  arena.execute([&] { tbb::parallel_pipeline(static_cast<std::size_t>(4 * threads), all); });
  return times.end();
}

outcome by_threads(const workload& what, const picture_index& in, int threads) {
  schedule times(what);
  std::mutex taking;
  std::size_t next = 0;
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&] {
        while (true) {
          std::unique_lock lock(taking);
          if (next == what.queries) return;
          const held_query q = times.wait_for(next++);
          lock.unlock();
          segment(*q);
          extract(*q);
          look_up(*q, in);
          rank(*q, in);
          times.done(*q);
        }
      });
  }
  return times.end();
}

outcome by_loop(const workload& what, const picture_index& in) { return by_threads(what, in, 1); }

}  // namespace weir::field_bench::ferret
