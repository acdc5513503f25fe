#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <weir/weir.hpp>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/eventually.hpp"

// The threads that a library uses in a box, by the kernel's counts for each thread of the process. A sleeping thread of
// a pool is scheduled when it is given work, and not before. So a function used the threads that the kernel scheduled
// while it ran. No clock is involved.
namespace weir::testing {

struct seen_thread {
  int id = 0;
  std::vector<int> affinity;
};

// The cores that `thread` may run on; 0 is the calling thread.
inline std::vector<int> affinity_of(int thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cpus;
  if (sched_getaffinity(thread, sizeof mask, &mask) != 0) return cpus;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &mask)) cpus.push_back(i);
  return cpus;
}

class library_threads {
 public:
  // REQUIRES: the process has no run yet. Threads that it has besides the caller are the library's, as OpenBLAS starts
  // them when it is loaded.
  library_threads() {
    for (const auto& [id, times] : times_scheduled())
      if (id != gettid()) pool_.push_back(id);
  }

  // Runs f. Returns the calling thread, the library's threads that the kernel scheduled meanwhile, and new threads with
  // the calling thread's name. A thread inherits the name of the thread that starts it, so these are the library's from
  // now on. The runtime, too, may start a thread meanwhile.
  std::vector<seen_thread> used_by(const std::function<void()>& f) {
    EXPECT_TRUE(eventually([&] {
      return std::all_of(pool_.begin(), pool_.end(), [](int id) { return state(id) != 'R'; });
    })) << "threads of the library did not go to sleep after earlier work";
    const std::map<int, std::uint64_t> before = times_scheduled();
    f();
    const std::map<int, std::uint64_t> after = times_scheduled();

    std::vector<seen_thread> used{{gettid(), affinity_of(0)}};
    for (const auto& [id, times] : after) {
      const auto found = before.find(id);
      if (found == before.end() && name(id) == name(gettid())) pool_.push_back(id);
      const bool is_pool = std::find(pool_.begin(), pool_.end(), id) != pool_.end();
      if (is_pool && id != gettid() && (found == before.end() || found->second != times))
        used.push_back({id, affinity_of(id)});
    }
    return used;
  }

 private:
  static std::filesystem::path task(int id) { return "/proc/self/task/" + std::to_string(id); }

  // By thread. A thread that has ended meanwhile leaves nothing to read.
  static std::map<int, std::uint64_t> times_scheduled() {
    std::map<int, std::uint64_t> result;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(each.path() / "schedstat");
      std::uint64_t on_cpu = 0, waited = 0, times = 0;
      if (file >> on_cpu >> waited >> times) result[std::stoi(each.path().filename())] = times;
    }
    return result;
  }

  static std::string name(int id) {
    std::ifstream file(task(id) / "comm");
    std::string line;
    std::getline(file, line);
    return line;
  }

  static char state(int id) {
    std::ifstream file(task(id) / "stat");
    file.ignore(std::numeric_limits<std::streamsize>::max(), ')');
    char letter = 'X';
    file >> letter;
    return letter;
  }

  std::vector<int> pool_;
};

// The work of a box's invocations.
struct box_use {
  std::size_t most_threads = 0;
  int beyond = 0;   // invocations that used more threads than granted
  int outside = 0;  // threads that may run on a core that was not granted
};

// Sends `records` records, one invocation at a time, to a network of one box that has `cores` cores of this machine for
// itself.
inline box_use use_in_a_box(library_threads& threads, int cores, int records,
                            const std::function<void(const grant&)>& body) {
  box_use result;
  options o;
  o.policy = fixed_shares{{"f", cores}};
  execution run = start(box("f", takes(n), gives(n),
                            [&](const grant& given, std::int64_t value) {
                              EXPECT_EQ(given.size(), cores);
                              if (value < 0) return value;  // the runtime's own threads come with these
                              const std::vector<seen_thread> used = threads.used_by([&] { body(given); });
                              result.most_threads = std::max(result.most_threads, used.size());
                              if (used.size() > static_cast<std::size_t>(given.size())) ++result.beyond;
                              for (const seen_thread& each : used)
                                for (const int cpu : each.affinity)
                                  if (std::find(given.cpus().begin(), given.cpus().end(), cpu) == given.cpus().end()) {
                                    ++result.outside;
                                    break;
                                  }
                              return value;
                            })
                            .serial(),
                        o);
  for (int i = -20; i < records; ++i) run.send(n = i);
  run.close();
  for (const record& r : run) static_cast<void>(r);
  return result;
}

}  // namespace weir::testing

// Skips the test where a grant cannot be smaller than the machine, or where the system does not bind or count threads.
#define WEIR_NEEDS_TWO_CORES()                                                                             \
  if (weir::machine::local().size() < 2) GTEST_SKIP() << "one core: no grant is smaller than the machine"; \
  if (!std::ifstream("/proc/self/schedstat").is_open()) GTEST_SKIP() << "this kernel does not count schedulings"
