#pragma once

#include <string>
#include <vector>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

// Helpers for tests of boxes.
namespace weir::testing {

// Two cores and no binding, so that a box does the same on any machine.
inline options quick() {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  o.policy = equal_shares{};
  return o;
}

// The network's results for one record, as text, in order.
inline std::vector<std::string> given(const network& net, const record& input) {
  execution run = start(net, quick());
  run.send(input);
  run.close();
  std::vector<std::string> texts;
  for (const record& r : run) texts.push_back(to_string(r));
  return texts;
}
using texts = std::vector<std::string>;

class a_box : public gives_all_back {};

}  // namespace weir::testing
