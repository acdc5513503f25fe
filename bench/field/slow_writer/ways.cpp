#include "bench/field/slow_writer/ways.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include <weir/weir.hpp>

#include "components/emulated.hpp"

namespace weir::field_bench::slow_writer {
namespace {

using clock_type = std::chrono::steady_clock;

std::atomic<std::int64_t> alive_bytes{0}, peak_bytes{0};

// The bytes of an event, every page of which is written.
class event {
 public:
  explicit event(std::size_t bytes) : data_(bytes, 1) {
    const std::int64_t now = alive_bytes += static_cast<std::int64_t>(bytes);
    for (std::int64_t seen = peak_bytes; seen < now && !peak_bytes.compare_exchange_weak(seen, now);) {
    }
  }
  ~event() { alive_bytes -= static_cast<std::int64_t>(data_.size()); }
  event(const event&) = delete;
  std::size_t size() const { return data_.size(); }

 private:
  std::vector<char> data_;
};
using held = std::shared_ptr<const event>;

double resident_mb() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

void sleep_for(double seconds) { components::emulate({{seconds}, 0}, 0, 1); }

constexpr field<held> raw{"raw"}, done{"done"};

// How many were written, and the report of the run.
std::pair<int, run_report> by_weir(const setting& what, std::size_t most_events, std::uint64_t most_bytes) {
  std::atomic<int> written{0};
  const auto make = source("make", gives(raw), [&](emitter& emit) {
    for (int i = 0; i < what.events; ++i) emit(raw = std::make_shared<const event>(what.event_bytes));
  });
  const auto work = box("work", takes(raw), gives(done),
                        [&](const held& e) {
                          sleep_for(what.work_seconds);
                          return e;
                        })
                        .sequential()
                        .width(what.workers);
  const auto write = box("write", takes(done), gives_none,
                         [&](const held&) {
                           sleep_for(what.write_seconds);
                           ++written;
                         })
                         .sequential()
                         .width(what.writers);
  options how;
  how.machine = machine::synthetic(fmt::format("core:{} pu:1", what.workers + what.writers));
  how.learn_from = measured_time::wall;
  how.max_in_flight = most_events;
  how.max_bytes_in_flight = most_bytes;
  if (most_bytes > 0)
    how.record_bytes = [](const record& r) {
      return static_cast<std::uint64_t>(r.contains(raw) ? r[raw]->size() : r.contains(done) ? r[done]->size() : 0);
    };
  execution run = start(make >> work >> write, how);
  run.wait();
  return {written, run.report()};
}

// Events enter as fast as they are made, unless a limiter holds them back.
int by_flow_graph(const setting& what, bool has_limiter) {
  namespace flow = tbb::flow;
  std::atomic<int> written{0};
  int next = 0;
  flow::graph g;
  flow::input_node<held> make(g, [&](tbb::flow_control& control) -> held {
    if (next++ < what.events) return std::make_shared<const event>(what.event_bytes);
    control.stop();
    return nullptr;
  });
  flow::limiter_node<held> limiter(g, static_cast<std::size_t>(what.most_in_flight));
  flow::function_node<held, held> work(g, static_cast<std::size_t>(what.workers), [&](const held& e) {
    sleep_for(what.work_seconds);
    return e;
  });
  flow::function_node<held, flow::continue_msg> write(g, static_cast<std::size_t>(what.writers), [&](const held&) {
    sleep_for(what.write_seconds);
    ++written;
    return flow::continue_msg();
  });
  if (has_limiter) {
    flow::make_edge(make, limiter);
    flow::make_edge(limiter, work);
    flow::make_edge(write, limiter.decrementer());
  } else {
    flow::make_edge(make, work);
  }
  flow::make_edge(work, write);
  make.activate();
  g.wait_for_all();
  return written;
}

// A filter has no concurrency of its own, so as many tokens as writers are what keeps to four.
int by_pipeline(const setting& what) {
  std::atomic<int> written{0};
  int next = 0;
  const auto make = tbb::make_filter<void, held>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& c) -> held {
    if (next++ < what.events) return std::make_shared<const event>(what.event_bytes);
    c.stop();
    return nullptr;
  });
  const auto work = tbb::make_filter<held, held>(tbb::filter_mode::parallel, [&](const held& e) {
    sleep_for(what.work_seconds);
    return e;
  });
  const auto write = tbb::make_filter<held, void>(tbb::filter_mode::parallel, [&](const held&) {
    sleep_for(what.write_seconds);
    ++written;
  });
  tbb::parallel_pipeline(static_cast<std::size_t>(what.writers), make & work & write);
  return written;
}

// oneTBB with a thread for each concurrent invocation, however few cores there are.
template <class Work>
int in_arena(const setting& what, Work work) {
  const int threads = what.workers + what.writers;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute(work);
}

int written_by(const std::string& name, const setting& what) {
  const auto most = static_cast<std::size_t>(what.most_in_flight);
  if (name == "weir") return by_weir(what, 0, 0).first;
  if (name == "weir max_in_flight") return by_weir(what, most, 0).first;
  if (name == "weir max_bytes_in_flight") return by_weir(what, 0, most * what.event_bytes).first;
  if (name == "flow graph") return in_arena(what, [&] { return by_flow_graph(what, false); });
  if (name == "flow graph limiter") return in_arena(what, [&] { return by_flow_graph(what, true); });
  if (name == "pipeline") return in_arena(what, [&] { return by_pipeline(what); });
  throw std::invalid_argument(fmt::format("\"{}\" is none of {}", name, fmt::join(way_names(), ", ")));
}

}  // namespace

std::vector<std::string> way_names() {
  return {"weir", "weir max_in_flight", "weir max_bytes_in_flight", "flow graph", "flow graph limiter", "pipeline"};
}

outcome run_here(const std::string& name, const setting& what) {
  alive_bytes = peak_bytes = 0;
  outcome seen;
  std::vector<double> samples;
  const auto begin = clock_type::now();
  {
    const std::jthread sampler([&](const std::stop_token& stop) {
      do {  // at least one sample, however late this thread begins
        samples.push_back(resident_mb());
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      } while (!stop.stop_requested());
    });
    seen.written = written_by(name, what);
  }
  seen.seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
  seen.peak_mb = static_cast<double>(peak_bytes) / 1e6;
  seen.peak_resident_mb = *std::max_element(samples.begin(), samples.end());
  for (std::size_t i = 1; i <= 10; ++i) seen.resident_mb.push_back(samples[(samples.size() - 1) * i / 10]);
  return seen;
}

outcome run_alone(const std::string& name, const setting& what) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  std::vector<double> numbers(14, 0);
  const auto bytes = static_cast<ssize_t>(numbers.size() * sizeof(double));
  if (child == 0) {
    const outcome seen = run_here(name, what);
    numbers = {static_cast<double>(seen.written), seen.seconds, seen.peak_mb, seen.peak_resident_mb};
    numbers.insert(numbers.end(), seen.resident_mb.begin(), seen.resident_mb.end());
    _exit(write(ends[1], numbers.data(), static_cast<std::size_t>(bytes)) == bytes ? 0 : 1);
  }
  close(ends[1]);
  const ssize_t got = read(ends[0], numbers.data(), static_cast<std::size_t>(bytes));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (got != bytes || status != 0) throw std::runtime_error("the process of \"" + name + "\" failed");
  return {static_cast<int>(numbers[0]), numbers[1], numbers[2], numbers[3], {numbers.begin() + 4, numbers.end()}};
}

std::string weir_report(const setting& what) {
  return by_weir(what, static_cast<std::size_t>(what.most_in_flight), 0).second.json();
}

}  // namespace weir::field_bench::slow_writer
