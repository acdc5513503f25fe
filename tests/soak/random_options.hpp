#pragma once

#include "tests/runtime/language/random_grants.hpp"
#include "tests/soak/rounds.hpp"

#include <weir/weir.hpp>

namespace weir::testing {

// Any policy, on a few synthetic cores or, rarely, on this machine.
inline options random_options(round& r, std::string& about) {
  options o;
  const bool local = r.one_in(4) && !r.is_synthetic;
  const std::uint64_t cores = 1 + r.up_to(3);
  o.machine = local ? machine::local() : machine::synthetic("core:" + std::to_string(cores) + " pu:1");
  switch (r.up_to(4)) {
    case 0:
      o.policy = adaptive{objective::throughput};
      break;
    case 1:
      o.policy = adaptive{objective::latency};
      break;
    case 2:
      o.policy = equal_shares{};
      break;
    case 3:
      o.policy = best_fixed{};
      break;
    default:
      o.policy = random_shares(r.seed());
  }
  o.capacity = r.up_to(2) ? r.up_to(4) : 0;
  o.inline_send = r.one_in(3);
  about += (local ? "this machine" : std::to_string(cores) + " cores") + ", " + o.policy.name() + ", capacity " +
           std::to_string(o.capacity) + (o.inline_send ? ", sent inline" : "");
  return o;
}

}  // namespace weir::testing
