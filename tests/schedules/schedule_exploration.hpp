#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/schedules/explorer.hpp"
#include "tests/schedules/programs.hpp"

namespace weir::testing {

// Runs schedules in other processes, since one that fails can be left only with its process. One thread may use it.
class schedule_exploration {
 public:
  schedule_exploration();

  std::uint64_t runs() const { return shared_->runs; }
  std::uint64_t steps() const { return shared_->steps; }
  std::size_t pairs() const;  // of operations, seen so far
  // The last schedule's:
  std::uint64_t allocations() const { return shared_->allocations; }
  std::uint64_t readings() const { return shared_->readings; }
  std::uint64_t writes() const { return shared_->writes; }
  std::vector<deviation> alternatives(std::uint64_t behind_step) const;  // other choices it might have made

  struct failure {
    schedule_plan plan;
    std::string why;
    std::vector<deviation> taken;
  };
  // Runs these schedules in another process. The plan that failed, and why; nothing if none did.
  std::optional<failure> run(const schedule_program& program, const std::vector<schedule_plan>& plans);

 private:
  static constexpr std::size_t most_deviations = 1u << 16, most_text = 1u << 15;

  // The data that a process that runs schedules leaves to its waiting parent.
  struct shared_state {
    std::uint64_t runs, steps;
    std::uint64_t seed, pct_steps;
    int how, depth, fails;
    std::uint64_t failing, allocations, readings, writes;
    std::size_t deviations;
    deviation taken[most_deviations];
    std::size_t open_steps;
    std::uint32_t open[most_deviations];
    char why[most_text];
    std::uint64_t pairs[pair_bits / 64];
  };

  [[noreturn]] void run_here(const schedule_program& program, const std::vector<schedule_plan>& plans);
  void keep(const schedule_run& r);

  shared_state* shared_;
};

}  // namespace weir::testing
