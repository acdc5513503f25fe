#pragma once

#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/remote/several_ranks.hpp"
#include "tests/runtime/support/ways_of_running.hpp"

// Random networks of the language, with random parts of them on other ranks.
namespace weir::testing::language {

// The same plan with parts that are placed at random.
inline plan_ptr placed_at_random(const plan_ptr& p, std::mt19937_64& random, int ranks) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  auto copy = std::make_shared<plan>(*p);
  for (plan_ptr& part : copy->parts) part = placed_at_random(part, random, ranks);
  copy->placed = up_to(3) == 0;
  copy->node = up_to(ranks + 1) - 1;
  copy->by_tag = copy->what == plan::split && up_to(1) == 0;
  return copy;
}

struct placed_way {
  int ranks = 2, cores = 1;
  std::size_t capacity = 0;
  bool delays = false, two_threads = false, first_error_ends = false, stops = false;
  std::size_t reads = 0;
  std::string text() const {
    return std::to_string(ranks) + " ranks of " + std::to_string(cores) + " cores, capacity " +
           std::to_string(capacity) + (delays ? ", delays" : "") +
           (two_threads ? ", sent and read at once" : ", sent, then read") +
           (first_error_ends ? ", the first error ends it" : "") +
           (stops ? ", stopped after " + std::to_string(reads) : "");
  }
};

inline placed_way any_way(std::mt19937_64& random) {
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  placed_way w;
  w.ranks = 2 + up_to(2);
  w.cores = 1 + up_to(2);
  w.capacity = std::vector<std::size_t>{0, 1, 2, 16}[static_cast<std::size_t>(up_to(3))];
  w.delays = up_to(1);
  w.two_threads = up_to(1);
  w.first_error_ends = up_to(7) == 0;
  w.stops = up_to(7) == 0;
  w.reads = static_cast<std::size_t>(up_to(20));
  return w;
}

inline outcome run_on_ranks(const specimen& s, const network& net, std::atomic<std::int64_t>& observed,
                            const placed_way& w, std::uint64_t seed) {
  boxes_behave().delays = w.delays;
  observed = 0;
  outcome all;
  all.ended_early = w.first_error_ends || w.stops;
  several_ranks ranks(
      w.ranks, [&](int) { return net; },
      [&](int rank) {
        options o;
        o.machine = machine::synthetic("core:" + std::to_string(w.cores) + " pu:1");
        o.capacity = w.capacity;
        o.on_error = w.first_error_ends ? on_error::stop : on_error::collect;
        if (seed % 3 == 0) o.policy = equal_shares{};
        if (seed % 3 == 1) o.policy = random_shares(seed + static_cast<std::uint64_t>(rank));
        return o;
      });
  execution& run = ranks.run();
  const auto send_all = [&] {
    try {
      for (const plain_record& r : s.inputs) run.send(realised(r));
      if (!net.root()->is_closed()) run.close();
    } catch (const std::exception& thrown) {
      all.refused = thrown.what();
    }
  };
  std::thread sender;
  if (w.two_threads)
    sender = std::thread(send_all);
  else
    send_all();
  try {
    if (!w.stops || w.reads > 0)
      for (const record& r : run) {
        all.results.push_back(printed(r));
        if (w.stops && all.results.size() >= w.reads) break;
      }
    if (w.stops) {
      run.stop();
      for (const record& r : run) all.results.push_back(printed(r));
    }
  } catch (const run_error& thrown) {
    all.thrown = thrown.what();
  }
  if (sender.joinable()) sender.join();
  all.errors = run.errors().size();
  const run_report report = run.report();
  all.sent = report.sent, all.reported = report.results, all.failed = report.failed;
  all.held = report.held, all.dropped = report.dropped, all.unfinished = report.unfinished;
  ranks.finish();
  all.observed = observed;
  for (int r = 1; r < w.ranks; ++r)
    if (!ranks.error_of(r).empty()) all.thrown += "rank " + std::to_string(r) + ": " + ranks.error_of(r);
  return all;
}

}  // namespace weir::testing::language
