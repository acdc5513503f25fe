#include "tests/schedules/programs.hpp"

#include "tests/schedules/program_parts.hpp"

namespace weir::testing {

std::vector<schedule_program> schedule_programs() {
  std::vector<schedule_program> all;
  for (const auto& kinds : {programs_of_networks(), programs_of_callers()})
    for (const kind& one : kinds)
      for (const setting& s : one.settings) {
        std::string name = std::string(one.name) + "@" + std::to_string(s.cores);
        if (s.capacity) name += "c" + std::to_string(s.capacity);
        if (s.equal) name += "e";
        all.push_back({std::move(name),
                       [run = one.run, s] {
                         try {
                           run(s);
                         } catch (const run_error& e) {
                           if (!a_start_fails() || e.details().kind != failure_kind::no_thread) throw;
                         }
                       },
                       one.seconds});
      }
  return all;
}

}  // namespace weir::testing
