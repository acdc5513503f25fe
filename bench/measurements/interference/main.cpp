// How much kernels slow each other down, measured and as interference_model predicts it.

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/measurements/interference/kernels.hpp"
#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"
#include "model/weir/interference_model.hpp"

namespace {

using namespace weir;
using clock_type = std::chrono::steady_clock;

constexpr std::size_t n = program::kernel_names.size(), alone_at = n;

struct choices {
  int trials = 5, rounds = 12;
  double seconds = 0.04;         // of a window, in which a kernel runs next to copies of one other or alone
  std::vector<int> cores{0, 1};  // of the kernel that is measured, then of copies of its neighbour
  std::size_t mebibytes = 384;
};

// The seconds of one kernel's invocation next to each neighbour: [kernel][neighbour], the last one is no neighbour.
using windows = std::array<std::array<std::vector<double>, n + 1>, n>;
using slowdowns = std::array<std::array<double, n>, n>;

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) {
    fmt::print(stderr, "interference: no thread may run on core {}\n", core);
    std::exit(2);
  }
}

// The median invocation of a window. All neighbours have run once before it begins.
double median_seconds(const std::function<void()>& kernel, const std::vector<std::function<void()>>& neighbours,
                      const choices& how) {
  std::atomic<std::size_t> running = 0;
  std::atomic<bool> ends = false;
  std::vector<std::thread> others;
  for (std::size_t k = 0; k < neighbours.size(); ++k)
    others.emplace_back([&, k] {
      pin(how.cores[k + 1]);
      neighbours[k]();
      ++running;
      while (!ends) neighbours[k]();
    });
  while (running < neighbours.size()) std::this_thread::yield();
  kernel();
  std::vector<double> seconds;
  const auto begin = clock_type::now();
  for (auto from = begin; from - begin < std::chrono::duration<double>(how.seconds);) {
    kernel();
    const auto now = clock_type::now();
    seconds.push_back(std::chrono::duration<double>(now - from).count());
    from = now;
  }
  ends = true;
  for (std::thread& other : others) other.join();
  return program::quantile(seconds, 0.5);
}

windows measured(const choices& how, std::mt19937& random) {
  std::vector<std::function<void()>> own;
  std::array<std::vector<std::function<void()>>, n + 1> others;  // by kernel; the last has none
  for (std::size_t i = 0; i < n; ++i) {
    own.push_back(program::make_kernel(i, how.mebibytes << 20));
    for (std::size_t k = 1; k < how.cores.size(); ++k)
      others[i].push_back(program::make_kernel(i, how.mebibytes << 20));
  }
  std::vector<std::size_t> order(n * (n + 1));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  windows result;
  for (int round = 0; round < how.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t k : order) {
      const std::size_t i = k / (n + 1), j = k % (n + 1);
      result[i][j].push_back(median_seconds(own[i], others[j], how));
    }
  }
  return result;
}

// Learns from all windows but those of kernel `left_out` next to `neighbour`.
interference_model learnt(const windows& seen, double cores, std::size_t left_out, std::size_t neighbour) {
  interference_model model(static_cast<int>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const double alone = program::quantile(seen[i][alone_at], 0.5);
    for (std::size_t j = 0; j <= n; ++j) {
      std::array<double, n> running{};
      if (j != alone_at) running[j] = cores;
      if (i == left_out && j == neighbour) continue;
      for (double seconds : seen[i][j]) model.observe(static_cast<int>(i), seconds / alone, running);
    }
  }
  model.fit();
  return model;
}

double predicted(const interference_model& by, double cores, std::size_t kernel, std::size_t neighbour) {
  std::array<double, n> running{};
  running[neighbour] = cores;
  return by.slowdown(static_cast<int>(kernel), running);
}

struct trial {
  slowdowns seen{}, from_all{}, from_others{};
};

trial one_trial(const windows& seen, double cores) {
  trial t;
  const interference_model all = learnt(seen, cores, n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      t.seen[i][j] = program::quantile(seen[i][j], 0.5) / program::quantile(seen[i][alone_at], 0.5);
      t.from_all[i][j] = predicted(all, cores, i, j);
      t.from_others[i][j] = predicted(learnt(seen, cores, i, j), cores, i, j);
    }
  return t;
}

std::string spread(const std::vector<trial>& all, slowdowns trial::*of, std::size_t i, std::size_t j) {
  std::vector<double> values;
  for (const trial& t : all) values.push_back((t.*of)[i][j]);
  return fmt::format("{:5.2f} ({:.2f}..{:.2f})", program::quantile(values, 0.5), program::quantile(values, 0),
                     program::quantile(values, 1));
}

void print_errors(const char* which, const std::vector<trial>& all, slowdowns trial::*of) {
  std::vector<double> of_time;
  for (const trial& t : all)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) of_time.push_back(std::abs((t.*of)[i][j] / t.seen[i][j] - 1));
  fmt::print("error of times, {}: median {:.1f} %, 90 % within {:.1f} %, most {:.1f} %\n", which,
             100 * program::quantile(of_time, 0.5), 100 * program::quantile(of_time, 0.9),
             100 * program::quantile(of_time, 1));
}

}  // namespace

int main(int argc, char** argv) {
  choices how;
  CLI::App app("How much kernels slow each other down, measured and predicted.");
  app.add_option("--trials", how.trials, "repetitions of everything")->check(CLI::Range(1, 1000));
  app.add_option("--rounds", how.rounds, "windows of each pair in a trial; the model keeps 64 of a kernel")
      ->check(CLI::Range(2, 1000));
  app.add_option("--seconds", how.seconds, "of a window")->check(CLI::Range(0.001, 60.0));
  app.add_option("--cores", how.cores, "that of the kernel that is measured, then those of copies of its neighbour")
      ->delimiter(',')
      ->expected(2, 1024)
      ->check(CLI::Range(0, 1023));
  app.add_option("--mebibytes", how.mebibytes, "of a kernel that is to miss all caches")
      ->check(CLI::Range(std::size_t{4}, std::size_t{1} << 20));
  CLI11_PARSE(app, argc, argv);
  pin(how.cores[0]);
  std::mt19937 random(1);
  std::vector<trial> all;
  std::vector<double> scatter;  // of times alone: the distance of quarters over the median
  for (int k = 0; k < how.trials; ++k) {
    const windows seen = measured(how, random);
    all.push_back(one_trial(seen, static_cast<double>(how.cores.size() - 1)));
    for (const auto& of : seen) {
      const double middle = program::quantile(of[alone_at], 0.5);
      scatter.push_back((program::quantile(of[alone_at], 0.75) - program::quantile(of[alone_at], 0.25)) / middle);
    }
  }
  fmt::print("{}, {} build; cores of neighbours: {}; {} trials of {} rounds; {} MiB\n", program::processor_name(),
             program::build_type(), how.cores.size() - 1, how.trials, how.rounds, how.mebibytes);
  fmt::print("slowdowns, medians over trials (least..most)\n{:8} {:11} {:>19} {:>19} {:>19}\n", "kernel", "next to",
             "measured", "learnt with it", "learnt without it");
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      fmt::print("{:8} {:11} {:>19} {:>19} {:>19}\n", program::kernel_names[i], program::kernel_names[j],
                 spread(all, &trial::seen, i, j), spread(all, &trial::from_all, i, j),
                 spread(all, &trial::from_others, i, j));
  print_errors("learnt with the pair", all, &trial::from_all);
  print_errors("learnt without it", all, &trial::from_others);
  fmt::print("times alone within a trial: quarters {:.1f} % apart (median), {:.1f} % at most\n",
             100 * program::quantile(scatter, 0.5), 100 * program::quantile(scatter, 1));
}
