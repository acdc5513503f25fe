#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

namespace [[gnu::visibility("default")]] weir {
class resource;

// A number of cores as an argument: `run.predict("multiply", 2000, cores{8})`.
struct cores {
  constexpr explicit cores(int number) : count(number) {}  // of any number: who takes cores checks it
  int count;                                               // how many
};

// The cores that one invocation may use. It is for boxes that start threads of their own (OpenMP, std::thread, a C
// library): their callable takes a leading `const grant&`. There should be size() such threads, the invoking one
// included. oneTBB needs no grant. Immutable; any thread may read it during the invocation.
//
// The invoking thread is bound to cpus(), and threads that it starts inherit that. Threads that existed before do not.
// The threads of a pool, such as OpenMP's, keep the cores of the invocation that made the pool, even when the grant has
// changed. Each of them should call bind_this_thread() before it works; openmp() sees to that.
class grant {
 public:
  // For the runtime, and for tests of boxes: `count` cores with these processing units.
  // `all_units`: those of the process; `kind`: of the slowest core.
  grant(int count, std::vector<int> os_units, std::stop_token stop = {},
        std::shared_ptr<const std::vector<int>> all_units = nullptr, int kind = 0)
      : size_(count),
        kind_(kind),
        os_units_(std::move(os_units)),
        all_units_(std::move(all_units)),
        stop_(std::move(stop)) {}

  int size() const { return size_; }  // cores of this invocation's lane, >= 1

  // The kind of the slowest of these cores, where the machine has several: 0 is its fastest one (topology::kinds()).
  int kind() const { return kind_; }

  // The operating system's numbers of the processing units of these cores. Empty on a synthetic machine, where nothing
  // is bound.
  const std::vector<int>& cpus() const { return os_units_; }

  // Binds the calling thread to cpus(), also beyond the end of the invocation. With OpenMP, before the parallel work:
  //
  //   #pragma omp parallel num_threads(given.size())
  //   given.bind_this_thread();
  //
  // The next parallel region with as many threads has the same threads, even in a library: OpenMP 5.0, section 2.19.2,
  // promises that for threadprivate variables.
  //
  // Does nothing on a synthetic machine, or when the thread is bound so already; finding out costs a system call of 0.2
  // us. False when the system refuses.
  bool bind_this_thread() const;

  // Calls f() under a limit of size() OpenMP threads, all bound to cpus(): parallel regions inside f never have more,
  // those of libraries and those with a fixed num_threads(8) included. Returns what f returns. Each invocation binds
  // its threads anew, since its grant may have changed. It is defined in <weir/openmp.hpp>.
  //
  //   box("filter", takes(image), gives(clean),
  //       [](const grant& given, const Image& i) { return given.openmp([&] { return denoise(i); }); });
  template <class F>
  auto openmp(F&& f) const;

  // Calls f() while the calling thread may run on all cores of the process, and returns what f returns. A child
  // process or thread that f starts inherits these cores, instead of those of the invocation. Afterwards the calling
  // thread is bound as before. Nothing is bound on a synthetic machine.
  //
  //   box("pack", takes(file), gives(archive), [](const grant& given, const std::string& f) {
  //     return given.unbound([&] { return run_in_shell("xz -T0 " + f); });
  //   });
  template <class F>
  auto unbound(F&& f) const {
    const wide_binding meanwhile(*this);
    return std::forward<F>(f)();
  }

  // Requests a stop as soon as the run is stopping: by execution::stop(), by an error, or because the execution is
  // destroyed. A run does not end before its running invocations have. A box that may take long should therefore check
  // this token, and then throw or return early.
  const std::stop_token& stop() const { return stop_; }

  // Says how much of a resource the invocation has used at most, for box_network::needs(of, learnt). The largest
  // amount of an invocation counts. Only the invoking thread may call it. False, and without effect: the
  // box learns no need of this resource, the amount is below 0, or another thread calls.
  //
  //   box("decode", takes(file), gives(image), [](const grant& given, const path& f) {
  //     image i = decode(f);
  //     given.used(memory, i.bytes() + i.bytes_of_tables());
  //     return i;
  //   }).needs(memory, learnt)
  bool used(const resource& of, std::int64_t amount) const;

 private:
  class wide_binding {
   public:
    explicit wide_binding(const grant& of);
    ~wide_binding();
    wide_binding(const wide_binding&) = delete;

   private:
    std::vector<int> before_;  // empty: it was not changed
  };

  int size_, kind_;
  std::vector<int> os_units_;
  std::shared_ptr<const std::vector<int>> all_units_;
  std::stop_token stop_;
};

}  // namespace weir
