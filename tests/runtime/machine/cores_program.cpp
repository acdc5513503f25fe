#include <poll.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include <weir/weir.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/busy.hpp"

// Runs a network on this machine until its input ends, and sends nothing from SIGUSR1 until SIGUSR2. It prints a line
// of JSON whenever the run has other cores or oneTBB another limit, and one at the end. shared_cores_test is on the
// other side.
using namespace weir;
using namespace weir::testing;

namespace {

core_set cores_of(const allotment& a) {
  core_set all = a.shared;
  for (const share& s : a.components) all = all | s.cores;
  return all;
}

volatile std::sig_atomic_t is_idle = 0;
void become_idle(int) { is_idle = 1; }
void go_on(int) { is_idle = 0; }

// Waits for a moment while the program is idle.
bool has_input_ended() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, is_idle ? 5 : 0) > 0;
}

}  // namespace

int main() {
  std::signal(SIGUSR1, become_idle);
  std::signal(SIGUSR2, go_on);
  const auto work = [](std::int64_t v) {
    busy(std::chrono::microseconds(300));
    return v;
  };
  const network net = box("work", takes(n), gives(n), work) >> box("drop", takes(n), gives_none, [](std::int64_t) {});
  execution run = start(net);
  nlohmann::json last;
  std::chrono::steady_clock::time_point next;
  while (!has_input_ended()) {
    if (!is_idle) run.send(n = 1);
    if (std::chrono::steady_clock::now() < next) continue;
    next = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    const run_report r = run.report();
    const auto limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    nlohmann::json now{{"cores", to_string(cores_of(r.decisions.back().to))}, {"limit", limit}, {"machine", r.cores}};
    if (now == last) continue;
    std::cout << now.dump() << std::endl;
    last = std::move(now);
  }
  run.close();
  run.wait();
  const run_report r = run.report();
  std::cout
      << nlohmann::json{{"failed", r.failed}, {"sent", r.sent}, {"ended", r.records_ended}, {"notes", r.notes}}.dump()
      << std::endl;
}
