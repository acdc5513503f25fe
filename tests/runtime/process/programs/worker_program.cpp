#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <weir/weir.hpp>
#include "tests/runtime/process/worker_boxes.hpp"

namespace {

int isolated_without_host() {
  using namespace weir::testing;
  try {
    weir::execution run = weir::start(isolated(misbehave()));
    std::fputs("a run was started\n", stderr);
    run.send(n = 10);
    run.close();
    run.wait();
    return 0;
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()) > 0;
  }
}

}  // namespace

// A worker in C++ of the boxes that the tests have. `--farewell`: it talks as it ends. `--registry`: it has one box, by
// another name. `--many`: it has 25. `--compute N`: it computes, and writes what the box gives. `--no-host`: it is no
// worker, and isolates a box without a call of host().
int main(int count, char** arguments) {
  using namespace weir::testing;
  const std::string_view how = count > 1 ? arguments[1] : "";
  if (how == "--registry") return weir::serve(weir::registry{}.add("registered", misbehave()).add("chain", swallow()));
  if (how == "--many") {
    weir::registry boxes;
    for (int i = 34; i >= 10; --i) boxes.add("box_" + std::to_string(i), misbehave());
    return weir::serve(boxes);
  }
  if (how == "--no-host") return isolated_without_host();
  if (how == "--compute") return std::printf("%lld\n", static_cast<long long>(compute_on(std::atoi(arguments[2])))) < 0;
  const int code =
      weir::serve(box("crowd", takes(n), gives(n), compute_on), box("lonely", takes(n), gives(n), compute_on),
                  pass_there(), echo(), greet(), weir::testing::count(), misbehave(), twice(), remember(), brighten(),
                  swallow(), talk(), see_affinity(), see_cores(), together(), emit_together());
  if (how == "--farewell") talk_of(lines_of_farewell);
  return code;
}
