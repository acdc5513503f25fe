#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

// A run in a process that may have only some MiB more than at its start: little_memory_test runs this program with
// their number. It ends with 0 when each record came out or failed, or when the run ended by an error.
using namespace weir;

namespace {

constexpr tag n{"n"}, k{"k"};
constexpr field<std::string> text{"text"};
constexpr std::size_t records = 200;

void limit_memory(std::uint64_t more_bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit most{bytes, bytes};
  setrlimit(RLIMIT_AS, &most);
}

// Threads of the shared group and of a blocking box, cores of a component's own, and results that are kept.
bool is_accounted_for(const machine& here) try {
  const auto lasts = [](std::int64_t v) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < until) {
    }
    return v;
  };
  const auto waits = box("waits", takes(n), gives(n), [](std::int64_t v) { return v; }).blocking(8);
  const auto writes = box("writes", takes(n), gives(text), [](std::int64_t) { return std::string(100'000, 'x'); });
  options o;
  o.machine = here;
  o.on_error = on_error::collect;
  execution run = start(ordered(split(box("lasts", takes(n), gives(n), lasts) >> waits >> writes, k)), o);
  for (std::size_t i = 0; i < records; ++i) run.send(n = std::int64_t(i), k = std::int64_t(i % 10));
  run.close();
  std::vector<record> kept;
  for (const record& r : run) kept.push_back(r);
  return kept.size() + run.report().failed == records;
} catch (const run_error&) {
  return true;
} catch (const std::bad_alloc&) {
  return true;
}

}  // namespace

int main(int, char** arguments) {
  spdlog::create<spdlog::sinks::null_sink_mt>("weir");  // spdlog does not write lines without memory
  const machine here = machine::local();                // nor does hwloc read a computer
  limit_memory(std::stoull(arguments[1]) << 20);
  bool is_right = true;
  try {  // on a thread, since the stack of the main thread would have to grow
    std::thread([&] { is_right = is_accounted_for(here); }).join();
  } catch (const std::system_error&) {  // no thread
  }
  _exit(is_right ? 0 : 1);  // nothing else runs at the end, where there may be no memory
}
