#include "tests/soak/short_runs.hpp"

#include <random>

#include "tests/runtime/support/ways_of_running.hpp"

namespace weir::testing {

namespace {

using namespace language;

way way_of(std::uint64_t number, const specimen& s) {
  std::mt19937_64 random(number ^ 0x736f616b);
  const auto up_to = [&](std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); };
  const auto one_in = [&](std::size_t n) { return up_to(n - 1) == 0; };
  way w;
  w.seed = number;
  w.cores = static_cast<int>(one_in(2) ? 1 + up_to(63) : std::vector<std::size_t>{1, 2, 3, 4}[up_to(3)]);
  w.capacity = std::vector<std::size_t>{0, 1, 1, 2, 16}[up_to(4)];
  w.policy = static_cast<decltype(way::policy)>(up_to(3));
  if (one_in(3)) w.policy = way::random, w.changes = 1 + static_cast<int>(up_to(19));
  w.delays = one_in(2);
  w.first_error_ends = one_in(8);
  if (one_in(4)) {
    std::size_t expected = 0;
    for (const group& g : s.expected) expected += g.size();
    w.end = one_in(2) ? way::stopped : way::destroyed;
    w.reads = up_to(w.end == way::destroyed ? s.before_end : expected);
  }
  w.two_threads = w.end != way::destroyed && one_in(2);
  w.is_local = one_in(3);
  w.inline_send = number % 2;
  if (one_in(10)) {
    w.has_threads = w.is_local = w.two_threads = false;
    w.changes = 0;
    w.cores = 1 + w.cores % 4;
  }
  return w;
}

}  // namespace

short_runs::short_runs(int at_a_time, std::uint64_t first, std::optional<std::uint64_t> only, violations& to)
    : violations_(to), only_(only), next_(first), hands_(static_cast<std::size_t>(at_a_time)) {
  for (hand& h : hands_) h.thread = std::thread([this, &h] { work(h); });
}

void short_runs::work(hand& me) {
  while (!over_) {
    const std::uint64_t number = only_ ? *only_ : next_++;
    try {
      run(me, number);
    } catch (const std::exception& e) {
      violations_.add("soak --run " + std::to_string(number) + ": " + e.what());
    }
    const std::lock_guard lock(mutex_);
    me.about.clear();
  }
}

void short_runs::run(hand& me, std::uint64_t number) {
  language_statistics unused;
  const specimen s = language_maker(number).draw(unused);
  const way w = way_of(number, s);
  const std::string about = "soak --run " + std::to_string(number) + ": " + w.text() + "\n" + weir::to_string(s.net) +
                            "\n" + to_string(*s.what);
  {
    const std::lock_guard lock(mutex_);
    me.about = about;
    me.since = std::chrono::steady_clock::now();
  }
  const outcome got = run_in_a_way(s, w);
  std::string wrong = difference(s, got);
  if (w.first_error_ends && w.end == way::read && got.thrown.empty() != (s.failed == 0))
    wrong += s.failed ? "no error was thrown\n" : "iteration threw: " + got.thrown + "\n";
  if (!wrong.empty()) violations_.add(about + "\n" + wrong);
  const std::lock_guard lock(mutex_);
  ++numbers_.runs;
  numbers_.ended_early += w.ends_early();
  numbers_.sent += got.sent;
  numbers_.results += got.results.size();
  numbers_.failed += got.failed;
  numbers_.decisions += got.decisions;
}

std::string short_runs::stalled() {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  for (const hand& h : hands_)
    if (!h.about.empty() && now - h.since > stall_limit) return h.about;
  return "";
}

void short_runs::finish() {
  over_ = true;
  for (hand& h : hands_)
    if (h.thread.joinable()) h.thread.join();
}

short_runs::numbers short_runs::so_far() const {
  const std::lock_guard lock(mutex_);
  return numbers_;
}

}  // namespace weir::testing
