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
                           const failure_kind kind = e.details().kind;
                           if (!a_fault_comes() ||
                               (kind != failure_kind::no_thread && kind != failure_kind::out_of_memory))
                             throw;
                         } catch (const std::bad_alloc&) {
                           if (!a_fault_comes()) throw;
                         }
                       },
                       one.seconds});
      }
  return all;
}

}  // namespace weir::testing
