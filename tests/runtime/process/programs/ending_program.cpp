// ending_program WAY COUNT: a run of workers and commands, which start processes of their own. It writes a byte for
// each result, and ends in this way behind COUNT of them.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include <weir/process.hpp>
#include <weir/weir.hpp>

namespace {

using namespace weir;
using namespace std::chrono_literals;

constexpr tag n{"n"}, by_command{"by_command"};

[[noreturn]] void stay() {
  for (;;) pause();
}

// As a daemon does it.
void leave_a_daemon() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  umask(0);
  if (chdir("/") != 0) _exit(1);
  for (int i = 0; i < 64; ++i) close(i);
  stay();
}

std::int64_t work(std::int64_t v) {
  if (v % 40 == 3 && fork() == 0) stay();
  if (v % 40 == 13) leave_a_daemon();
  if (v % 40 == 23) std::abort();
  return v;
}

constexpr const char* script =
    "case $(($1 % 10)) in 1) setsid sleep 1000 & ;; 4) sleep 1000 & ;; 7) (trap '' TERM HUP; sleep 1000) & ;; esac; "
    "echo $1 > $2; echo $1";

constexpr field<scratch_file> file{"file"};

network all() {
  const auto worker = isolated(box("work", takes(n), gives(n), &work));
  const auto process = command("script", takes(n, by_command), gives(n, file), {"sh", "-c", script, "sh", n, out(file)})
                           .output(n)
                           .blocking(3);
  return worker.blocking(3) | process;
}

void end(const std::string& way, execution& run) {
  if (way == "exit") std::exit(0);
  if (way == "quick_exit") std::quick_exit(0);
  if (way == "_exit") _exit(0);
  if (way == "abort") std::abort();
  if (way == "exec") execlp("true", "true", nullptr);
  if (way == "stop") run.stop();
  if (way == "throw") throw std::runtime_error("the end");
}

}  // namespace

int main(int, char** argv) {
  host(box("work", takes(n), gives(n), &work));
  const std::string way = argv[1];
  int left = std::atoi(argv[2]);
  const network net = all();
  options o;
  o.on_error = on_error::collect;
  execution run = start(net, o);
  std::thread sender([&] {
    try {
      for (std::int64_t i = 0;; ++i) {
        if (i % 2)
          run.send(n = i / 2, by_command = 1);
        else
          run.send(n = i / 2);
      }
    } catch (const run_error&) {
    }
  });
  sender.detach();
  for (auto result = run.begin(); result != run.end(); ++result) {
    if (write(STDOUT_FILENO, ".", 1) != 1 || left-- > 0) continue;
    end(way, run);
    if (way == "return") return 0;
  }
}
