#include "tests/schedules/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "tests/schedules/plan_text.hpp"

namespace weir::testing {
namespace {

// The fewest deviations with which the program still fails, as far as leaving out parts of them finds it. This is delta
// debugging (Zeller and Hildebrandt, IEEE Transactions on Software Engineering 28, 2002).
schedule_exploration::failure shrunk(schedule_exploration& all, const schedule_program& program,
                                     schedule_exploration::failure found) {
  schedule_plan plan = found.plan;
  plan.how = strategy::given;
  plan.deviations = found.taken;
  auto best = all.run(program, {plan});
  if (!best) return found;  // earlier schedules in its process matter
  best->plan.deviations = plan.deviations;
  int tries = 400;
  for (std::size_t part = std::max<std::size_t>(plan.deviations.size() / 2, 1); part >= 1 && tries > 0;) {
    bool shorter = false;
    for (std::size_t from = 0; from < plan.deviations.size() && tries-- > 0;) {
      schedule_plan less = plan;
      const auto at = less.deviations.begin() + static_cast<std::ptrdiff_t>(from);
      less.deviations.erase(at, at + static_cast<std::ptrdiff_t>(std::min(part, less.deviations.size() - from)));
      if (auto still = all.run(program, {less})) {
        best = std::move(still);
        best->plan.deviations = less.deviations;
        plan = std::move(less);
        shorter = true;
      } else {
        from += part;
      }
    }
    if (part == 1 && !shorter) break;
    part = std::max<std::size_t>(part / 2, 1);
  }
  return *best;
}

schedule_plan deviating(std::vector<deviation> from_the_rule) {
  schedule_plan p;
  p.how = strategy::given;
  p.deviations = std::move(from_the_rule);
  return p;
}

}  // namespace

campaign::campaign(schedule_exploration& all, std::vector<schedule_program> programs, const campaign_options& o)
    : all_(all), programs_(std::move(programs)), options_(o) {
  for (const schedule_program& p : programs_) state_.push_back({.name = p.name});
}

bool campaign::has_enough(const progress& s) const {
  if (options_.schedules && s.runs >= options_.schedules) return true;
  return options_.exhaustive && s.runs && s.with_fault == all_with_faults(s);
}

bool campaign::run() {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  std::size_t half_time_pairs = 0;
  bool more = true;
  while (more && passed() < options_.seconds) {
    more = false;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      if (has_enough(state_[i]) || (options_.in_all && all_.runs() >= options_.in_all)) continue;
      more = true;
      if (!turn(programs_[i], state_[i])) return false;
      if (passed() < options_.seconds / 2) half_time_pairs = all_.pairs();
      if (passed() >= options_.seconds && !options_.schedules && !options_.in_all) break;
    }
  }
  fmt::print("{:40} {:>10} {:>10} {:>12} {:>12} {:>14} {:>14}\n", "program", "schedules", "steps each", "deviations",
             "in pairs", "without memory", "with faults");
  for (const progress& s : state_)
    fmt::print("{:40} {:10} {:10.0f} {:>12} {:>12} {:>14} {:>14}\n", s.name, s.runs,
               s.runs ? s.steps / static_cast<double>(s.runs) : 0, fmt::format("{}/{}", s.at, s.singles.size()),
               fmt::format("{}/{}", s.pairs.empty() ? s.first : s.first - 1, s.singles.size()),
               fmt::format("{}/{}", s.next_allocation, s.allocations),
               fmt::format("{}/{}", s.with_fault, all_with_faults(s)));
  fmt::print(
      "{} schedules of {} programs in {:.0f} s, {:.0f} a second; {} pairs of operations, {} of them in the "
      "second half of the time; none failed\n",
      all_.runs(), programs_.size(), passed(), static_cast<double>(all_.runs()) / passed(), all_.pairs(),
      all_.pairs() - half_time_pairs);
  return true;
}

// A turn is short, so that a failure that one program would show soon need not wait for all the others.
bool campaign::turn(const schedule_program& program, progress& s) {
  const std::uint64_t runs = all_.runs(), steps = all_.steps();
  std::optional<schedule_exploration::failure> failed;
  if (s.runs == 0) {
    failed = first_of_all(program, s);
  } else if (options_.exhaustive) {
    const bool has_pairs = s.first < s.singles.size() || !s.pairs.empty();
    failed = has_pairs ? with_deviations(program, s, 200) : with_faults(program, s);
  } else {
    // About as much work for each program: more schedules of smaller ones, in which a few switches matter more.
    const std::size_t half = std::clamp<std::size_t>(10'000 / std::max<std::uint64_t>(s.length, 1), 2, 25);
    failed = with_deviations(program, s, half);
    if (!failed) failed = by_chance(program, s, half);
    if (!failed) failed = without_memory(program, s);
  }
  s.runs += all_.runs() - runs;
  s.steps += static_cast<double>(all_.steps() - steps);
  if (failed) say(program, s, *failed);
  return !failed;
}

// The schedule without any deviation says which there are.
std::optional<schedule_exploration::failure> campaign::first_of_all(const schedule_program& program, progress& s) {
  const std::uint64_t steps = all_.steps();
  if (auto failed = all_.run(program, {deviating({})})) return failed;
  s.length = all_.steps() - steps;
  s.allocations = all_.allocations();
  s.writes = all_.writes();
  s.readings = all_.readings();
  s.singles = all_.alternatives(0);
  std::shuffle(s.singles.begin(), s.singles.end(), random_);
  return std::nullopt;
}

// Each deviation alone, then each with each that there is behind it.
std::optional<schedule_exploration::failure> campaign::with_deviations(const schedule_program& program, progress& s,
                                                                       std::size_t count) {
  std::vector<schedule_plan> plans;
  while (plans.size() < count && s.at < s.singles.size()) plans.push_back(deviating({s.singles[s.at++]}));
  if (plans.empty() && s.pairs.empty() && s.first < s.singles.size()) {
    const deviation first = s.singles[s.first++];
    if (auto failed = all_.run(program, {deviating({first})})) return failed;
    for (const deviation& second : all_.alternatives(first.step)) s.pairs.push_back(deviating({first, second}));
  }
  while (plans.size() < count && !s.pairs.empty()) {
    plans.push_back(std::move(s.pairs.back()));
    s.pairs.pop_back();
  }
  return all_.run(program, plans);
}

// Every allocation of the schedule without deviations fails, and the first starts of threads, with each deviation.
constexpr std::uint64_t starts = 3;

std::uint64_t campaign::all_with_faults(const progress& s) const { return (s.allocations + starts) * s.singles.size(); }

std::optional<schedule_exploration::failure> campaign::with_faults(const schedule_program& program, progress& s) {
  for (int i = 0; i < 200 && s.with_fault < all_with_faults(s); ++i) {
    const std::uint64_t n = s.with_fault++, which = n / s.singles.size();
    schedule_plan p = deviating({s.singles[n % s.singles.size()]});
    p.fails = which < s.allocations ? fault::allocation : fault::thread_start;
    p.failing = (which < s.allocations ? which : which - s.allocations) + 1;
    if (auto failed = all_.run(program, {p})) return failed;
  }
  return std::nullopt;
}

std::vector<deviation> campaign::two_of(const progress& s) {
  if (s.singles.empty()) return {};
  deviation a = s.singles[random_() % s.singles.size()], b = s.singles[random_() % s.singles.size()];
  if (b.step < a.step) std::swap(a, b);
  return {a, b};
}

// Walks and priorities, in two of eight with a fault other than memory that runs out, or two deviations with one.
std::optional<schedule_exploration::failure> campaign::by_chance(const schedule_program& program, progress& s,
                                                                 std::size_t count) {
  constexpr fault others[] = {fault::binding, fault::clock_forward, fault::clock_back};
  std::vector<schedule_plan> plans;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t n = s.next_seed++;
    schedule_plan p;
    p.seed = options_.first_seed + n;
    constexpr strategy in_turn[] = {strategy::random_walk, strategy::priorities, strategy::random_walk,
                                    strategy::writes};
    p.how = in_turn[n % 4];
    p.depth = static_cast<int>(n / 4 % 4) + 1;
    p.steps = p.how == strategy::writes ? s.writes : s.length;
    if (n % 8 == 5) {
      p.fails = fault::thread_start;
      p.failing = n / 8 % 6 + 1;
      if (n / 8 % 3 == 0) p.how = strategy::given, p.deviations = two_of(s);
    } else if (n % 8 == 2) {
      p.fails = others[n / 8 % 3];
      p.failing = p.fails == fault::binding ? n / 24 % 6 + 1 : random_() % std::max<std::uint64_t>(s.readings, 1) + 1;
    }
    plans.push_back(std::move(p));
  }
  return all_.run(program, plans);
}

// Every allocation of the schedule without deviations fails once, then one of a random walk or of a schedule with two
// deviations. Each in a process of its own, since memory that a schedule leaves in pools changes how many there are.
std::optional<schedule_exploration::failure> campaign::without_memory(const schedule_program& program, progress& s) {
  constexpr int batch = 2;
  for (int i = 0; i < batch; ++i) {
    const std::uint64_t n = s.next_allocation++;
    schedule_plan p;
    p.fails = fault::allocation;
    p.failing = n % std::max<std::uint64_t>(s.allocations, 1) + 1;
    p.seed = options_.first_seed + n;
    p.how = n < s.allocations || n % 2 ? strategy::given : strategy::random_walk;
    if (n >= s.allocations && n % 2) p.deviations = two_of(s);
    if (auto failed = all_.run(program, {p})) return failed;
  }
  return std::nullopt;
}

void campaign::say(const schedule_program& program, const progress& s, const schedule_exploration::failure& failed) {
  fmt::print("{} failed after {} schedules of it, {} in all: {}\n{}\n", program.name, s.runs, all_.runs(),
             words(failed.plan), failed.why);
  std::fflush(stdout);
  const auto least = shrunk(all_, program, failed);
  fmt::print("with the fewest switches: {}\n{}\nto see it again: schedules --replay '{} {}'\n", words(least.plan),
             least.why, program.name, words(least.plan));
}

}  // namespace weir::testing
