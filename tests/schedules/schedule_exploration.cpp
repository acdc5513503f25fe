#include "tests/schedules/schedule_exploration.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>

namespace weir::testing {

schedule_exploration::schedule_exploration() {
  void* const memory = mmap(nullptr, sizeof(shared_state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = static_cast<shared_state*>(memory);
}

std::size_t schedule_exploration::pairs() const {
  std::size_t n = 0;
  for (const std::uint64_t word : shared_->pairs) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

std::vector<deviation> schedule_exploration::alternatives(std::uint64_t behind_step) const {
  std::vector<deviation> all;
  for (std::size_t step = behind_step + 1; step < shared_->open_steps; ++step)
    for (int thread = 0; thread < 32; ++thread)
      if (shared_->open[step] >> thread & 1) all.push_back({step, thread});
  return all;
}

std::optional<schedule_exploration::failure> schedule_exploration::run(const schedule_program& program,
                                                                       const std::vector<schedule_plan>& plans) {
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

void schedule_exploration::run_here(const schedule_program& program, const std::vector<schedule_plan>& plans) {
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

void schedule_exploration::keep(const schedule_run& r) {
  ++shared_->runs;
  shared_->steps += r.steps;
  shared_->allocations = r.allocations;
  shared_->readings = r.readings;
  shared_->writes = r.writes;
  shared_->deviations = std::min(r.taken.size(), most_deviations);
  std::copy_n(r.taken.begin(), shared_->deviations, shared_->taken);
  shared_->open_steps = std::min(r.open.size(), most_deviations);
  std::copy_n(r.open.begin(), shared_->open_steps, shared_->open);
}

}  // namespace weir::testing
