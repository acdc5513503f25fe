#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "runtime/machine/log.hpp"

// Boxes and programs that end a thread or the process, one case per process: endings_test runs this program.
using namespace weir;

namespace {
bool is_child = false;
}

// The leak sanitizer asks at its end. In a child process it cannot see the stacks of the parent's threads.
extern "C" [[gnu::visibility("default")]] int __lsan_is_turned_off() { return is_child; }

namespace {

constexpr tag n{"n"};
constexpr field<std::string> text{"text"};
using value = std::int64_t;
constexpr int most = 100'000;  // records: far more than are processed before the end

// An execution that outlives main's runs: it is destroyed after the run, or while the run's threads still work.
std::unique_ptr<execution> global;
std::vector<int> shared_by_boxes(1000, 1);

network box_of(value (*f)(value)) { return box("f", takes(n), gives(n), f); }
network plain() {
  return box_of([](value v) { return v * shared_by_boxes[static_cast<std::size_t>(v % 1000)]; }) >>
         box("g", takes(n), gives(n), [](value v) { return v + 1; });
}
value exit_at_50(value v) {
  if (v == 50) std::exit(7);
  return v;
}

// exit() destroys a global execution, when no thread sends any more. To read it, only the run is needed.
constexpr int some = 100;
std::atomic<bool> sent{false};
value exit_at_50_when_sent(value v) {
  if (v != 50) return v;
  while (!sent) std::this_thread::yield();
  std::exit(7);
}
value leave_at_5(value v) {
  if (v == 5) pthread_exit(nullptr);
  return v;
}

// The cancellation is pending when the box returns, and would meet weir's own waits.
value cancel_at_5(value v) {
  if (v == 5) pthread_cancel(pthread_self());
  return v;
}

struct says_nothing : std::exception {
  const char* what() const noexcept override { return nullptr; }
};
struct means_nothing : type_error {
  means_nothing() : type_error("") {}
  const char* what() const noexcept override { return nullptr; }
};
struct has_none : std::bad_alloc {
  const char* what() const noexcept override { return nullptr; }
};

void send_all(execution& run) {
  for (int i = 0; i < most; ++i) run.send(n = i);
  run.close();
  for (const record& r : run) (void)r;
}

options with_room() {
  options o;
  o.capacity = 2 * some;
  return o;
}

void send_some(execution& run) {
  for (int i = 0; i < some; ++i) run.send(n = i);
  run.close();
  const auto results = run.results();
  sent = true;
  for (const record& r : results) (void)r;
}

options collecting() {
  options o;
  o.on_error = on_error::collect;
  return o;
}

// Sends ten records; prints how many came out, and how the others failed.
void tell(const network& net, const options& o) {
  execution run = start(net, o);
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  int results = 0;
  for (const record& r : run) (void)r, ++results;
  std::printf("%d results\n", results);
  for (const failure& f : run.errors()) std::printf("%s: %s\n", to_string(f.kind).c_str(), f.cause.c_str());
  for (const std::string& note : run.report().notes)
    if (note.find("options.") == 0) std::printf("%s\n", note.c_str());
}

// The output and status of a child that does this; a child that hangs is ended.
template <class F>
void in_child(F f) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    is_child = true;
    ::alarm(20);
    f();
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::printf("child: %s %d\n", WIFEXITED(status) ? "code" : "signal",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

void use_in_child(void (*use)(execution& run)) {
  execution run = start(plain());
  in_child([&] {
    try {
      use(run);
      std::printf("it did\n");
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
  });
}

void start_in_child() {
  try {
    execution other = start(plain());
    std::printf("it started\n");
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
}

// Made before any run, so its destructor joins after the runs were told that the process ends.
std::jthread joined_at_exit;
std::atomic<bool> is_leaving{false};
// That thread does this with a run that is never destroyed.
void exit_and_join(void (*use)(execution& run)) {
  static execution& kept = *new execution(start(plain()));
  static std::atomic<bool> has_begun{false};
  joined_at_exit = std::jthread([use] {
    has_begun = true;
    try {
      use(kept);
    } catch (const send_error&) {
      std::printf("it threw, and ");
    }
    std::printf("ended\n");
    std::fflush(stdout);
  });
  while (!has_begun) std::this_thread::yield();
  kept.send(n = 1);
  is_leaving = true;
  std::exit(7);
}
// Makes and prints a record, and runs a box in a network.
void use(const char* when) {
  const record made(n = 2, text = std::string(200, 'x').substr(0, 3));
  const record copy = made;
  std::printf("%s: %s", when, to_string(copy).c_str());
  execution run = start(plain());
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  int results = 0;
  for (const record& r : run) (void)r, ++results;
  std::printf(", %d results\n", results);
  std::fflush(stdout);
}
void use_in_handler() { use("exit handler"); }
struct uses_at_its_end {
  bool is_used = true;
  ~uses_at_its_end() {  // plain() uses static objects that may be gone
    execution run = start(box_of([](value v) { return v + 1; }));
    for (int i = 0; i < 10; ++i) run.send(n = i);
    run.close();
    int results = 0;
    for (const record& r : run) (void)r, ++results;
    std::printf("end of a thread: %d results\n", results);
    std::fflush(stdout);
  }
};

// Uses weir when it ends. The static one is made before anything of weir is in use.
struct used_at_end {
  const char* when = nullptr;
  bool logs = false;
  ~used_at_end() {
    if (when) use(when);
    if (logs) detail::log_warning("said late");
  }
};
used_at_end of_process;
thread_local used_at_end of_thread;

// A key whose destructor runs in each of the rounds that the system has for destructors.
pthread_key_t key{};
void use_in_each_round(void* round) {
  use("key");
  static int rounds = 0;
  if (++rounds < 4) pthread_setspecific(key, round);
}

const std::map<std::string, void (*)()> cases{
    // ---- after the end of main, or of a thread ----
    {"used by the destructor of a static",
     [] {
       of_process.when = "static";
       use("main");
     }},
    {"used in an exit handler",
     [] {
       std::atexit(use_in_handler);
       use("main");
     }},
    {"used by destructors of thread_local objects",
     [] {
       of_thread.when = "main thread";
       std::thread([] {
         of_thread.when = "thread";
         use("in it");
       }).join();
       use("main");
     }},
    {"used by the destructor of a key",
     [] {
       std::thread([] {
         use("in it");
         pthread_key_create(&key, use_in_each_round);  // after weir's own, and so called after it
         pthread_setspecific(key, &key);
       }).join();
     }},
    {"used by the destructor of a static, by a thread that has ended",
     [] {
       of_process.when = "static";
       use("main");
       pthread_exit(nullptr);
     }},
    {"logged by the destructor of a static",
     [] {
       spdlog::default_logger();
       of_process.logs = true;
     }},

    // ---- exit ----
    {"exit in a box",
     [] {
       execution run = start(box_of(exit_at_50));
       send_all(run);
     }},
    {"exit in a box of a global run",
     [] {
       global = std::make_unique<execution>(start(box_of(exit_at_50_when_sent), with_room()));
       send_some(*global);
     }},
    {"exit in a box that emits, beside a global run",
     [] {
       global = std::make_unique<execution>(start(plain(), with_room()));
       std::thread([] { send_some(*global); }).detach();
       execution run = start(
           box("e", takes(n), gives(n), [](value v, emitter& emit) { emit(n = exit_at_50_when_sent(v)); }) >> plain());
       send_all(run);
     }},
    {"exit in an observer",
     [] {
       global = std::make_unique<execution>(start(
           observe(plain(), [](const record& r, std::string_view) { (void)exit_at_50_when_sent(r[n]); }), with_room()));
       send_some(*global);
     }},
    {"exit in a predictor",
     [] {
       options o = with_room();
       o.policy = equal_shares{};  // one that adapts has the sender call it as well
       global = std::make_unique<execution>(start(
           box("f", takes(n), gives(n), [](value v) { return v; })
               .predicted_by([](value v) { return static_cast<double>(exit_at_50_when_sent(v + 50)); }, degree{1}),
           o));
       send_some(*global);
     }},
    {"exit in a predictor that the sender calls",
     [] {
       static const auto sender = std::this_thread::get_id();
       global = std::make_unique<execution>(start(box("f", takes(n), gives(n), [](value v) { return v; })
                                                      .predicted_by(
                                                          [](value v) {
                                                            if (std::this_thread::get_id() == sender) std::exit(7);
                                                            return static_cast<double>(v);
                                                          },
                                                          degree{1}),
                                                  with_room()));
       send_some(*global);
     }},
    {"exit in a box that the sender runs",
     [] {
       options o;
       o.inline_send = true;
       static const auto sender = std::this_thread::get_id();
       global = std::make_unique<execution>(start(box_of([](value v) {
                                                    if (std::this_thread::get_id() == sender) std::exit(7);
                                                    return v;
                                                  }),
                                                  o));
       global->send(n = 0);
       auto result = global->begin();
       for (int i = 1; i < most; ++i, ++result) {  // into an idle network, at long intervals
         std::this_thread::sleep_for(std::chrono::microseconds(500));
         global->send(n = i);
       }
     }},
    {"exit in a callback",
     [] {
       options o = with_room();
       o.on_observation = [](std::string_view, const observation&) { exit_at_50_when_sent(50); };
       global = std::make_unique<execution>(start(plain(), o));
       send_some(*global);
     }},
    {"exit in main, threads use the run",
     [] {
       execution run = start(plain());
       std::atomic<int> got{0};
       std::thread([&] { send_all(run); }).detach();
       std::thread([&] {
         for (const record& r : run) (void)r, ++got;
       }).detach();
       while (got < 1000) std::this_thread::yield();
       std::exit(7);
     }},
    {"exit in main, which joins a thread that sends",
     [] {
       exit_and_join([](execution& run) {
         for (;;) run.send(n = 1);
       });
     }},
    {"exit in main, which joins a thread that reads",
     [] {
       exit_and_join([](execution& run) {
         for (const record& r : run) (void)r;
       });
     }},
    {"exit in main, which joins a thread that starts runs",
     [] {
       exit_and_join([](execution&) {
         for (int i = 0; i < 10 || !is_leaving; ++i) (void)start(plain());
       });
     }},
    {"exit in main, which joins a run whose thread is kept",
     [] {
       global = std::make_unique<execution>(start(box("f", takes(n), gives(n), [](value v) {
         thread_local const uses_at_its_end at_end;
         return at_end.is_used ? v : 0;
       })));
       global->send(n = 1);
       for (auto result = global->begin(); result != global->end(); ++result) std::exit(7);
     }},
    {"exit in main, with a global run",
     [] {
       global = std::make_unique<execution>(start(plain()));
       for (int i = 0; i < 500; ++i) global->send(n = i);
       std::exit(7);
     }},

    // ---- the end of a thread ----
    {"pthread_exit in a box", [] { tell(box_of(leave_at_5), collecting()); }},
    {"pthread_cancel in a box", [] { tell(box_of(cancel_at_5), collecting()); }},
    {"pthread_cancel in a box, and a second run",
     [] {
       for (int run = 0; run < 2; ++run) tell(box_of(cancel_at_5), collecting());
     }},
    {"pthread_exit in one of several boxes",
     [] { tell(plain() >> box("l", takes(n), gives(n), leave_at_5), collecting()); }},
    {"pthread_exit in a box that emits",
     [] { tell(box("f", takes(n), gives(n), [](value v, emitter& emit) { emit(n = leave_at_5(v)); }), collecting()); }},
    {"pthread_exit in an observer",
     [] { tell(observe(plain(), [](const record& r, std::string_view) { (void)leave_at_5(r[n]); }), collecting()); }},
    {"pthread_exit in a predictor",  // for the first record, since not all are timed
     [] {
       tell(box("f", takes(n), gives(n), [](value v) { return v; })
                .predicted_by([](value v) { return static_cast<double>(leave_at_5(v + 5)); }, degree{1}),
            collecting());
     }},
    {"pthread_exit in a size function",
     [] {
       options o = collecting();
       o.record_bytes = [](const record& r) { return static_cast<std::uint64_t>(leave_at_5(r[n])); };
       tell(plain(), o);
     }},
    {"pthread_exit each time", [] { tell(box_of([](value) -> value { pthread_exit(nullptr); }), collecting()); }},

    // ---- exceptions that say nothing ----
    {"what is null", [] { tell(box_of([](value) -> value { throw says_nothing(); }), collecting()); }},
    {"what is null, of a type_error",
     [] { tell(box_of([](value) -> value { throw means_nothing(); }), collecting()); }},
    {"what is null, of a bad_alloc", [] { tell(box_of([](value) -> value { throw has_none(); }), collecting()); }},
    {"what is null, in an observer",
     [] { tell(observe(plain(), [](const record&, std::string_view) { throw says_nothing(); }), collecting()); }},
    {"what is null, in a size function",
     [] {
       options o;
       o.record_bytes = [](const record&) -> std::uint64_t { throw says_nothing(); };
       tell(plain(), o);
     }},

    // ---- fork ----
    {"fork, and send in the child", [] { use_in_child([](execution& run) { run.send(n = 1); }); }},
    {"fork, and wait in the child", [] { use_in_child([](execution& run) { run.wait(); }); }},
    {"fork, and iteration in the child",
     [] {
       use_in_child([](execution& run) {
         for (const record& r : run) (void)r;
       });
     }},
    {"fork while a run goes on",
     [] {
       execution run = start(plain());
       for (int i = 0; i < 500; ++i) run.send(n = i);
       in_child(start_in_child);
       in_child([] { std::exit(3); });
       in_child([&] { const execution gone = std::move(run); });
       in_child([] { ::execlp("true", "true", nullptr); });
       run.close();
       int results = 0;
       for (const record& r : run) (void)r, ++results;
       std::printf("%d results\n", results);
     }},
    {"fork after the last run",
     [] {
       tell(plain(), collecting());
       in_child(start_in_child);
     }},
    {"fork before the first run", [] { in_child([] { tell(plain(), collecting()); }); }},
    {"fork with a global run",
     [] {
       global = std::make_unique<execution>(start(plain()));
       in_child([] { std::exit(3); });
       std::exit(7);
     }},
};

}  // namespace

int main(int, char** arguments) {
  ::alarm(60);
  cases.at(arguments[1])();
  std::fflush(stdout);
  return 0;
}
