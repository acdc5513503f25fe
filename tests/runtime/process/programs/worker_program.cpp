#include "tests/runtime/process/worker_boxes.hpp"

// A worker in C++ of the boxes that the tests have.
int main() {
  using namespace weir::testing;
  return weir::serve(echo(), greet(), count(), misbehave(), remember(), brighten(), swallow(), see_affinity(), see_cores());
}
