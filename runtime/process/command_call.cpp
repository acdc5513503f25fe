#include "runtime/process/command_call.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/box_processes.hpp"
#include "runtime/process/command_failed.hpp"
#include "runtime/process/refusal.hpp"
#include "runtime/process/wake.hpp"
#include "runtime/record/without_memory.hpp"

namespace weir::detail::processes {
namespace {

constexpr std::size_t piece = 65536;  // bytes: what a pipe holds

// How many bytes are there now. No more are read in a turn: a process may write faster than they are used, and neither
// its bounds nor a stop may wait for its last byte.
std::size_t bytes_in(const descriptor& from) {
  int bytes = 0;
  return from && ioctl(from.get(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

// Bytes that are there; 0: none now.
std::size_t read_some(const descriptor& from, char* to) {
  for (;;) {
    const ssize_t n = ::read(from.get(), to, piece);
    if (n > 0) return static_cast<std::size_t>(n);
    if (n == 0 || errno != EINTR) return 0;
  }
}

std::string in_words(const ending& e) {
  if (e.signal == 0) return "the process ended with exit code " + std::to_string(e.code);
  const char* const described = sigdescr_np(e.signal);  // null: of a real-time signal
  return "the process was ended by " + name_of_signal(e.signal) +
         (described ? std::string(" (") + described + ')' : "");
}

}  // namespace

command_call::command_call(const command_plan& plan, const lane_place& place, invocation& i)
    : plan_(plan),
      settings_(plan.settings),
      place_(place),
      invocation_(i),
      files_(plan, *place.guard, place.number, i) {}

void command_call::run() {
  launch_.arguments = files_.arguments();
  launch_.program = place_.program;
  launch_.environment = variables_for(*invocation_.granted);
  launch_.cpus = invocation_.granted->cpus();
  launch_.memory = settings_.memory.value_or(0);
  place_.guard->mark(launch_);
  open_streams();
  child running = child::start(launch_);
  started_ = running.started();
  const box_processes::membership at_work(place_.processes, {running.pid(), invocation_.granted->size(), started_});
  input_.close();
  wait(running);
  judge();
}

void command_call::open_streams() {
  if (settings_.input) input_ = files_.opened(*settings_.input);
  if (settings_.output && settings_.output->as->from_file) {
    output_file_ = files_.new_output();
    output_.theirs = descriptor(open(output_file_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!output_.theirs) refuse(errno, "no file for the standard output");
  } else if (settings_.output) {
    output_ = new_output_pipe();
  }
  error_ = new_output_pipe();
  launch_.input = input_.get();
  launch_.output = output_.theirs.get();
  launch_.error = error_.theirs.get();
}

void command_call::wait(child& running) {
  const auto deadline = settings_.within ? child::after(started_, *settings_.within) : child::never;
  const wake stopped_run(invocation_.granted->stop());
  for (;;) {
    std::array<pollfd, 3> others{
        {{stopped_run.get(), POLLIN, 0}, {error_.ours.get(), POLLIN, 0}, {output_.ours.get(), POLLIN, 0}}};
    const bool has_come = running.wait_for(others, deadline);  // also when the child has ended
    if (others[0].revents) {
      running.end();
      throw stopped{};
    }
    if (others[1].revents) read_error();
    if (others[2].revents) read_output();
    if (const auto e = running.wait(child::clock::time_point())) {
      ended_ = child::clock::now();
      ending_ = *e;
      // The rest in the pipes; a process that left the group may keep them open.
      read_error();
      read_output();
      if (sends_while_running() && !gathered_.empty()) send(std::exchange(gathered_, {}));
      return;
    }
    if (has_come && child::clock::now() < deadline) continue;
    running.end();
    read_error();
    const std::string last_lines = stderr_.lines();
    throw timed_out_error("the process was ended after " + words_of_time(*settings_.within) +
                          (last_lines.empty() ? "" : ": " + last_lines));
  }
}

bool command_call::sends_while_running() const { return settings_.in_lines && settings_.retries == 0; }

void command_call::read_error() {
  std::array<char, piece> some;
  for (std::size_t left = bytes_in(error_.ours); left > 0;) {
    const std::size_t n = read_some(error_.ours, some.data());
    stderr_.add({some.data(), n});
    if (n == 0) return;
    left -= std::min(left, n);
  }
}

// A program may write without end.
void command_call::make_room(std::size_t bytes) {
  const std::size_t before = gathered_.size(), wanted = before + bytes;
  if (gathered_.capacity() >= wanted) return;
  with_memory(
      wanted, [&] { gathered_.reserve(std::max(2 * gathered_.capacity(), wanted)); },
      [&](const std::string& why) {
        return (settings_.in_lines ? "a line of the standard output has more than "
                                   : "the standard output has more than ") +
               std::to_string(before) + " bytes, and " + why +
               (settings_.in_lines ? "" : "; a field of type scratch_file is not read");
      });
}

void command_call::read_output() {
  for (std::size_t left = bytes_in(output_.ours); left > 0;) {
    const std::size_t before = gathered_.size();
    make_room(piece);
    gathered_.resize(before + piece);
    const std::size_t n = read_some(output_.ours, gathered_.data() + before);
    gathered_.resize(before + n);
    if (sends_while_running()) send_lines(before);
    if (n == 0) return;
    left -= std::min(left, n);
  }
}

void command_call::send_lines(std::size_t unseen) {
  std::size_t begin = 0;
  for (std::size_t end = unseen; (end = gathered_.find('\n', end)) != gathered_.npos; begin = ++end)
    send(gathered_.substr(begin, end - begin));
  gathered_.erase(0, begin);
}

void command_call::send(std::string&& line) {
  const auto before = child::clock::now();
  const label_info& label = *settings_.output->label;
  labelled_word word{label.name.c_str(), label.key, label.kind, label.type,
                     settings_.output->as->from_bytes(std::move(line))};
  record_body* body = nullptr;
  try {
    body = invocation_.out->build(&word, 1);
  } catch (...) {
    if (label.type && !label.type->inlined) let_go(word.word, *label.type);
    throw;
  }
  invocation_.out->deliver(body);
  elsewhere_ += child::clock::now() - before;
}

void command_call::judge() const {
  const std::vector<int>& good = settings_.succeeds_with;
  if (ending_.signal == 0 && std::find(good.begin(), good.end(), ending_.code) != good.end()) return;
  const std::string last_lines = stderr_.lines();
  throw command_failed(in_words(ending_) + words_of_bound(settings_.memory.value_or(0), ending_) +
                       (last_lines.empty() ? "" : ": " + last_lines));
}

bool command_call::give() {
  if (settings_.in_lines) {
    send_lines(0);
    if (!gathered_.empty()) send(std::exchange(gathered_, {}));
    return false;
  }
  for (const label_info* label : settings_.gives) invocation_.give(value_of(label));
  return !settings_.is_sink;
}

slot_word command_call::value_of(const label_info* label) {
  if (const auto word = files_.value(label)) return *word;
  if (output_file_) return settings_.output->as->from_file(std::move(*output_file_));
  return settings_.output->as->from_bytes(std::move(gathered_));
}

invocation_use command_call::use() const {
  return {std::chrono::duration<double>(ended_ - started_ - elsewhere_).count(), ending_.cpu_seconds,
          ending_.peak_bytes};
}

}  // namespace weir::detail::processes
