#pragma once

#include <stop_token>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weir {

// A number of cores, as an argument: `run.predict("multiply", 2000, cores{8})`.
struct cores {
  constexpr explicit cores(int number) : count(number) {}
  int count;
};

// What one invocation may use: for boxes that start threads of their own (OpenMP, std::thread, a C library). They
// should be size() of them, the invoking thread included. Immutable; safe to read from many threads.
//
// The invoking thread is bound to cpus(), and threads that it starts inherit that. Threads that were there before do
// not: a pool, such as OpenMP's, keeps the cores of the invocation that made it when the grant has long changed. Each
// of them calls bind_this_thread() before it works.
class grant {
 public:
  grant(int count, std::vector<int> os_units, std::stop_token stop = {})
      : size_(count), os_units_(std::move(os_units)), stop_(std::move(stop)) {}

  int size() const { return size_; }  // cores of this invocation's lane, >= 1

  // The system's numbers of the processing units of those cores; empty on a synthetic machine, where nothing is bound.
  const std::vector<int>& cpus() const { return os_units_; }

  // Binds the calling thread to cpus(). Does nothing when it is bound so already, which costs a system call of a fifth
  // of a microsecond, or on a synthetic machine. False when the system refuses. With OpenMP, before the parallel work:
  //   #pragma omp parallel num_threads(given.size())
  //   given.bind_this_thread();
  // The next parallel region of as many threads, be it in a library, has the same threads: OpenMP 5.0, section 2.19.2,
  // promises that for threadprivate variables. The thread stays bound after the invocation.
  bool bind_this_thread() const;

  // Asks for a stop as soon as the run is stopping, by stop(), an error or its destruction, which wait for running
  // invocations: a box that may take long looks here and gives up, by an exception or with what it has.
  const std::stop_token& stop() const { return stop_; }

 private:
  int size_;
  std::vector<int> os_units_;
  std::stop_token stop_;
};

}  // namespace weir
