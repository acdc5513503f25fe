#include "tests/soak/long_run.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>

#include <weir/weir.hpp>

#include <weir/scheduler/machine/core_set.hpp>
#include "tests/support/work.hpp"

namespace weir::testing {

namespace {

constexpr tag id{"id"}, key{"key"}, rounds{"rounds"}, depth{"depth"};
constexpr field<std::string> left{"left"}, right{"right"};

constexpr std::int64_t keys = 8, most_rounds = 4, most_depth = 4;
constexpr std::size_t capacity = 4;
// Twelve streams. Before each one, up to eight lanes have taken records or keep them until their turn: 18 batches of a
// stream's size. Records sent during a pause come in addition.
constexpr std::uint64_t most_in_flight_allowed = 12 * (1 + 18) * capacity;
constexpr int pairs_a_second = slow ? 100 : 500;
constexpr auto tick = std::chrono::milliseconds(10);
constexpr std::uint64_t results_between_pauses = 8192;
constexpr auto pause = std::chrono::milliseconds(300);  // many times longer than filling the streams takes
constexpr auto between_changes = std::chrono::milliseconds(100);

// Errors are kept for the whole run, so there are few.
bool fails(std::int64_t pair) { return pair % 4001 == 7; }

std::uint64_t scrambled(std::int64_t v) { return static_cast<std::uint64_t>(v) * 0x9e3779b97f4a7c15ull >> 33; }

// A string that is too long for any small-string buffer.
std::string contents(std::int64_t pair) { return "the contents of both halves of pair " + std::to_string(pair); }

// One record out per record in, some microseconds, and the tag less one.
network counting_down(const char* name, const tag& label) {
  return box(name, takes(label), gives(label), [](std::int64_t v) {
    spend(static_cast<std::int64_t>(scrambled(v) % 8) * 1000);
    return v - 1;
  });
}

network long_network() {
  const network check = box("check", takes(id), gives(id), [](std::int64_t pair) {
    if (fails(pair)) throw std::runtime_error("a pair that fails");
    return pair;
  });
  const network around = ordered(feedback(counting_down("around", rounds), pattern{rounds}.where(rounds > 0)));
  const network down = ordered(split(star(counting_down("down", depth), pattern{depth}.where(depth <= 0)), key));
  const network pairs = split(star(sync({left}, {right}), pattern{left, right}), key);
  return check >> around >> down >> pairs;
}

options with(machine on, policy rule) {
  options o;
  o.machine = std::move(on);
  o.policy = std::move(rule);
  o.capacity = o.results_capacity = capacity;
  o.on_error = on_error::collect;
  return o;
}

}  // namespace

long_run::long_run(std::string name, machine on, policy rule, bool changes, std::uint64_t seed, violations& to)
    : name_(std::move(name)), machine_(on), violations_(to), run_(long_network(), with(on, std::move(rule))) {
  reader_ = std::thread([this] { read(); });
  sender_ = std::jthread([this](const std::stop_token& ended) { send(ended); });
  if (changes) changer_ = std::jthread([this, seed](const std::stop_token& ended) { change_grants(ended, seed); });
}

long_run::~long_run() {
  changer_.request_stop();
  sender_.request_stop();
  run_.stop();
  if (reader_.joinable()) reader_.join();
}

void long_run::expect(bool holds, const std::string& what) {
  if (!holds) violations_.add(name_ + ": " + what);
}

void long_run::send(std::stop_token ended) {
  auto next = std::chrono::steady_clock::now();
  try {
    for (std::int64_t pair = 0; !ended.stop_requested(); ++pair) {
      const std::uint64_t drawn = scrambled(pair + 1);
      const auto send_one = [&](const field<std::string>& half, std::uint64_t bits) {
        const auto deep = static_cast<std::int64_t>(bits % (most_depth + 1));
        if (!fails(pair)) {
          auto& deepest = deepest_[static_cast<std::size_t>(pair % keys)];
          deepest = std::max(deepest, deep);
        }
        ++sent_;
        run_.send(record(half = contents(pair), id = pair, key = pair % keys,
                         rounds = static_cast<std::int64_t>(bits / 8 % (most_rounds + 1)), depth = deep));
      };
      const bool left_first = drawn % 2;
      send_one(left_first ? left : right, drawn >> 1);
      send_one(left_first ? right : left, drawn >> 9);
      if (is_paused_ || pair % (pairs_a_second / 100)) continue;
      next = std::max(next + tick, std::chrono::steady_clock::now() - std::chrono::seconds(1));
      std::this_thread::sleep_until(next);
    }
    run_.close();
  } catch (const std::exception& e) {
    if (!ended.stop_requested()) violations_.add(name_ + ": send threw " + e.what());
  }
}

void long_run::read() {
  std::array<std::int64_t, keys> next{};
  for (std::int64_t k = 0; k < keys; ++k) next[static_cast<std::size_t>(k)] = k;
  try {
    for (record r; run_.next(r);) {
      const std::int64_t pair = r[id];
      std::int64_t& expected = next[static_cast<std::size_t>(r[key])];
      if (fails(expected)) expected += keys;
      expect(pair == expected, "pair " + std::to_string(pair) + " came, expected was " + std::to_string(expected));
      expect(r[left] == contents(pair) && r[right] == contents(pair), "other contents: " + weir::to_string(r));
      expected = pair + keys;
      if (++read_ % results_between_pauses != 100) continue;
      is_paused_ = true;
      std::this_thread::sleep_for(pause);
      counted();  // it is full
      is_paused_ = false;
    }
  } catch (const std::exception& e) {
    violations_.add(name_ + ": iteration threw " + e.what());
  }
}

void long_run::change_grants(std::stop_token ended, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  while (!ended.stop_requested()) {
    std::vector<int> some;
    for (const int core : machine_.state()->cores()->all())
      if (random() % 2) some.push_back(core);
    if (some.empty()) some.push_back(0);
    run_.set_partition(core_set(some));
    ++leases_;
    std::this_thread::sleep_for(between_changes);
  }
}

void long_run::note(const run_report& r) {
  const auto now = std::chrono::steady_clock::now();
  if (r.results != numbers_.results) {
    numbers_.longest_pause =
        std::max(numbers_.longest_pause, std::chrono::duration<double>(now - last_progress_).count());
    last_progress_ = now;
  }
  for (const decision& d : r.decisions) {
    if (d.time <= last_decision_) continue;
    last_decision_ = d.time;
    ++numbers_.decisions;
  }
  numbers_.sent = r.sent;
  numbers_.results = r.results;
  numbers_.failed = r.failed;
  numbers_.leases = leases_;
  numbers_.most_in_flight = most_in_flight_;
}

// A report is not of one moment, but counts no record twice: results are read first, held records last.
run_report long_run::counted() {
  const std::uint64_t sent_before = sent_;
  run_report r = run_.report();
  const run_report later = run_.report();
  const std::uint64_t sent_after = sent_;
  const std::uint64_t accounted = 2 * r.results + r.failed + r.held;
  const std::string all = std::to_string(sent_before) + " to " + std::to_string(sent_after) + " sent, " +
                          std::to_string(r.results) + " results, " + std::to_string(r.failed) + " failed, " +
                          std::to_string(r.held) + " held";
  expect(accounted <= sent_after, "more came out than was sent: " + all);
  expect(r.dropped == 0, std::to_string(r.dropped) + " records were dropped");
  // Records that moved on between the two reports may be missing in the first.
  const std::uint64_t moved = accounted + 2 * (later.results - r.results) + later.failed - r.failed;
  const std::uint64_t in_flight = sent_before > moved ? sent_before - moved : 0;
  expect(in_flight <= most_in_flight_allowed, std::to_string(in_flight) + " records in flight, at most " +
                                                  std::to_string(most_in_flight_allowed) + " were expected: " + all);
  for (const stream_report& one : r.streams)
    expect(one.capacity == 0 || one.peak <= capacity, "a stream from " + one.from + " to " + one.to + " held " +
                                                          std::to_string(one.peak) + " records, at most " +
                                                          std::to_string(capacity) + " were expected");
  most_in_flight_ = std::max(most_in_flight_.load(), in_flight);
  return r;
}

bool long_run::look() {
  note(counted());
  return std::chrono::steady_clock::now() - last_progress_ < stall_limit;
}

void long_run::end() {
  changer_ = {};
  sender_ = {};
  reader_.join();
  const run_report r = run_.report();
  note(r);
  const std::uint64_t results = read_;
  expect(r.sent == sent_, "sent: " + std::to_string(sent_) + ", in the report " + std::to_string(r.sent));
  expect(r.results == results, "read: " + std::to_string(results) + ", in the report " + std::to_string(r.results));
  expect(r.sent == 2 * r.results + r.failed && r.held == 0 && r.dropped == 0,
         "at the end: " + std::to_string(r.sent) + " sent, " + std::to_string(r.results) + " results, " +
             std::to_string(r.failed) + " failed, " + std::to_string(r.held) + " held, " + std::to_string(r.dropped) +
             " dropped");
  // One stage per depth and one branch per key stay; the stage that made a pair is removed.
  std::uint64_t stay = 0;
  for (std::size_t k = 0; k < deepest_.size(); ++k)
    stay += (static_cast<std::int64_t>(k) < static_cast<std::int64_t>(r.sent / 2) ? 2 : 0) +
            static_cast<std::uint64_t>(deepest_[k]);
  expect(r.removed == r.results && r.unfolded == r.removed + stay,
         "unfolded " + std::to_string(r.unfolded) + ", removed " + std::to_string(r.removed) + " of " +
             std::to_string(r.results) + " pairs; to stay: " + std::to_string(stay));
}

}  // namespace weir::testing
