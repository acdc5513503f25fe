// A second start begins with the models of the first: its first decision is already a good one.
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <thread>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;

inline constexpr tag n{"n"};

network works() {
  const auto takes_time = [](std::chrono::milliseconds how_long) {
    return [how_long](std::int64_t i) {
      std::this_thread::sleep_for(how_long);  // stands for work: eight cores that need not exist
      return i;
    };
  };
  return box("light", takes(n), gives(n), takes_time(1ms)) >> box("heavy", takes(n), gives(n), takes_time(10ms));
}

void show(const char* when, const execution& run) {
  const run_report seen = run.report();
  const component_report &light = seen.components[0], &heavy = seen.components[1];
  std::cout << when << ": heavy has " << (heavy.cores > light.cores ? "more cores than" : "as many cores as")
            << " light, and its cost is " << (std::isnan(run.predict("heavy", 1, cores{1}).mean) ? "unknown" : "known")
            << '\n';
}

void program() {
  const machine eight = machine::synthetic("core:8 pu:1");
  std::string kept;  // or a file
  {
    execution run = start(works(), {.machine = eight});
    show("first start", run);
    for (int i = 0; i < 100; ++i) run.send(n = i);
    run.close();
    run.wait();
    kept = write_models(run.models());
  }
  const execution run = start(works(), {.machine = eight, .prior_models = read_models(kept)});
  show("second start", run);  // before its first record
}

}  // namespace example

int main() { example::program(); }
