// What a command costs beside a process that is started and waited for by hand, and beside xargs.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>

namespace {

extern "C" char** environ;

constexpr weir::tag number{"number"};

// Seconds that f takes.
template <class F>
double timed(const F& f) {
  const auto before = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void by_hand(int processes, int lanes) {
  std::atomic<int> left{processes};
  std::vector<std::jthread> threads;
  for (int t = 0; t < lanes; ++t)
    threads.emplace_back([&] {
      while (left.fetch_sub(1) > 0) {
        char program[] = "/bin/true";
        char* const arguments[] = {program, nullptr};
        pid_t pid = 0;
        int status = 0;
        if (posix_spawn(&pid, program, nullptr, nullptr, arguments, environ) != 0 || waitpid(pid, &status, 0) != pid ||
            status != 0)
          throw std::runtime_error("posix_spawn");
      }
    });
}

void by_weir(int processes, int lanes, bool is_blocking) {
  const auto plain = weir::command("true", weir::takes(number), weir::gives_none, {"/bin/true"});
  weir::execution run = weir::start(is_blocking ? plain.blocking(lanes) : plain.width(lanes));
  for (int i = 0; i < processes; ++i) run.send(number = i);
  run.close();
  run.wait();
}

void by_xargs(int processes, int lanes) {
  const std::string line = fmt::format("seq {} | xargs -n 1 -P {} /bin/true", processes, lanes);
  if (std::system(line.c_str()) != 0) throw std::runtime_error(line);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What a command costs: seconds of /bin/true by three ways, in turn");
  int rounds = 15, processes = 400, memory = 0;
  std::vector<int> lanes{1, 2};
  app.add_option("--rounds", rounds, "of all ways in turn; medians are printed");
  app.add_option("--processes", processes, "of a round");
  app.add_option("--lanes", lanes, "processes at the same time");
  app.add_option("--memory", memory, "megabytes that this program has");
  CLI11_PARSE(app, argc, argv);

  std::vector<char> held(static_cast<std::size_t>(memory) << 20, 1);
  fmt::print("{} rounds of {} processes, {} MB\n", rounds, processes, held.size() >> 20);
  fmt::print("lanes  by hand   command  ratio   outside the cores  ratio   xargs  ratio of command\n");
  for (const int n : lanes) {
    std::vector<double> hand, cores, outside, xargs, ratio, ratio_outside, ratio_xargs;
    for (int r = 0; r < rounds; ++r) {
      const double one = 1e6 / processes;  // microseconds of a process
      hand.push_back(one * timed([&] { by_hand(processes, n); }));
      cores.push_back(one * timed([&] { by_weir(processes, n, false); }));
      outside.push_back(one * timed([&] { by_weir(processes, n, true); }));
      xargs.push_back(one * timed([&] { by_xargs(processes, n); }));
      ratio.push_back(cores.back() / hand.back());
      ratio_outside.push_back(outside.back() / hand.back());
      ratio_xargs.push_back(cores.back() / xargs.back());
    }
    const auto median = [](std::vector<double> all) {
      const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::nth_element(all.begin(), middle, all.end());
      return *middle;
    };
    fmt::print("{:5}  {:4.0f} us  {:4.0f} us  {:.3f}  {:4.0f} us  {:.3f}  {:4.0f} us  {:.3f}\n", n, median(hand),
               median(cores), median(ratio), median(outside), median(ratio_outside), median(xargs),
               median(ratio_xargs));
  }
}
