#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <vector>

#include <weir/weir.hpp>
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"

namespace weir::testing {
namespace {

// Messages that the system takes whole until it takes 7 bytes of one, and has no memory for the rest. -1: all.
constexpr int never = -1, now = 0;
std::atomic<int> whole{never};

}  // namespace
}  // namespace weir::testing

// In place of the C library's.
extern "C" [[gnu::visibility("default")]] ssize_t sendmsg(int to, const msghdr* message, int flags) {
  constexpr int has_begun = -2;
  const int left = weir::testing::whole.load();
  if (left == has_begun) {
    weir::testing::whole.store(weir::testing::never);
    return errno = ENOMEM, -1;
  }
  if (left > weir::testing::now) weir::testing::whole.store(left - 1);
  if (left != weir::testing::now) return syscall(SYS_sendmsg, to, message, flags);
  weir::testing::whole.store(has_begun);
  iovec part{message->msg_iov->iov_base, 7};
  msghdr some{};
  some.msg_iov = &part;
  some.msg_iovlen = 1;
  return syscall(SYS_sendmsg, to, &some, flags);
}

namespace weir::testing {
namespace {

class a_call : public leaves_no_child {};

// The next call would be sent into the middle of the message.
TEST_F(a_call, of_which_a_part_was_sent_when_memory_ran_out_costs_the_worker) {
  whole.store(2);  // the greeting, and the first call
  const outcome made =
      results_of(worker("misbehave", takes(n), gives(n), {WEIR_CPP_WORKER}).serial(), {10, 20, 30, 40});
  EXPECT_EQ(whole.load(), never);
  EXPECT_EQ(made.records, (std::vector<std::string>{"{<n>=11}", "{<n>=31}", "{<n>=41}"}));
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_EQ(made.failures[0].kind, failure_kind::out_of_memory);
}

}  // namespace
}  // namespace weir::testing
