#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/random_grants.hpp"
#include "tests/runtime/random_language.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir::testing::language {

// How a network is run.
struct way {
  int cores = 1;
  std::size_t capacity = 0;
  enum { adaptive_shares, equal, fixed, random } policy = adaptive_shares;
  int changes = 0;           // of the grants, while it runs
  bool delays = false;       // in boxes
  bool two_threads = false;  // one sends, one reads; else all is sent, then read
  bool has_threads = true;   // of the runtime's
  std::uint64_t seed = 0;

  std::string text() const {
    static const char* const policies[] = {"adaptive", "equal", "fixed", "random shares"};
    return std::to_string(cores) + " cores, capacity " + std::to_string(capacity) + ", " + policies[policy] + ", " +
           std::to_string(changes) + " changes of grants" + (delays ? ", delays" : "") +
           (two_threads ? ", sent and read at once" : ", sent, then read") + (has_threads ? "" : ", without threads");
  }
};

// What came out where.
struct outcome {
  std::vector<std::string> results;
  std::uint64_t sent = 0, reported = 0, failed = 0, held = 0, dropped = 0;
  std::size_t errors = 0;
  std::int64_t observed = 0;
};

inline outcome run_in_a_way(const specimen& s, const way& w) {
  const std::string cores = "core:" + std::to_string(w.cores) + " pu:1";
  options o;
  o.machine = w.has_threads ? machine::synthetic(cores)
                            : machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform(cores)));
  o.capacity = w.capacity;
  o.on_error = on_error::collect;
  if (w.policy == way::equal) o.policy = equal_shares{};
  if (w.policy == way::fixed) o.policy = fixed_shares{};
  if (w.policy == way::random) o.policy = random_shares(w.seed);
  boxes_behave().delays = w.delays;
  boxes_behave().observed = 0;
  outcome all;
  const auto drive = [&](auto& run, const auto& read) {
    const auto send_all = [&] {
      for (const plain_record& r : s.inputs) run.send(realised(r));
      run.close();
    };
    std::thread sender;
    if (w.two_threads)
      sender = std::thread(send_all);
    else
      send_all();
    read();
    if (sender.joinable()) sender.join();
    all.errors = run.errors().size();
    const run_report report = run.report();
    all.sent = report.sent, all.reported = report.results, all.failed = report.failed;
    all.held = report.held, all.dropped = report.dropped;
  };
  if (w.changes) {
    detail::run_state run(s.net, o);
    const grant_changer changer(run, o.machine, w.changes, w.seed);
    drive(run, [&] {
      record r;
      while (run.next(r)) all.results.push_back(printed(r));
    });
  } else {
    execution run = start(s.net, o);
    drive(run, [&] {
      for (const record& r : run) all.results.push_back(printed(r));
    });
  }
  all.observed = boxes_behave().observed;
  return all;
}

// What is wrong with it; "" when nothing is.
inline std::string difference(const specimen& s, const outcome& got) {
  const auto numbers = [](const char* what, std::int64_t expected, std::int64_t seen) {
    return std::string(what) + ": expected " + std::to_string(expected) + ", got " + std::to_string(seen) + "\n";
  };
  std::string text;
  std::size_t expected_count = 0;
  for (const group& g : s.expected) expected_count += g.size();
  std::vector<std::string> results = got.results;
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.expected.size() && text.empty(); ++i) {
    std::vector<std::string> expected;
    for (const plain_record& r : s.expected[i]) expected.push_back(to_string(r));
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(expected.size(), results.size() - at));
    std::vector<std::string> there(begin, end);
    std::sort(expected.begin(), expected.end());
    std::sort(there.begin(), there.end());
    if (s.known_order == order::none) there = results, std::sort(there.begin(), there.end());
    if (expected != there) {
      std::vector<std::string> missing, surplus;
      std::set_difference(expected.begin(), expected.end(), there.begin(), there.end(), std::back_inserter(missing));
      std::set_difference(there.begin(), there.end(), expected.begin(), expected.end(), std::back_inserter(surplus));
      text += "from result " + std::to_string(at) + " on (group " + std::to_string(i) + " of " +
              std::to_string(s.expected.size()) + ", " + std::to_string(expected.size()) + " records):\n";
      for (std::size_t m = 0; m < missing.size() && m < 5; ++m) text += "  missing " + missing[m] + "\n";
      for (std::size_t m = 0; m < surplus.size() && m < 5; ++m) text += "  instead " + surplus[m] + "\n";
    }
    at += expected.size();
  }
  if (results.size() != expected_count)
    text += numbers("results", static_cast<std::int64_t>(expected_count), static_cast<std::int64_t>(results.size()));
  if (static_cast<std::int64_t>(got.failed) != s.failed)
    text += numbers("failed records", s.failed, static_cast<std::int64_t>(got.failed));
  if (static_cast<std::int64_t>(got.errors) != s.failed)
    text += numbers("errors", s.failed, static_cast<std::int64_t>(got.errors));
  if (static_cast<std::int64_t>(got.held) != s.held)
    text += numbers("records held in cells", s.held, static_cast<std::int64_t>(got.held));
  if (got.observed != s.observed) text += numbers("observed records", s.observed, got.observed);
  if (got.sent != s.inputs.size())
    text += numbers("sent", static_cast<std::int64_t>(s.inputs.size()), static_cast<std::int64_t>(got.sent));
  if (got.reported != results.size())
    text += numbers("results in the report", static_cast<std::int64_t>(results.size()),
                    static_cast<std::int64_t>(got.reported));
  return text;
}

// Some ways of running: each number of cores with two capacities, and a machine without threads. At random so many
// of them.
inline std::vector<way> ways_for(std::uint64_t seed, std::size_t most = 9) {
  std::mt19937_64 random(seed ^ 0x5bd1e995);
  const auto up_to = [&](int top) { return std::uniform_int_distribution<int>(0, top)(random); };
  const auto any_policy = [&] { return static_cast<decltype(way::policy)>(up_to(3)); };
  std::vector<way> all;
  std::vector<std::size_t> capacities{0, 1, 1, 1, 2, 2, 16, 16};
  std::shuffle(capacities.begin(), capacities.end(), random);
  for (const std::size_t capacity : capacities) {
    way w;
    w.cores = std::vector<int>{1, 2, 8, 64}[all.size() % 4];
    w.capacity = capacity;
    w.policy = any_policy();
    if (up_to(2) == 0) w.policy = way::random, w.changes = 1 + up_to(20);
    w.delays = up_to(1);
    w.two_threads = up_to(1);
    w.seed = seed * 10 + all.size();
    all.push_back(w);
  }
  way w;
  w.has_threads = false;
  w.cores = 1 + up_to(3);
  w.capacity = static_cast<std::size_t>(up_to(2));
  w.policy = any_policy();
  w.seed = seed;
  all.push_back(w);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), most));
  return all;
}

class a_network_of_the_language : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    watch_ = std::thread([this] { watch(); });
  }
  void TearDown() override {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    watch_.join();
    gives_all_back::TearDown();
  }

  // The network of this seed gives what the rules say, in each of some ways.
  void expect_what_the_rules_say(std::uint64_t seed, language_statistics& statistics, std::size_t ways) {
    const specimen s = language_maker(seed).draw(statistics);
    for (const way& w : ways_for(seed, ways)) {
      const std::string about =
          "seed " + std::to_string(seed) + ", " + w.text() + "\n" + weir::to_string(s.net) + "\n" + to_string(*s.what);
      now_running(about);
      const std::string wrong = difference(s, run_in_a_way(s, w));
      ASSERT_EQ(wrong, "") << about;
    }
    now_running("");
  }

 private:
  void now_running(const std::string& what) {
    const std::lock_guard lock(mutex_);
    running_ = what;
    ++runs_;
    changed_.notify_all();
  }

  // Says which run hangs, which the fixture above cannot.
  void watch() {
    std::unique_lock lock(mutex_);
    while (!done_) {
      const int before = runs_;
      if (changed_.wait_for(lock, std::chrono::seconds(30), [&] { return done_ || runs_ != before; })) continue;
      if (running_.empty()) continue;
      std::fprintf(stderr, "hangs: %s\n", running_.c_str());
      std::fflush(nullptr);
      std::_Exit(3);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string running_;
  int runs_ = 0;
  bool done_ = false;
  std::thread watch_;
};

}  // namespace weir::testing::language
