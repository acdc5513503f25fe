#include <string_view>

#include "tests/runtime/process/worker_boxes.hpp"

// A worker in C++ of the boxes that the tests have. `--farewell`: it talks as it ends.
int main(int count, char** arguments) {
  using namespace weir::testing;
  const int code = weir::serve(echo(), greet(), weir::testing::count(), misbehave(), remember(), brighten(), swallow(),
                               talk(), see_affinity(), see_cores());
  if (count > 1 && std::string_view(arguments[1]) == "--farewell") talk_of(lines_of_farewell);
  return code;
}
