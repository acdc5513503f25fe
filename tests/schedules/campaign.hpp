#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/schedules/schedule_exploration.hpp"

namespace weir::testing {

struct campaign_options {
  std::uint64_t schedules = 0;  // of each program, about; 0: as many as there is time for
  std::uint64_t in_all = 0;     // of all programs, at most about; 0: likewise
  double seconds = 40;          // for all
  std::uint64_t first_seed = 1;
  bool exhaustive =
      false;  // nothing but each deviation, each pair of them, and each with each allocation or start failing
};

// One program after the other takes its turn of schedules until all have had enough or time is up. A failure is
// reported with the plan that repeats it and the fewest switches that do.
class campaign {
 public:
  campaign(schedule_exploration& all, std::vector<schedule_program> programs, const campaign_options& o);
  bool run();  // false: a schedule failed

 private:
  struct progress {
    std::string name;
    std::uint64_t runs = 0, next_seed = 0;
    double steps = 0;
    std::uint64_t length = 0, writes = 0, readings = 0;
    std::vector<deviation> singles{};    // each deviation that there is from the schedule without any, mixed
    std::size_t at = 0;                  // the next one alone
    std::size_t first = 0;               // of the next pair
    std::vector<schedule_plan> pairs{};  // of the one before, the last is next
    std::uint64_t allocations = 0;       // of that schedule
    std::uint64_t next_allocation = 0;   // to fail
    std::uint64_t with_fault = 0;        // deviations taken with one, of all that there are
  };

  bool turn(const schedule_program& program, progress& s);
  std::optional<schedule_exploration::failure> first_of_all(const schedule_program& program, progress& s);
  std::optional<schedule_exploration::failure> with_deviations(const schedule_program& program, progress& s,
                                                               std::size_t count);
  std::optional<schedule_exploration::failure> by_chance(const schedule_program& program, progress& s,
                                                         std::size_t count);
  std::optional<schedule_exploration::failure> without_memory(const schedule_program& program, progress& s);
  std::optional<schedule_exploration::failure> with_faults(const schedule_program& program, progress& s);
  std::uint64_t all_with_faults(const progress& s) const;
  std::vector<deviation> two_of(const progress& s);
  bool has_enough(const progress& s) const;
  void say(const schedule_program& program, const progress& s, const schedule_exploration::failure& failed);

  schedule_exploration& all_;
  std::vector<schedule_program> programs_;
  const campaign_options options_;
  std::vector<progress> state_;
  std::mt19937_64 random_{1};
};

}  // namespace weir::testing
