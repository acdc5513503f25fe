#include "runtime/process/worker_lane.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/process/refusal.hpp"
#include "runtime/process/variables.hpp"
#include "runtime/record/without_memory.hpp"
#include "runtime/threads/cpu_mask.hpp"

namespace weir::detail::processes {

namespace {

constexpr int socket_number = 3;                                     // in the worker
constexpr auto until_it_has_ended = std::chrono::milliseconds{500};  // after it has closed its socket

// All threads of a process, also those that others of them start meanwhile.
void bind_threads(int pid, const std::vector<int>& cpus) {
  const std::vector<cpu_set_t> mask = cpu_mask(cpus);
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  std::set<int> bound;
  for (bool more = true; more;) {
    more = false;
    DIR* const tasks = opendir(folder.c_str());
    if (!tasks) return;
    while (const dirent* const entry = readdir(tasks)) {
      const int thread = std::atoi(entry->d_name);
      if (thread <= 0 || !bound.insert(thread).second) continue;
      more = true;
      sched_setaffinity(thread, mask.size() * sizeof(cpu_set_t),
                        mask.data());  // one that refuses stays as it is, as in the run itself
    }
    closedir(tasks);
  }
}

// The worker is gone, and its record may be tried again with another.
class worker_gone : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// It ended before it had greeted, which may be bad luck.
class not_started : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Why a program may not greet that meets no error.
const char* hint_for(const worker_plan& plan) {
  return !plan.program ? ", as a program that calls neither weir_worker.serve() nor weir::serve()"
                       : ", as a program whose main does not call weir::host(..) first";
}

// A text for what(), which ends at a byte 0.
std::string without_zeros(const std::string& text) {
  std::string shown;
  for (const char c : text) c == '\0' ? shown += "\\0" : shown += c;
  return shown;
}

// An answer names its call, so none is taken for that of another record.
void check_number(const message& answer, std::uint64_t call) {
  const std::uint64_t number = answer.number("call");
  if (number == call) return;
  throw protocol_error("it answered call " + std::to_string(number) +
                       (number > 0 && number < call ? " a second time" : "") + ", and was to answer call " +
                       std::to_string(call));
}

}  // namespace

worker_lane::worker_lane() : guard_(guardian::of_process()) {}
worker_lane::~worker_lane() { end(); }

void worker_lane::call(const worker_box& box, std::span<invocation> each) {
  if (!stopping_ || stop_ != each[0].granted->stop()) {
    stop_ = each[0].granted->stop();
    stopping_.emplace(stop_);
  }
  use_ = {};
  for (int left = each.size() > 1 ? 0 : box.plan.retries;; --left) {
    attempt a{box, each};
    try {
      while (!try_call(a)) {
      }
      return;
    } catch (const worker_gone&) {
      if (left <= 0 || a.has_emitted) throw;
    } catch (const timed_out_error&) {
      if (left <= 0 || a.has_emitted) throw;
    }
  }
}

// Returns false where the worker has ended.
bool worker_lane::send_call(attempt& a) {
  connection_->reset_sent();
  message_writer m(message_kind::call);
  m.number("call", ++call_).number("cores", static_cast<std::uint64_t>(cores_));
  const auto takes = a.box.labels.takes();
  const auto write = [&](const invocation& i) {
    for (std::size_t t = 0; t < takes.size(); ++t) takes[t].write(i.taken(t), m);
  };
  if (a.each.size() > 1) m.number("records", a.each.size());
  m.begin_values();
  if (a.each.size() == 1) {
    write(a.each[0]);
  } else {
    for (const invocation& i : a.each) {
      m.next_value();
      m.head() += '[';
      write(i);
      m.head() += ']';
    }
  }
  m.end_values();
  a.is_calling = true;
  try {
    connection_->send(m);
    return true;
  } catch (const connection_closed&) {
    return false;
  } catch (const std::length_error&) {  // nothing was sent
    a.is_calling = false;
    throw;
  }
}

void worker_lane::note_use(const message& end) {
  use_ = {end.seconds("seconds"), 0, 0};
  if (end.find("cpu")) {  // a short call lacks it
    use_.cpu_seconds = end.seconds("cpu");
    use_.peak_bytes = end.number("peak");  // of its heaviest invocation so far: a process keeps its largest memory
  }
  stderr_->pass_on_now_and_then();
}

// Returns false where the worker had ended since the call before, which is no fault of this record. Throws worker_gone
// and timed_out_error when there is no worker any more.
bool worker_lane::try_call(attempt& a) {
  const bool was_kept = child_.has_value();
  make_ready(a.box, *a.each[0].granted);
  bound(a.box.plan.within * a.each.size());
  a.is_calling = false;
  try {
    if (!send_call(a) && was_kept) {  // a new one may have said why, which is received next
      kill();
      return false;
    }
    for (;;) {
      const received r = connection_->receive();
      switch (r.head.kind) {
        case message_kind::result:
          check_number(r.head, call_);
          deliver(a, r.head.head.root(), r.blocks);
          look();
          continue;
        case message_kind::done:
          check_number(r.head, call_);
          note_use(r.head);
          a.is_calling = false;
          deliver_all(a, r);
          return true;
        case message_kind::error: {
          check_number(r.head, call_);
          const std::string text = without_zeros(r.head.text("text")),
                            cause = r.head.find("cause") ? r.head.text("cause") : "";
          note_use(r.head);
          a.is_calling = false;
          if (cause == "memory") throw without_memory(text + words_of_bound(a.box.plan.memory));
          if (cause == "labels") throw type_error(text);
          throw std::runtime_error(text);
        }
        default:
          throw protocol_error("it is neither a result nor the end of a call");
      }
    }
  } catch (const connection_closed&) {
    throw worker_gone("the worker " + how_it_ended(a.box));
  } catch (const protocol_error& e) {
    const std::string last_lines = stderr_->last_lines();
    kill();
    throw std::runtime_error(std::string("the worker does not keep to the protocol: ") + e.what() + last_lines);
  } catch (const std::system_error& e) {
    kill();
    throw worker_gone(std::string("the connection to the worker failed: ") + e.what());
  } catch (...) {
    if (a.is_calling) kill();
    throw;
  }
}

// A connection waits for its socket: until it is ready, the worker has ended, the time is over, or the run stops. Text
// of the worker that comes meanwhile is passed on.
void worker_lane::wait(int socket, short events) {
  for (;;) {
    std::array<pollfd, 3> others{{{socket, static_cast<short>(events | POLLIN), 0},
                                  {stopping_ ? stopping_->get() : -1, POLLIN, 0},
                                  {stderr_->descriptor(), POLLIN, 0}}};
    const bool is_ready = child_->wait_for(others, deadline_);
    if (others[1].revents) end_stopped();
    const bool has_said = others[2].revents != 0;
    bool has_ended = !has_said;
    if (has_said) {
      stderr_->pass_on();  // takes as long as this process's error stream does
      pollfd ended{child_->descriptor(), POLLIN, 0};
      has_ended = poll_until({&ended, 1}, child::clock::now()) > 0;
      // It may have answered meanwhile, and ended then.
      if (!others[0].revents) poll_until(std::span(others).first(1), child::clock::now());
    }
    if (events == POLLOUT && others[0].revents == POLLIN)
      throw protocol_error("it sent something before it had read the call");  // and both might wait for room for ever
    if (others[0].revents) return;
    if (!is_ready || (has_said && child::clock::now() >= deadline_)) end_late();
    if (has_ended) throw connection_closed();  // and a process that it has started holds its socket
  }
}

void worker_lane::look() {
  if (stop_.stop_requested()) end_stopped();
  if (deadline_ != child::never && child::clock::now() >= deadline_) end_late();
}

void worker_lane::end_stopped() {
  kill();
  throw stopped{};
}

void worker_lane::end_late() {
  const std::string last_lines = stderr_->last_lines();
  kill();
  throw timed_out_error("the worker was ended after " + words_of_time(bound_) + last_lines);
}

// Waits for the end of a worker, which is to end by itself, and meanwhile passes on its text.
std::optional<ending> worker_lane::ends_by_itself() {
  for (const auto until = child::clock::now() + until_it_has_ended;;) {
    std::array<pollfd, 1> text{{{stderr_->descriptor(), POLLIN, 0}}};
    child_->wait_for(text, until);
    if (text[0].revents) stderr_->pass_on();
    if (!text[0].revents || child::clock::now() >= until) return child_->wait(child::clock::now());
  }
}

// For what follows; 0: no bound.
void worker_lane::bound(std::chrono::nanoseconds time) {
  bound_ = time;
  deadline_ = time.count() > 0 ? child::after(child::clock::now(), time) : child::never;
}

// The results that came with the end of a call.
void worker_lane::deliver_all(attempt& a, const received& end) {
  if (end.head.find("values")) deliver(a, end.head.head.root(), end.blocks);
  if (!end.head.find("results")) return;
  end.head.list("results").each([&](const json_value& one) { deliver(a, one, end.blocks); });
}

namespace {

std::uint64_t number_in(const json_value& result, const char* name) {
  const auto found = result.find(name);
  const auto value = found ? found->natural() : std::nullopt;
  if (!value) throw protocol_error(std::string("a result has no number \"") + name + '"');
  return *value;
}

}  // namespace

void worker_lane::deliver(attempt& a, const json_value& result, std::span<const arrived_block> blocks) {
  if (result.is() != json_value::sort::object) throw protocol_error("a result is no object");
  const std::uint64_t record = a.each.size() > 1 ? number_in(result, "record") : 0;
  if (record >= a.each.size())
    throw protocol_error("a result of record " + std::to_string(record) + ", expected less than " +
                         std::to_string(a.each.size()));
  const std::uint64_t variant = number_in(result, "variant");
  if (variant >= a.box.labels.variants().size())
    throw protocol_error("a result of variant " + std::to_string(variant) + ", expected less than " +
                         std::to_string(a.box.labels.variants().size()));
  const auto& forms = a.box.labels.variants()[variant];
  read_values values(forms);
  const auto given = result.find("values");
  if (!given || given->is() != json_value::sort::list) throw protocol_error("a result has no list of values");
  values.read(*given, blocks);
  std::array<labelled_word, max_given> words;
  for (std::size_t w = 0; w < forms.size(); ++w) {
    const label_info& l = forms[w].label();
    words[w] = {l.name.c_str(), l.key, l.kind, l.type, values.words()[w]};
  }
  emission& out = *a.each[record].out;
  record_body* const body = out.build(words.data(), forms.size());
  values.placed();
  a.has_emitted = true;
  const auto before = child::clock::now();
  out.deliver(body);
  if (deadline_ != child::never)
    deadline_ = child::after(deadline_, child::clock::now() - before);  // the worker waited for us
}

void worker_lane::make_ready(const worker_box& box, const grant& granted) {
  const bool other_cores = cores_ != granted.size() || cpus_ != granted.cpus();
  if (child_ && other_cores && box.plan.restarts_for_cores) end();
  while (!child_) {
    try {
      start(box, granted);
    } catch (const not_started& e) {
      if (!box.starts.failed()) throw run_ending_error(e.what());
    }
  }
  if (!at_work_) at_work_.emplace(processes_, box_process{child_->pid(), cores_, child_->started()});
  if (other_cores) bind(granted);
}

void worker_lane::bind(const grant& granted) {
  if (!granted.cpus().empty()) bind_threads(child_->pid(), granted.cpus());
  cpus_ = granted.cpus();
  cores_ = granted.size();
  at_work_->grant(cores_);
}

void worker_lane::start(const worker_box& box, const grant& granted) {
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse(errno, "no socket for a worker");
  descriptor own(ends[0]), theirs(ends[1]);
  stderr_.emplace(!box.starts.has_failed());
  launch how;
  how.arguments = box.plan.arguments;
  if (box.plan.program) how.program = box.plan.program->path();
  how.environment = variables_for(granted);
  how.environment.insert(how.environment.end(), box.plan.environment.begin(), box.plan.environment.end());
  how.environment.emplace_back(socket_variable, std::to_string(socket_number));
  how.cpus = granted.cpus();
  how.error = stderr_->of_worker();
  how.output = fcntl(STDOUT_FILENO, F_GETFD) >= 0 ? STDOUT_FILENO : -1;
  if (box.plan.prints_to_error_stream) how.output = how.error;
  how.passed = {{theirs.get(), socket_number}};
  how.memory = box.plan.memory;
  guard_->mark(how);
  child_.emplace(child::start(how));
  stderr_->close_writer();
  theirs.close();
  connection_.emplace(std::move(own), static_cast<socket_wait*>(this));
  cores_ = granted.size();
  cpus_ = granted.cpus();
  greet(box);
}

void worker_lane::greet(const worker_box& box) {
  bound(std::max(box.plan.within, box.plan.start));
  std::string why;
  try {
    message_writer m = box.labels.greeting();
    connection_->send(m);
    const received r = connection_->receive();
    if (r.head.kind == message_kind::error)
      why = without_zeros(r.head.text("text"));
    else
      why = box.labels.mismatch(r.head);
    if (why.empty() && !box.plan.code.empty() && r.head.text("code") != box.plan.code)
      why = "the box of that name has another callable there";
    if (const auto takes = r.head.find("takes_batches");
        why.empty() && box.plan.in_batches && !(takes && takes->boolean() == true))
      why = "it takes one record at a time, and here batched(..) asks for several";
    if (why.empty() && r.head.find("accepts_files") && r.head.find("accepts_files")->boolean() == false)
      connection_->pass_no_files();
  } catch (const connection_closed&) {
    throw not_started("the worker of box " + box.name + " does not start: it " + how_it_ended(box, hint_for(box.plan)));
  } catch (const protocol_error& e) {
    why = std::string("it does not keep to the protocol: ") + e.what();
  } catch (const timed_out_error& e) {
    throw run_ending_error("the worker of box " + box.name + " does not start: it has not greeted" +
                           hint_for(box.plan) + "; a longer within(..) lets a start take longer; " + e.what());
  } catch (...) {
    kill();
    throw;
  }
  if (!why.empty()) {
    const std::string last_lines = stderr_->last_lines();
    kill();
    throw run_ending_error("the worker of box " + box.name + " does not fit: " + why + last_lines);
  }
  box.starts.succeeded();
  stderr_->show();
}

// Its end in words; it is ended. The hint is for one that meets no error.
std::string worker_lane::how_it_ended(const worker_box& box, const char* hint) {
  std::string how = std::string("closed its connection") + hint;
  try {
    if (const auto ended = ends_by_itself()) {
      if (ended->signal != 0)
        how = "was ended by " + name_of_signal(ended->signal);
      else
        how = "ended with exit code " + std::to_string(ended->code) + (ended->code == 0 ? hint : "");
      how += words_of_bound(box.plan.memory, *ended);
    }
  } catch (const std::system_error& e) {
    how = std::string("ended: ") + e.what();
  }
  how += stderr_->last_lines();
  end();
  return how;
}

// A worker that waits for a call ends by itself when its socket is closed. Any other is asked by a signal.
void worker_lane::end() noexcept {
  connection_.reset();
  try {
    if (child_) ends_by_itself();
  } catch (const std::system_error&) {  // it is gone; somebody else has waited for it
  }
  kill();
}

void worker_lane::kill() noexcept {
  connection_.reset();
  at_work_.reset();
  try {
    if (child_) child_->end();
  } catch (const std::system_error&) {
  }
  child_.reset();
  if (stderr_) stderr_->pass_on();
  stderr_.reset();
  cores_ = 0;
  cpus_.clear();
  call_ = 0;
}

}  // namespace weir::detail::processes
