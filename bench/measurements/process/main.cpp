// The cost of a command, next to a process that is started and waited for by hand, and to xargs.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weir/process.hpp>
#include <weir/weir.hpp>

namespace {

extern "C" char** environ;

constexpr weir::tag number{"number"};

// Microseconds for each process.
struct cost {
  double wall, cpu;  // cpu: of this program and of its children
};

double cpu_seconds(int of) {
  rusage used{};
  getrusage(of, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

template <class F>
cost timed(int processes, const F& f) {
  const double cpu = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
  const auto before = std::chrono::steady_clock::now();
  f();
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return {1e6 * wall / processes, 1e6 * (cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN) - cpu) / processes};
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

// The cost of a copy of this process, with its page tables.
void by_fork(int processes, int lanes) {
  std::atomic<int> left{processes};
  std::vector<std::jthread> threads;
  for (int t = 0; t < lanes; ++t)
    threads.emplace_back([&] {
      while (left.fetch_sub(1) > 0) {
        const pid_t pid = fork();
        if (pid == 0) {
          execl("/bin/true", "/bin/true", nullptr);
          _exit(127);
        }
        int status = 0;
        if (waitpid(pid, &status, 0) != pid || status != 0) throw std::runtime_error("fork");
      }
    });
}

void by_weir(int processes, int lanes, bool is_blocking) {
  const auto plain = weir::command("true", weir::takes(number), weir::gives_none, {"/bin/true"});
  weir::execution run = weir::start(is_blocking ? plain.blocking(lanes) : plain.width(lanes), {.capacity = 256});
  for (int i = 0; i < processes; ++i) run.send(number = i);
  run.close();
  run.wait();
}

void by_xargs(int processes, int lanes) {
  const std::string line = fmt::format("seq {} | xargs -n 1 -P {} /bin/true", processes, lanes);
  if (std::system(line.c_str()) != 0) throw std::runtime_error(line);
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The cost of a command: /bin/true in several ways, in turn");
  int rounds = 15, processes = 400, memory = 0;
  std::vector<int> lanes{1, 2};
  app.add_option("--rounds", rounds, "of all ways in turn; medians are printed");
  app.add_option("--processes", processes, "of a round");
  app.add_option("--lanes", lanes, "processes at the same time");
  app.add_option("--memory", memory, "megabytes that this program has; then each way is measured without them, too");
  std::string only;
  app.add_option("--only", only, "the one way to measure, such as \"command\"");
  CLI11_PARSE(app, argc, argv);

  fmt::print("{} rounds of {} processes\n", rounds, processes);
  for (const int n : lanes) {
    std::map<std::string, std::vector<cost>> costs;
    const auto take = [&](const std::string& way, const std::string& with, const auto& f) {
      if (only.empty() || only == way) costs[way + with].push_back(timed(processes, f));
    };
    const auto take_all = [&](const std::string& with) {
      take("by hand", with, [&] { by_hand(processes, n); });
      take("command", with, [&] { by_weir(processes, n, false); });
      take("command, blocking", with, [&] { by_weir(processes, n, true); });
      if (memory > 0) take("fork", with, [&] { by_fork(processes, n); });
      if (memory == 0) take("xargs", with, [&] { by_xargs(processes, n); });
    };
    for (int r = 0; r < rounds; ++r) {
      take_all("");
      if (memory == 0) continue;
      const std::vector<char> held(static_cast<std::size_t>(memory) << 20, 1);  // touched
      take_all(fmt::format(", {} MB", held.size() >> 20));
    }
    const std::vector<cost>& base = costs[only.empty() ? "by hand" : only];
    for (const auto& [way, all] : costs) {
      std::vector<double> wall, cpu, wall_ratio, cpu_ratio;
      for (std::size_t r = 0; r < all.size(); ++r) {
        wall.push_back(all[r].wall), cpu.push_back(all[r].cpu);
        wall_ratio.push_back(all[r].wall / base[r].wall), cpu_ratio.push_back(all[r].cpu / base[r].cpu);
      }
      fmt::print("{} at a time, {:27}: {:5.0f} us, {:.3f} of by hand; {:5.0f} us of CPU, {:.3f}\n", n, way,
                 median(wall), median(wall_ratio), median(cpu), median(cpu_ratio));
    }
  }
}
