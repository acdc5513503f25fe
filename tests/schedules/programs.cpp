#include "tests/schedules/programs.hpp"

#include "runtime/machine/kept_threads.hpp"
#include "runtime/machine/this_process.hpp"
#include "tests/schedules/program_parts.hpp"

namespace weir::testing {

namespace {

// A fault may end a run, by the error that says so.
void run_with_a_fault(const std::function<void()>& run) {
  try {
    run();
  } catch (const run_error& e) {
    const failure_kind kind = e.details().kind;
    const bool may_be = kind == failure_kind::no_thread || kind == failure_kind::out_of_memory ||
                        kind == failure_kind::closed;  // since another thread had no memory
    if (!a_fault_comes() || !may_be) throw;
  } catch (const std::bad_alloc&) {
    if (!a_fault_comes()) throw;
  }
}

}  // namespace

std::vector<schedule_program> schedule_programs() {
  // Topologies take hwloc longer than most schedules, so they are not made in each.
  cores_of_a_machine(1);
  static_cast<void>(options{});
  detail::kept_threads::idle();  // what the process has one of is made when it is first needed
  static_cast<void>(detail::this_process::is_exiting());
  std::vector<schedule_program> all;
  for (const auto& kinds :
       {programs_of_networks(), programs_of_callers(), programs_of_regions(), programs_of_kept_threads()})
    for (const kind& one : kinds)
      for (const setting& s : one.settings) {
        std::string name = std::string(one.name) + "@" + std::to_string(s.cores);
        if (s.capacity) name += "c" + std::to_string(s.capacity);
        if (s.equal) name += "e";
        all.push_back({std::move(name), [run = one.run, s] { run(s); }, one.seconds});
      }
  // Last, since these take long.
  for (schedule_program& p : programs_of_random_networks()) all.push_back(std::move(p));
  for (schedule_program& p : all) p.run = [run = std::move(p.run)] { run_with_a_fault(run); };
  return all;
}

}  // namespace weir::testing
