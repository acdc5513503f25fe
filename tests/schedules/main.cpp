// Explores the schedules of small programs: each by random walks, by priorities at depths 1 to 4, and with each single
// deviation from the schedule in which every thread runs until it waits. Every batch runs in a process of its own. What
// fails is said with the plan that repeats it and the fewest switches that do, and ends with exit code 1.

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <new>
#include <optional>

#include "tests/schedules/explorer.hpp"
#include "tests/schedules/programs.hpp"

namespace weir::testing {
namespace {

constexpr std::size_t most_deviations = 1u << 16, most_text = 1u << 15;

// What a process that runs schedules leaves to the one that waits for it.
struct shared_state {
  std::uint64_t runs, steps;
  std::uint64_t seed, pct_steps;
  int how, depth, fails;
  std::uint64_t failing, allocations;
  std::size_t deviations;
  deviation taken[most_deviations];
  std::size_t open_steps;
  std::uint32_t open[most_deviations];
  char why[most_text];
  std::uint64_t pairs[pair_bits / 64];
};

class exploration {
 public:
  exploration() {
    void* const memory = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shared_ = static_cast<shared_state*>(memory);
  }

  std::uint64_t runs() const { return shared_->runs; }
  std::uint64_t steps() const { return shared_->steps; }
  std::size_t pairs() const {
    std::size_t n = 0;
    for (const std::uint64_t word : shared_->pairs) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  const shared_state& last() const { return *shared_; }

  // Runs these schedules in another process. The plan that failed, and why; nothing if none did.
  struct failure {
    schedule_plan plan;
    std::string why;
    std::vector<deviation> taken;
  };
  std::optional<failure> run(const schedule_program& program, const std::vector<schedule_plan>& plans) {
    shared_->why[0] = 0;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process could be made");
    if (child == 0) run_here(program, plans);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
    failure f;
    f.plan.how = static_cast<strategy>(shared_->how);
    f.plan.seed = shared_->seed;
    f.plan.steps = shared_->pct_steps;
    f.plan.depth = shared_->depth;
    f.plan.fails = static_cast<fault>(shared_->fails);
    f.plan.failing = shared_->failing;
    f.why = shared_->why;
    if (f.why.empty())
      f.why = WIFSIGNALED(status) ? WTERMSIG(status) == SIGALRM
                                        ? "no operation of the schedule for a minute of real time"
                                        : fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                                  : fmt::format("exit code {}", WEXITSTATUS(status));
    f.taken.assign(shared_->taken, shared_->taken + shared_->deviations);
    return f;
  }

 private:
  [[noreturn]] void run_here(const schedule_program& program, const std::vector<schedule_plan>& plans) {
    cpu_set_t one;  // handing over on one core wakes no other
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(std::max(0, sched_getcpu())), &one);
    sched_setaffinity(0, sizeof one, &one);
    note_pairs_in(shared_->pairs);
    for (const schedule_plan& plan : plans) {
      shared_->how = static_cast<int>(plan.how);
      shared_->seed = plan.seed;
      shared_->pct_steps = plan.steps;
      shared_->depth = plan.depth;
      shared_->fails = static_cast<int>(plan.fails);
      shared_->failing = plan.failing;
      shared_->deviations = 0;
      alarm(60);
      const schedule_run r = run_schedule(program.run, plan, {.seconds = program.seconds},
                                          [&](const std::string& why, const schedule_run& so_far) {
                                            keep(so_far);
                                            std::strncpy(shared_->why, why.c_str(), most_text - 1);
                                            std::fflush(nullptr);
                                            _exit(2);
                                          });
      keep(r);
    }
    std::fflush(nullptr);
    _exit(0);
  }

  void keep(const schedule_run& r) {
    ++shared_->runs;
    shared_->steps += r.steps;
    shared_->allocations = r.allocations;
    shared_->deviations = std::min(r.taken.size(), most_deviations);
    std::copy_n(r.taken.begin(), shared_->deviations, shared_->taken);
    shared_->open_steps = std::min(r.open.size(), most_deviations);
    std::copy_n(r.open.begin(), shared_->open_steps, shared_->open);
  }

  shared_state* shared_;
};

struct wanted {
  std::vector<std::string> programs;
  std::string replay;
  std::uint64_t schedules = 0;
  double seconds = 40;
  std::uint64_t first_seed = 1;
  bool list = false;
};

// What fails, as a plan says it: nothing, the third start of a thread, the seventh allocation.
std::string fault_words(const schedule_plan& p) {
  if (p.fails == fault::none) return "0";
  return fmt::format("{}{}", p.fails == fault::thread_start ? 's' : 'a', p.failing);
}

std::string words(const schedule_plan& p) {
  switch (p.how) {
    case strategy::random_walk:
      return fmt::format("walk:{}:{}", p.seed, fault_words(p));
    case strategy::priorities:
      return fmt::format("priorities:{}:{}:{}:{}", p.seed, fault_words(p), p.depth, p.steps);
    case strategy::given:
      break;
  }
  std::string text = fmt::format("given:{}:{}", p.seed, fault_words(p));
  for (const deviation& d : p.deviations) text += fmt::format(":{}>{}", d.step, d.thread);
  return text;
}

schedule_plan plan_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(':', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  schedule_plan p;
  const auto number = [&](std::size_t i) { return i < parts.size() ? std::stoull(parts[i]) : 0; };
  p.seed = number(1);
  if (parts.size() > 2 && (parts[2][0] == 's' || parts[2][0] == 'a')) {
    p.fails = parts[2][0] == 's' ? fault::thread_start : fault::allocation;
    p.failing = std::stoull(parts[2].substr(1));
  }
  if (parts[0] == "priorities") {
    p.how = strategy::priorities;
    p.depth = static_cast<int>(number(3));
    p.steps = number(4);
  } else if (parts[0] == "given") {
    p.how = strategy::given;
    for (std::size_t i = 3; i < parts.size(); ++i) {
      const std::size_t at = parts[i].find('>');
      p.deviations.push_back({std::stoull(parts[i].substr(0, at)), std::stoi(parts[i].substr(at + 1))});
    }
  } else if (parts[0] != "walk") {
    throw CLI::ValidationError("--replay", "expected PROGRAM walk:.., priorities:.. or given:.., got " + text);
  }
  return p;
}

// The fewest deviations with which the program still fails, as far as leaving out parts of them finds it (delta
// debugging: Zeller and Hildebrandt, IEEE Transactions on Software Engineering 28, 2002).
exploration::failure shrunk(exploration& all, const schedule_program& program, exploration::failure found) {
  schedule_plan plan = found.plan;
  plan.how = strategy::given;
  plan.deviations = found.taken;
  auto best = all.run(program, {plan});
  if (!best) return found;  // what came before it in its process matters
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

// One program after the other takes its turn of schedules until all have had enough or time is up.
class campaign {
 public:
  campaign(exploration& all, std::vector<schedule_program> programs, const wanted& w)
      : all_(all), programs_(std::move(programs)), wanted_(w) {
    for (const schedule_program& p : programs_) state_.push_back({.name = p.name});
  }

  bool run() {
    const auto began = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
    std::size_t half_time_pairs = 0;
    bool more = true;
    while (more && passed() < wanted_.seconds) {
      more = false;
      for (std::size_t i = 0; i < programs_.size(); ++i) {
        if (wanted_.schedules && state_[i].runs >= wanted_.schedules) continue;
        more = true;
        if (!turn(programs_[i], state_[i])) return false;
        if (passed() < wanted_.seconds / 2) half_time_pairs = all_.pairs();
        if (passed() >= wanted_.seconds && !wanted_.schedules) break;
      }
    }
    fmt::print("{:32} {:>10} {:>10} {:>12} {:>14}\n", "program", "schedules", "steps each", "deviations",
               "without memory");
    for (const progress& s : state_)
      fmt::print("{:32} {:10} {:10.0f} {:>12} {:>14}\n", s.name, s.runs,
                 s.runs ? s.steps / static_cast<double>(s.runs) : 0, fmt::format("{}/{}", s.at, s.singles.size()),
                 fmt::format("{}/{}", s.next_allocation, s.allocations));
    fmt::print(
        "{} schedules of {} programs in {:.0f} s, {:.0f} a second; {} pairs of operations, {} of them in the "
        "second half of the time; none failed\n",
        all_.runs(), programs_.size(), passed(), static_cast<double>(all_.runs()) / passed(), all_.pairs(),
        all_.pairs() - half_time_pairs);
    return true;
  }

 private:
  struct progress {
    std::string name;
    std::uint64_t runs = 0, next_seed = 0;
    double steps = 0;
    std::uint64_t length = 0;
    std::vector<deviation> singles{};  // each deviation that there is from the schedule without any
    std::size_t at = 0;
    std::uint64_t allocations = 0;      // of that schedule
    std::uint64_t next_allocation = 0;  // to fail
    int turns = 0;
  };

  bool turn(const schedule_program& program, progress& s) {
    constexpr std::size_t batch = 50;
    std::vector<schedule_plan> plans;
    if (s.turns == 0) {
      plans.emplace_back().how = strategy::given;
    } else {
      for (std::size_t i = 0; i < batch; ++i) {
        if (s.turns % 3 == 1 && s.at < s.singles.size()) {
          schedule_plan& p = plans.emplace_back();
          p.how = strategy::given;
          p.deviations = {s.singles[s.at++]};
          continue;
        }
        const std::uint64_t n = s.next_seed++;
        schedule_plan p;
        p.seed = wanted_.first_seed + n;
        p.how = n % 2 ? strategy::priorities : strategy::random_walk;
        p.depth = static_cast<int>(n / 2 % 4) + 1;
        p.steps = s.length;
        if (n % 8 == 7) p.fails = fault::thread_start, p.failing = n / 8 % 6 + 1;
        plans.push_back(std::move(p));
      }
    }
    const std::uint64_t runs = all_.runs(), steps = all_.steps();
    const auto failed = s.turns % 3 == 2 ? without_memory(program, s) : all_.run(program, plans);
    s.runs += all_.runs() - runs;
    s.steps += static_cast<double>(all_.steps() - steps);
    if (failed) {
      fmt::print("{} failed after {} schedules of it, {} in all: {}\n{}\n", program.name, s.runs, all_.runs(),
                 words(failed->plan), failed->why);
      std::fflush(stdout);
      const auto least = shrunk(all_, program, *failed);
      fmt::print("with the fewest switches: {}\n{}\nto see it again: schedules --replay '{} {}'\n", words(least.plan),
                 least.why, program.name, words(least.plan));
      return false;
    }
    if (s.turns++ == 0) {
      s.length = all_.steps() - steps;
      s.allocations = all_.last().allocations;
      const shared_state& last = all_.last();
      for (std::size_t step = 0; step < last.open_steps; ++step)
        for (int thread = 0; thread < 32; ++thread)
          if (last.open[step] >> thread & 1) s.singles.push_back({step, thread});
    }
    return true;
  }

  // Every allocation of the schedule without deviations fails once, then one of a random walk. Each in a process of its
  // own, since memory that a schedule leaves in pools changes how many there are.
  std::optional<exploration::failure> without_memory(const schedule_program& program, progress& s) {
    constexpr int batch = 20;
    for (int i = 0; i < batch; ++i) {
      const std::uint64_t n = s.next_allocation++;
      schedule_plan p;
      p.fails = fault::allocation;
      p.failing = n % std::max<std::uint64_t>(s.allocations, 1) + 1;
      p.seed = wanted_.first_seed + n;
      p.how = n < s.allocations ? strategy::given : strategy::random_walk;
      if (auto failed = all_.run(program, {p})) return failed;
    }
    return std::nullopt;
  }

  exploration& all_;
  std::vector<schedule_program> programs_;
  const wanted& wanted_;
  std::vector<progress> state_;
};

int run(const wanted& w) {
  spdlog::register_logger(
      std::make_shared<spdlog::logger>("weir"));  // what it says of threads that fail to start is wanted

  std::vector<schedule_program> programs = schedule_programs();
  if (w.list) {
    for (const schedule_program& p : programs) fmt::print("{}\n", p.name);
    return 0;
  }
  exploration all;
  if (!w.replay.empty()) {
    const std::size_t at = w.replay.find(' ');
    const std::string name = w.replay.substr(0, at);
    const auto program = std::find_if(programs.begin(), programs.end(), [&](const auto& p) { return p.name == name; });
    if (program == programs.end() || at == std::string::npos)
      throw CLI::ValidationError("--replay", "expected 'PROGRAM PLAN', got '" + w.replay + "'");
    const auto failed = all.run(*program, {plan_of(w.replay.substr(at + 1))});
    fmt::print("{}\n", failed ? failed->why : fmt::format("it does not fail; {} steps", all.steps()));
    return failed ? 1 : 0;
  }
  if (!w.programs.empty()) {
    std::erase_if(programs, [&](const auto& p) {
      return std::none_of(w.programs.begin(), w.programs.end(),
                          [&](const std::string& part) { return p.name.find(part) != std::string::npos; });
    });
    if (programs.empty()) throw CLI::ValidationError("--programs", "no program has such a name; --list prints them");
  }
  return campaign(all, std::move(programs), w).run() ? 0 : 1;
}

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  weir::testing::wanted w;
  CLI::App app("Explores schedules of small programs of weir");
  app.add_option("--programs", w.programs, "parts of their names; all by default")->delimiter(',');
  app.add_option("--schedules", w.schedules, "of each program, about; by default as many as there is time for");
  app.add_option("--seconds", w.seconds, "for all")->capture_default_str();
  app.add_option("--seed", w.first_seed, "the first one")->capture_default_str();
  app.add_option("--replay", w.replay, "'PROGRAM PLAN' as a failure prints it: runs this one schedule");
  app.add_flag("--list", w.list, "prints the programs");
  try {
    app.parse(argc, argv);
    return weir::testing::run(w);
  } catch (const CLI::Error& e) {
    return app.exit(e);
  }
}
