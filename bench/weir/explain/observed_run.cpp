#include "bench/weir/explain/observed_run.hpp"

namespace weir::program {

std::vector<std::string> observed_run::notes() const {
  std::vector<std::string> all;
  if (!has_start)
    all.push_back("column start is missing: which invocations overlap is not known");
  else if (!has_core_set)
    all.push_back("column core_set is missing: what overlaps is known, not what shares a core, cache or node");
  if (is_trace)
    all.push_back("a trace does not tell queues; the first invocation after a move is found from its moves");
  return all;
}

}  // namespace weir::program
