#include "runtime/process/worker_stderr.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "runtime/process/refusal.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir::detail::processes {

namespace {

constexpr std::size_t held_by_a_pipe = std::size_t{64} << 10;  // as Linux makes it
constexpr std::chrono::milliseconds between_looks{1};          // a look takes less than a thousandth of that

}  // namespace

worker_stderr::worker_stderr(bool is_shown) : is_shown_(is_shown) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse(errno, "no pipe for the error stream of a worker");
  reads_ = processes::descriptor(ends[0]);
  writes_ = processes::descriptor(ends[1]);
  if (fcntl(reads_.get(), F_SETFL, O_NONBLOCK) != 0) refuse(errno, "the pipe of a worker");
}

void worker_stderr::pass_on() {
  if (!reads_) return;
  std::array<char, held_by_a_pipe> some;
  const ssize_t got = ::read(reads_.get(), some.data(), some.size());
  if (got < 0) return;
  if (got == 0) return reads_.close();
  const auto size = static_cast<std::size_t>(got);
  if (is_shown_) static_cast<void>(write_all(STDERR_FILENO, {some.data(), size}));
  end_.add({some.data(), size});
}

void worker_stderr::show() {
  if (std::exchange(is_shown_, true)) return;
  std::string text = end_.lines();
  if (text.empty()) return;
  text += '\n';
  static_cast<void>(write_all(STDERR_FILENO, text));
}

void worker_stderr::pass_on_now_and_then() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  pass_on();
}

std::string worker_stderr::last_lines() {
  pass_on();
  const std::string text = end_.lines();
  return text.empty() ? text : "; it said: \"" + text + '"';
}

}  // namespace weir::detail::processes
