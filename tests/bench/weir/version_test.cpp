#include <weir/weir.hpp>

#include "tests/bench/weir/command.hpp"

namespace weir::testing {
namespace {

std::string numbers() {
  return std::to_string(WEIR_VERSION_MAJOR) + "." + std::to_string(WEIR_VERSION_MINOR) + "." +
         std::to_string(WEIR_VERSION_PATCH);
}

TEST(weir_version, of_headers_and_library_is_one) {
  EXPECT_EQ(WEIR_VERSION, numbers());
  EXPECT_EQ(linked_version(), WEIR_VERSION);
}

TEST(weir_version, is_printed_by_the_command_alone) {
  const outcome o = run_weir("--version");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "weir " + numbers() + "\n");
  EXPECT_EQ(o.err, "");
}

}  // namespace
}  // namespace weir::testing
