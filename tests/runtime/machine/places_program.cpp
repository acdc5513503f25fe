#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include <weir/weir.hpp>

#include "runtime/machine/platform.hpp"
#include "tests/runtime/language/witness.hpp"

// Runs networks in the place where places_test puts it, and prints its findings as JSON.
using namespace weir;
using namespace weir::testing;

namespace {

// The thread's affinity in each invocation, and the processing units that it was granted.
struct sight {
  std::mutex mutex;
  std::set<std::vector<int>> bound, granted;
};

network two_boxes(sight& seen) {
  const auto look = [&seen](const grant& g, std::int64_t v) {
    const std::lock_guard lock(seen.mutex);
    seen.bound.insert(affinity());
    seen.granted.insert(g.cpus());
    return v + 1;
  };
  return box("f", takes(n), gives(n), look) >> box("g", takes(n), gives(n), look).serial();
}

// Every record comes out, right and in order, under each policy.
bool runs(sight& seen, nlohmann::json& notes) {
  for (const policy& p : {policy(adaptive{objective::throughput}), policy(fixed_shares{{"f", 1}})}) {
    execution run = start(two_boxes(seen), {.policy = p});
    for (int i = 0; i < 200; ++i) run.send(n = i);
    run.close();
    std::int64_t next = 2;
    for (const record& r : run)
      if (r[n] != next++) return false;
    if (next != 202) return false;
    notes = run.report().notes;
  }
  return true;
}

}  // namespace

int main() {
  nlohmann::json all;
  all["whole"] = affinity();
  // OpenMP's library, as a plug-in brings it: here it binds this thread where the environment asks for it.
  if (std::getenv("OMP_PROC_BIND")) dlopen("libgomp.so.1", RTLD_NOW);
  all["calling"] = affinity();
  sight seen;
  all["notes"] = nlohmann::json::array();
  all["right"] = runs(seen, all["notes"]);
  all["cores"] = machine::local().size();
  all["bound"] = seen.bound;
  all["granted"] = seen.granted;
  const auto here = detail::local_platform();
  here->bind(core_set{0});
  here->unbind();
  all["unbound"] = affinity();
  std::cout << all.dump() << '\n';
}
