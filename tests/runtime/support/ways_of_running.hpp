#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/network/node.hpp"
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/language/random_language.hpp"

// Ways of running a network of the language, and whether the results are those of the rules.
namespace weir::testing::language {

// How a network is run.
struct way {
  int cores = 1;
  std::size_t capacity = 0;
  std::size_t in_flight = 0;  // option max_in_flight
  enum { adaptive_shares, equal, fixed, random } policy = adaptive_shares;
  int changes = 0;                               // of the grants, while it runs
  bool delays = false;                           // in boxes
  bool two_threads = false;                      // one sends, one reads; otherwise all is sent, then read
  bool has_threads = true;                       // of the runtime's
  bool inline_send = false;                      // the sender runs short boxes
  bool is_local = false;                         // on this machine's cores, however many
  bool first_error_ends = false;                 // otherwise errors are collected
  enum { read, stopped, destroyed } end = read;  // destroyed: with the input open, all sent by the reader
  std::size_t reads = 0;                         // before the last two
  std::uint64_t seed = 0;

  // The results may be fewer than the rules say.
  bool ends_early() const { return first_error_ends || end != read; }

  std::string text() const {
    static const char* const policies[] = {"adaptive", "equal", "fixed", "random shares"};
    static const char* const ends[] = {"", ", stopped after ", ", destroyed after "};
    return (is_local ? "this machine" : std::to_string(cores) + " cores") + ", capacity " + std::to_string(capacity) +
           (in_flight ? ", " + std::to_string(in_flight) + " in flight" : "") + ", " + policies[policy] + ", " +
           std::to_string(changes) + " changes of grants" + (delays ? ", delays" : "") +
           (inline_send ? ", sent inline" : "") + (two_threads ? ", sent and read at once" : ", sent, then read") +
           (has_threads ? "" : ", without threads") + (first_error_ends ? ", the first error ends it" : "") +
           (end == read ? "" : ends[end] + std::to_string(reads) + " results");
  }
};

// The results, by kind.
struct outcome {
  std::vector<std::string> results;
  std::uint64_t sent = 0, reported = 0, failed = 0, held = 0, dropped = 0, unfinished = 0, decisions = 0;
  std::uint64_t in_flight = 0, beyond = 0;  // at the end; and the most of them, beyond the limit
  std::size_t errors = 0;
  std::int64_t observed = 0;
  std::string refused, thrown;  // the exceptions of send and iteration
  bool ended_early = false;
};

inline std::string name_of_a_box(const plan& p) {
  if (p.what == plan::box) return p.basis.name;
  if (p.what == plan::fold) return p.kept.name;
  for (const plan_ptr& q : p.parts)
    if (std::string name = name_of_a_box(*q); !name.empty()) return name;
  return "";
}

inline std::int64_t sources_in(const plan& p) {
  std::int64_t count = p.what == plan::source;
  for (const plan_ptr& q : p.parts) count += sources_in(*q);
  return count;
}

inline options options_of(const specimen& s, const way& w) {
  const std::string cores = "core:" + std::to_string(w.cores) + " pu:1";
  options o;
  o.machine = w.is_local      ? machine::local()
              : w.has_threads ? machine::synthetic(cores)
                              : machine(std::make_shared<detail::machine_state>(detail::unthreaded_platform(cores)));
  o.capacity = w.capacity;
  o.max_in_flight = w.in_flight;
  o.inline_send = w.inline_send;
  o.on_error = w.first_error_ends ? on_error::stop : on_error::collect;
  if (w.policy == way::equal) o.policy = equal_shares{};
  if (w.policy == way::fixed) o.policy = fixed_shares{};
  if (w.policy == way::random) o.policy = random_shares(w.seed);
  if (const std::string box = name_of_a_box(*s.what);
      w.policy == way::fixed && !w.is_local && w.cores > 1 && w.seed % 2 && !box.empty())
    o.policy = fixed_shares{{box, 1}};
  return o;
}

// The report of a run at its end.
template <class Run>
void add_report(outcome& all, Run& run) {
  all.errors = run.errors().size();
  const run_report report = run.report();
  all.sent = report.sent, all.reported = report.results, all.failed = report.failed;
  all.held = report.held, all.dropped = report.dropped, all.unfinished = report.unfinished,
  all.decisions = report.decisions.size();
  const in_flight_report& in = report.in_flight;
  all.in_flight = in.records, all.beyond = in.limit && in.peak > in.limit ? in.peak - in.limit : 0;
}

// Sends all inputs and reads results, as the way says. `more` reads results until there are that many, or no more.
template <class Run, class More>
void drive(Run& run, const specimen& s, const way& w, const More& more, outcome& all) {
  all.ended_early = w.ends_early();
  const auto send_all = [&] {
    try {
      for (const plain_record& r : s.inputs) run.send(realised(r));
      if (w.end != way::destroyed && !s.net.root()->is_closed()) run.close();
    } catch (const std::exception& e) {
      all.refused = e.what();
    }
  };
  std::thread sender;
  if (w.two_threads)
    sender = std::thread(send_all);
  else
    send_all();
  try {
    more(w.end == way::read ? all.results.max_size() : w.reads);
    if (w.end == way::stopped) {
      run.stop();
      more(all.results.max_size());
    }
  } catch (const run_error& e) {
    all.thrown = e.what();
  }
  if (sender.joinable()) sender.join();
  add_report(all, run);
  if (!w.has_threads) all.beyond = 0;  // an initialiser's records there may have to enter anyway
}

inline void drive(execution& run, const specimen& s, const way& w, outcome& all) {
  drive(
      run, s, w,
      [&](std::size_t count) {
        if (all.results.size() >= count) return;
        for (const record& r : run) {
          all.results.push_back(printed(r));
          if (all.results.size() >= count) return;
        }
      },
      all);
}

// REQUIRES: no other thread runs the same network at the same time, since its observers count together.
inline outcome run_in_a_way(const specimen& s, const way& w) {
  const options o = options_of(s, w);
  boxes_behave().delays = w.delays;
  *s.seen = 0;
  outcome all;
  if (w.changes) {
    detail::run_state run(s.net, o);
    const grant_changer changer(run, o.machine, w.changes, w.seed);
    drive(
        run, s, w,
        [&](std::size_t count) {
          record r;
          while (all.results.size() < count && run.next(r)) all.results.push_back(printed(r));
        },
        all);
  } else {
    execution run = start(s.net, o);
    drive(run, s, w, all);
  }
  all.observed = *s.seen;
  return all;
}

// The difference between expected and actual results; "" if there is none. A run that ended early gives a beginning of
// its results: of a sequence, of the groups, or some of all.
inline std::string difference(const specimen& s, const outcome& got) {
  std::string text;
  const auto compare = [&](const char* what, std::int64_t expected, std::uint64_t seen, bool at_most) {
    const auto number = static_cast<std::int64_t>(seen);
    if (at_most ? number <= expected : number == expected) return;
    text += std::string(what) + ": expected " + (at_most ? "at most " : "") + std::to_string(expected) + ", got " +
            std::to_string(number) + "\n";
  };
  const bool some = got.ended_early;
  compare("records beyond max_in_flight", sources_in(*s.what), got.beyond, true);  // one each, in ordered networks
  std::size_t expected_count = 0;
  for (const group& g : s.expected) expected_count += g.size();
  std::vector<std::string> results = got.results;
  std::size_t at = 0;
  for (std::size_t i = 0; i < s.expected.size() && at <= results.size() && text.empty(); ++i) {
    std::vector<std::string> expected;
    for (const plain_record& r : s.expected[i]) expected.push_back(to_string(r));
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(expected.size(), results.size() - at));
    std::vector<std::string> there(begin, end);
    std::sort(expected.begin(), expected.end());
    std::sort(there.begin(), there.end());
    if (s.known_order == order::none) there = results, std::sort(there.begin(), there.end());
    const bool right = some && there.size() < expected.size()
                           ? std::includes(expected.begin(), expected.end(), there.begin(), there.end())
                           : expected == there;
    if (!right) {
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
  compare("results", static_cast<std::int64_t>(expected_count), results.size(), some);
  compare("failed records", s.failed, got.failed, some);
  compare("errors", s.failed, got.errors, some);
  compare("observed records", s.observed, static_cast<std::uint64_t>(got.observed), some);
  compare("sent", static_cast<std::int64_t>(s.inputs.size()), got.sent, some);
  if (some) {
    if (got.reported < results.size()) text += "the report has fewer results than were read\n";
    return text;
  }
  compare("results in the report", static_cast<std::int64_t>(results.size()), got.reported, false);
  compare("records held in cells", s.held, got.held, false);
  compare("states of folds that did not finish", 0, got.unfinished, false);
  compare("records in flight", 0, got.in_flight, false);
  if (!got.refused.empty()) text += "send threw: " + got.refused + "\n";
  if (!got.thrown.empty()) text += "iteration threw: " + got.thrown + "\n";
  return text;
}

// Ways of running: each number of cores with two capacities, and a machine without threads. Returns at most `most` of
// them, at random.
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
    w.inline_send = all.size() / 4 != seed % 2;
    w.in_flight = std::vector<std::size_t>{0, 1, 2, 16}[(all.size() / 4 + seed) % 4];
    all.push_back(w);
  }
  way w;
  w.has_threads = false;
  w.cores = 1 + up_to(3);
  w.capacity = static_cast<std::size_t>(up_to(2));
  w.policy = any_policy();
  w.seed = seed;
  w.in_flight = seed % 3;
  all.push_back(w);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), most));
  return all;
}

}  // namespace weir::testing::language
