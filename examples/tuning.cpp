// Shares of eight cores, which this machine need not have: a synthetic machine has as many as asked for, and its
// threads are bound to none.
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <utility>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;

inline constexpr tag n{"n"};

void show(const network& net, options o) {
  o.machine = machine::synthetic("core:8 pu:1");
  execution run = start(net, std::move(o));
  const run_report at_start = run.report();
  std::cout << at_start.policy << ":";
  for (const component_report& c : at_start.components) std::cout << "  " << c.name << ' ' << c.place;
  std::cout << '\n';
}

void program() {
  const auto same = [](std::int64_t x) { return x; };
  const auto next = [](std::int64_t x) { return x + 1; };
  const network net = box("parse", takes(n), gives(n), same).sequential() >>  // nothing gained by a second core
                      box("solve", takes(n), gives(n), next).cores(2, 6) >>   // at least 2 cores, at most 6
                      box("store", takes(n), gives(n), same).blocking(16);    // waits for a disk: outside the cores

  show(net, {.policy = fixed_shares{{"parse", 2, 2}, {"solve", 6}}});
  show(net, {.policy = fixed_shares{{"solve", 4, 2}}});  // who is not named shares the rest
  show(net, {.policy = equal_shares{}});

  for (const objective& goal : {objective::throughput, objective::latency, objective::latency_at(40),
                                objective::fewest_cores({.rate = 40, .p99 = 200ms})})
    std::cout << adaptive{goal}.name() << '\n';

  try {
    show(net, {.policy = fixed_shares{{"solve", 7}}});
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
  try {
    show(net, {.max_held = 0});
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }
}

}  // namespace example

int main() { example::program(); }
