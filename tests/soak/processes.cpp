#include "tests/soak/processes.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <weir/process.hpp>
#include "tests/runtime/process/marked_processes.hpp"
#include "tests/runtime/process/python.hpp"
#include "tests/soak/random_options.hpp"

// Commands, an isolated box and a worker in Python, in runs that end in every way. One call in a hundred crashes, ends,
// hangs, writes garbage or leaves a process behind. Each record is a result or exactly one error; of a run that ends
// early, at most one of them. Behind each run there is no process and no descriptor of it.
namespace weir::testing {
namespace {

using namespace std::chrono_literals;
using value = std::int64_t;

constexpr tag n{"n"}, by_command{"by_command"}, by_python{"by_python"}, broken{"broken"};
using array = shared_array<double>;
constexpr field<array> values{"values"};  // of n; where they are many, a file of memory
constexpr int one_in = 100, acts = 12;

// The acts of a process. The first two give a result.
enum act { works, leaves_a_process, crashes, is_killed, ends, hangs, stops_itself, garbles, last_acts };
enum act_of_a_worker { throws = last_acts, garbles_and_hangs, sends_half, closes_its_socket };
int act_for(value v) { return v % one_in == 7 ? 1 + static_cast<int>(v / one_in % (acts - 1)) : works; }

// The same acts as a script; a command has two stubborn ways to hang, and leaves a process in another session.
constexpr const char* script =
    "case $(($1 % 100 == 7 ? 1 + $1 / 100 % 11 : 0)) in"
    " 1) setsid sleep 1000 > /dev/null 2>&1 < /dev/null & sleep 1000 & echo $1 ;;"
    " 2) kill -SEGV $$ ;; 3) kill -KILL $$ ;; 4) exit 3 ;; 5) exec sleep 1000 ;; 6) kill -STOP $$ ;; 7) echo garbage ;;"
    " 8) echo $1 $1 ;; 9) trap '' TERM; while :; do sleep 1000; done ;; 10) echo $1; exit 1 ;;"
    " 11) setsid sleep 1000 & kill -ABRT $$ ;;"
    " *) echo $1 ;; esac";

constexpr int socket_to_the_program = 3;

void send_bytes(const char* bytes, std::size_t size) {
  static_cast<void>(::send(socket_to_the_program, bytes, size, MSG_NOSIGNAL));
}

std::size_t size_for(value v) { return static_cast<std::size_t>(v % 7 == 0 ? 20'000 + v : v % 50); }
array array_of(value v) {
  array made({size_for(v)});
  for (double& x : made.values()) x = static_cast<double>(v);
  return made;
}
bool is_of(const array& a, value v) {
  const std::span<const double> all = a.values();
  return all.size() == size_for(v) &&
         std::all_of(all.begin(), all.end(), [v](double x) { return x == static_cast<double>(v); });
}

std::pair<value, array> act_in_a_worker(value v, array&& given) {
  switch (act_for(v)) {
    case leaves_a_process:
      if (fork() == 0) {
        setsid();
        for (;;) pause();
      }
      break;
    case crashes:
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
      break;
    case is_killed:
      std::raise(SIGKILL);
      break;
    case ends:
      std::_Exit(3);
    case hangs:
      for (;;) pause();
    case stops_itself:
      std::raise(SIGSTOP);
      break;
    case garbles:
      send_bytes("this is no message of any protocol", 34);
      break;
    case throws:
      throw std::runtime_error("a fault");
    case garbles_and_hangs:
      send_bytes("this is no message of any protocol", 34);
      for (;;) pause();
    case sends_half:
      send_bytes("weir\50\0\0\0\0\0\0\0\0\0\0\0{\"kind\":", 24);
      std::_Exit(0);
    case closes_its_socket:
      close(socket_to_the_program);
      for (;;) pause();
    default:
      break;
  }
  if (v % 3 == 0) return {v, array_of(v)};
  given.values();  // which copies what the program still has
  return {v, std::move(given)};
}

auto acts_in_a_worker() { return box("acts", takes(n, values), gives(n, values), &act_in_a_worker); }

network random_network(round& r, std::chrono::milliseconds bound) {
  const int lanes = 1 + static_cast<int>(r.up_to(7)), retries = r.one_in(4) ? 1 : 0;
  auto worker = isolated(acts_in_a_worker()).within(bound).retries(retries);
  auto process = command("script", takes(n, by_command), gives(n), {"sh", "-c", script, "sh", n})
                     .output(n)
                     .within(bound)
                     .retries(retries);
  auto script_of_python =
      weir::worker("acts_in_python", takes(n, values, by_python), gives(n, values), {"python3", WEIR_SOAK_IN_PYTHON})
          .within(bound)
          .retries(retries);
  if (r.one_in(2)) worker = worker.blocking(lanes);
  if (r.one_in(2)) process = process.blocking(lanes);
  if (r.one_in(2)) script_of_python = script_of_python.blocking(lanes);
  const auto before = box("before", takes(n), gives(n), [](value v) { return v; });
  const auto behind = box("behind", takes(n), gives(n), [](value v) { return v; });
  const auto faulty = box("faulty", takes(n, broken), gives(n),
                          [](value, value) -> value { throw std::runtime_error("a fault of another box"); });
  return before >> (network(worker) | process | script_of_python | faulty) >> behind;
}

enum class end { read, stopped, asked_to_stop, first_error, destroyed };
constexpr const char* ends_in_words[] = {"read", "stopped", "asked to stop", "ended by the first error", "destroyed"};

// Descriptors but those of files, which other programs of the soak read at times.
int descriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    const std::string to = std::filesystem::read_symlink(entry.path(), none);
    count += !to.empty() && (to[0] != '/' || to.rfind("/memfd:", 0) == 0);
  }
  return count;
}

// How often each number came out, as a result or as an error.
using outcomes = std::map<value, int>;

void read_all(round& r, execution& run, std::uint64_t most, outcomes& seen) {
  std::uint64_t count = 0;
  if (most == 0) return;
  for (const record& result : run) {
    const value v = result[n];
    r.expect(act_for(v) <= leaves_a_process, "a result of " + std::to_string(v));
    r.expect(!result.contains(values) || is_of(result[values], v), "other values of " + std::to_string(v));
    ++seen[v];
    r.note_arrival();
    if (++count == most) return;
  }
}

void one_run(round& r) {
  const auto bound = std::chrono::milliseconds(slow ? 2000 : 300);
  const end how = r.one_in(2) ? end::read : static_cast<end>(r.up_to(4));
  const std::uint64_t records = how == end::read ? 200 + r.up_to(1800) : 1 + r.up_to(400);
  const std::uint64_t after = r.up_to(records);
  const value first = static_cast<value>(r.up_to(1000));
  const std::uint64_t commands = r.up_to(10);  // of ten records
  const std::uint64_t scripts = has_python() ? r.up_to(10 - commands) : 0;
  std::string about;
  options o = random_options(r, about);
  o.on_error = how == end::first_error ? on_error::stop : on_error::collect;
  o.max_failures_kept = o.max_failed_records_kept = 10000;
  std::stop_source stop;
  o.stop = stop.get_token();
  r.say(about + ", " + std::to_string(records) + " records from " + std::to_string(first) + " on, " +
        ends_in_words[static_cast<int>(how)] + " after " + std::to_string(after));

  outcomes seen;
  run_report said;
  std::vector<failure> failures;
  std::uint64_t sent = 0;
  {
    execution run = start(random_network(r, bound), o);
    const run_view view = run.view();
    std::thread sender([&] {
      try {
        for (std::uint64_t i = 0; i < records && !r.is_over(); ++i) {
          const value v = first + static_cast<value>(i);
          if (how == end::first_error && i == after)
            run.send(n = v, broken = 1);
          else if (i % 10 < commands)
            run.send(n = v, by_command = 1);
          else if (i % 10 < commands + scripts)
            run.send(n = v, values = array_of(v), by_python = 1);
          else
            run.send(n = v, values = array_of(v));
          ++sent;
          if (i == after && how == end::asked_to_stop) stop.request_stop();
          if (i == after && how == end::stopped) run.stop();
        }
        run.close();
      } catch (const run_error&) {
      }
    });
    try {
      read_all(r, run, how == end::destroyed ? after / 2 : records + 1, seen);
    } catch (const run_error&) {
    }
    if (how == end::destroyed) run.stop();  // so that no sender waits
    sender.join();
    failures = run.errors();
    { const execution ended = std::move(run); }
    said = view.report();
  }
  for (const failure& f : failures) {
    if (!f.as_record) continue;
    const value v = (*f.as_record)[n];
    ++seen[v];
    r.note_arrival();
    r.expect(act_for(v) != works || f.kind == failure_kind::timed_out || f.as_record->contains(broken), to_string(f));
  }
  for (const auto& [v, times] : seen)
    if (times != 1) r.expect(false, std::to_string(v) + " came out " + std::to_string(times) + " times");
  if (how == end::read)
    r.expect(seen.size() == sent, std::to_string(seen.size()) + " of " + std::to_string(sent) + " came out");
  r.expect(said.sent == sent && said.sent == said.results + said.failed + said.dropped,
           "sent " + std::to_string(sent) + ", in the report " + std::to_string(said.sent) + " = results " +
               std::to_string(said.results) + " + failed " + std::to_string(said.failed) + " + dropped " +
               std::to_string(said.dropped));
}

}  // namespace

network box_of_processes() { return acts_in_a_worker(); }

void processes(round& r) {
  const int before = descriptors();
  one_run(r);
  const std::vector<pid_t> left = marked_by(getpid());
  r.expect(left.empty(), std::to_string(left.size()) + " processes are left");
  const int behind = descriptors();
  r.expect(behind == before, std::to_string(before) + " descriptors before, " + std::to_string(behind) + " behind");
}

}  // namespace weir::testing
