#include "runtime/process/worker_stderr.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include "runtime/threads/write_all.hpp"

namespace weir::detail::processes {

namespace {

constexpr std::size_t held_by_a_pipe = std::size_t{64} << 10;  // as Linux makes it
constexpr std::chrono::milliseconds between_looks{1};          // a look takes less than a thousandth of that

}  // namespace

void worker_stderr::pass_on() {
  if (!pipe_.ours) return;
  std::array<char, held_by_a_pipe> some;
  const ssize_t got = ::read(pipe_.ours.get(), some.data(), some.size());
  if (got < 0) return;
  if (got == 0) return pipe_.ours.close();
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
