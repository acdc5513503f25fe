// The cost of a live page: the throughput of a run that one client watches, as a browser does, against the same run
// unwatched. One run goes on; in turn it is watched for some seconds, and not. The client takes each update, and all
// reports at the start of its turn and every ten seconds.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <weir/live.hpp>
#include <weir/weir.hpp>

#include "bench/support/bootstrap.hpp"
#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using weir::command::bootstrap_median;
using weir::command::quantile;

inline constexpr weir::tag n{"n"};

// So many dependent steps: a hundred take about 0.6 us on a core of 2.5 GHz.
std::int64_t steps(std::int64_t v, int count) {
  auto x = static_cast<std::uint64_t>(v) + 1;
  for (int i = 0; i < count; ++i) x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return static_cast<std::int64_t>(x >> 1);
}

weir::network a_chain(int boxes, int count) {
  const auto one = [&](int i) {
    return weir::box("box " + std::to_string(i), weir::takes(n), weir::gives(n),
                     [count](std::int64_t v) { return steps(v, count); });
  };
  weir::network all = one(0);
  for (int i = 1; i < boxes; ++i) all = all >> one(i);
  return all;
}

// CPU seconds of the live page's threads so far, of which the system counts hundredths.
double page_seconds() {
  double all = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream comm(task.path() / "comm"), schedstat(task.path() / "schedstat");
    std::string name;
    double nanoseconds = 0;
    if (std::getline(comm, name) && name == "weir-live" && schedstat >> nanoseconds) all += 1e-9 * nanoseconds;
  }
  return all;
}

double process_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

int connected(int port) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  const timeval soon{0, 100'000};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(s, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("live_cost: the page does not answer");
  return s;
}

void ask(int s, int port, const std::string& path) {
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  if (send(s, request.data(), request.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("live_cost: not sent");
}

// What a browser does, until `end`. Returns the bytes that came.
std::size_t watch(int port, clock_type::time_point end) {
  std::size_t bytes = 0;
  std::vector<char> piece(65536);
  const int events = connected(port);
  ask(events, port, "/events");
  for (auto whole = clock_type::now(); clock_type::now() < end;) {
    if (clock_type::now() >= whole) {
      whole += 10s;
      const int all = connected(port);
      ask(all, port, "/report.json");
      for (ssize_t got; (got = recv(all, piece.data(), piece.size(), 0)) > 0;) bytes += static_cast<std::size_t>(got);
      close(all);
    }
    if (const ssize_t got = recv(events, piece.data(), piece.size(), 0); got > 0)
      bytes += static_cast<std::size_t>(got);
  }
  close(events);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  int boxes = 3, pairs = 30, count = 8000;
  double window = 10;
  bool as_json = false;
  CLI::App app{"The cost of a live page: throughput while one client watches, against the same run unwatched."};
  app.add_option("--boxes", boxes, "boxes of the chain")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--steps", count, "work of a box; 8000 take about 50 us")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--pairs", pairs, "times that it is watched")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seconds", window, "of each turn")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--json", as_json, "for programs");
  CLI11_PARSE(app, argc, argv);

  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> results{0};
  weir::execution run = weir::start(a_chain(boxes, count));
  weir::live_options o;
  o.port = 0;
  const weir::live_page page(run, o);
  std::thread sender([&] {
    for (std::int64_t i = 0; !is_over.load(std::memory_order_relaxed); ++i) run.send(n = i);
    run.close();
  });
  std::thread reader([&] {
    for (const weir::record& r : run) results.fetch_add(r.contains(n), std::memory_order_relaxed);
  });

  const auto seconds = std::chrono::duration_cast<clock_type::duration>(std::chrono::duration<double>(window));
  std::size_t bytes = 0;
  struct rates {
    double by_time = 0, by_cpu_time = 0;  // records a second, and a CPU second of the process, client included
  };
  const auto rate = [&](bool is_watched) -> rates {
    const auto begin = clock_type::now();
    const double cpu_before = process_seconds();
    const std::uint64_t before = results.load();
    if (is_watched)
      bytes += watch(page.port(), begin + seconds);
    else
      std::this_thread::sleep_until(begin + seconds);
    const auto records = static_cast<double>(results.load() - before);
    return {records / std::chrono::duration<double>(clock_type::now() - begin).count(),
            records / (process_seconds() - cpu_before)};
  };
  rate(false);  // the allotment settles
  std::vector<double> watched, unwatched, lost, lost_by_cpu_time, page_percent;
  for (int i = 0; i < pairs; ++i) {
    // Each is first in turn.
    rates with, without;
    for (const bool is_watched : {i % 2 == 0, i % 2 != 0}) {
      const double before = page_seconds();
      (is_watched ? with : without) = rate(is_watched);
      if (is_watched) page_percent.push_back(100 * (page_seconds() - before) / window);
    }
    watched.push_back(with.by_time);
    unwatched.push_back(without.by_time);
    lost.push_back(100 * (1 - with.by_time / without.by_time));
    lost_by_cpu_time.push_back(100 * (1 - with.by_cpu_time / without.by_cpu_time));
  }
  is_over = true;
  sender.join();
  reader.join();

  if (as_json) {
    const nlohmann::ordered_json j{{"processor", weir::command::processor_name()},
                                   {"build", weir::command::build_type()},
                                   {"boxes", boxes},
                                   {"pairs", pairs},
                                   {"seconds", window},
                                   {"watched", watched},
                                   {"unwatched", unwatched},
                                   {"lost_percent", lost},
                                   {"lost_percent_by_cpu_time", lost_by_cpu_time},
                                   {"page_percent_of_a_core", page_percent},
                                   {"bytes_per_second", static_cast<double>(bytes) / (window * pairs)}};
    fmt::print("{}\n", j.dump());
    return 0;
  }
  fmt::print("{}, {} build, {} boxes, {} pairs of {} s\n", weir::command::processor_name(), weir::command::build_type(),
             boxes, pairs, window);
  fmt::print("unwatched          {:.1f} records/s\n", quantile(unwatched, .5));
  fmt::print("watched            {:.1f} records/s\n", quantile(watched, .5));
  for (const auto& [what, values] : {std::pair{"lost", lost}, {"lost, by CPU time", lost_by_cpu_time}}) {
    const auto of = bootstrap_median(values);
    fmt::print("{:<18} {:.2f} % (95 %: {:.2f} to {:.2f}; quartiles {:.2f} and {:.2f})\n", what, of.median, of.low,
               of.high, quantile(values, .25), quantile(values, .75));
  }
  fmt::print("page's threads     {:.3f} % of a core\n", quantile(page_percent, .5));
  fmt::print("sent               {:.1f} KB/s\n", 1e-3 * static_cast<double>(bytes) / (window * pairs));
}
