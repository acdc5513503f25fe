#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/machine/platform.hpp"
#include "tests/support/sanitizers.hpp"

namespace weir {
namespace {

using namespace testing;

// Uses up all memory that the process may have.
void use_up_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_AS, &none);
  for (std::size_t bytes = std::size_t{1} << 26; bytes >= 16; bytes /= 2)
    while (std::malloc(bytes)) {
    }
}

// A thread changes its cores whenever work moves, also where nothing can be allocated any more.
TEST(a_thread, is_bound_to_cores_and_unbound_without_memory) {
  if (sanitized) GTEST_SKIP() << "a sanitizer ends a program without memory";
  const auto here = detail::local_platform();
  if (!here->unbind()) GTEST_SKIP() << "the system refuses to bind threads";
  EXPECT_EXIT(
      {
        const core_set first{0};
        use_up_memory();
        const bool is_bound = here->bind(first);
        _exit(is_bound && here->unbind() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// Where memory for threads, their arenas and results ends sooner or later, a run ends with results or an error. Other
// libraries may not. Without memory for a thread_local object the C library ends the process, and oneTBB may wait for a
// lock for ever. Each happens once in some hundred runs, so one of three attempts has to end well.
TEST(a_run, ends_without_a_signal_however_little_memory_there_is) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more memory than any bound";
  std::vector<int> limits{0, 8, 16, 60, 80, 100, 120, 160};
  for (int mebibytes = 24; mebibytes <= 44; ++mebibytes) limits.push_back(mebibytes);  // here threads meet the end
  for (const int mebibytes : limits) {
    const std::string attempt = "timeout 20 " WEIR_LITTLE_MEMORY_PROGRAM " " + std::to_string(mebibytes);
    int status = 1;
    for (int attempts = 0; attempts < 3 && status != 0; ++attempts) status = std::system(attempt.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << mebibytes << " MiB: status " << status;
  }
}

}  // namespace
}  // namespace weir
