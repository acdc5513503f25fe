#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <optional>

#include <weir/scheduler/policies/adaptive.hpp>
#include "scheduler/control/controller.hpp"
#include "tests/runtime/run/failing_memory.hpp"
#include "tests/scheduler/views.hpp"

namespace weir {
namespace testing {
extern const long every_one_of;
}
namespace {

using namespace testing;

// Two components that swap their work every three steps: so a controller moves cores, remembers, and goes back.
class swinging {
 public:
  swinging() : view_(view_of(10, {component("a", times, 1), component("b", times, 1)})) {}

  void pass(int step) {
    for (std::size_t i = 0; i < 2; ++i) {
      component_view& c = view_.components[i];
      const double work = (step / 3) % 2 == static_cast<int>(i) ? 9 : 1;
      const int cores = view_.current.components.empty() ? 1 : std::max(view_.current.components[i].cores.size(), 1);
      c.recent.assign(8, {work, cores, times(work, cores)});
      c.inputs = {{work, 1}};
      c.invocations += 8;
      c.invocations_since_move += 8;
    }
    view_.time += 1;
  }
  void move(const allotment& to) {
    view_.current = to;
    for (component_view& c : view_.components) c.invocations_since_move = 0;
  }
  const system_view& view() const { return view_; }

 private:
  static double times(double x, int cores) { return x / cores; }
  system_view view_;
};

// One allocation of a controller fails: the controller loses that step and no other. The test fails every allocation of
// the first steps in turn, and a sample of the later ones. Two swings follow a failure, in the full test all of them.
TEST(a_controller, without_memory_for_a_step_goes_on_with_the_next) {
  constexpr int steps = 24;
  const int behind = every_one_of < 100 ? 6 : steps;
  int moves = 0;
  for (long first = 0, each = 60 * every_one_of;; first += first < each ? 1 : first / 8) {
    SCOPED_TRACE(first);
    controller control(adaptive{objective::throughput});
    swinging stream;
    int lost = 0;
    moves = 0;
    const failing_memory it(whose::mine, first, 1);
    int end = steps;
    for (int step = 0; step < end; ++step) {
      {
        const spared not_these;
        stream.pass(step);
      }
      try {
        const std::optional<allotment> next = control.step(stream.view());
        const spared not_these;
        if (next) stream.move(*next), ++moves;
      } catch (const std::bad_alloc&) {
        ++lost;
      }
      if (end == steps && failing_memory::failed() > 0) end = std::min(steps, step + 1 + behind);
    }
    const spared not_these;
    EXPECT_LE(lost, failing_memory::failed()) << "one that may do without memory is not lost";
    EXPECT_GT(moves, 0);
    if (failing_memory::failed() == 0 || HasFailure()) break;
  }
  EXPECT_GT(moves, 1) << "with all the memory: more than the first division";
}

}  // namespace
}  // namespace weir
