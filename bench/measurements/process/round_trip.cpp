// round_trip: a call of a box in another process against the same by hand, in turns. Without an argument it prints
// medians and their ratios; `round_trip worker` is the worker that it starts.
//
// `small`: an integer there and back, as a worker of weir does it and over a socket pair by hand; and by Python's
// ProcessPoolExecutor with one process. `large`: 64 MB of doubles there and back, which both sides read, against one
// memcpy each way and the same reads: as a std::vector, and as a shared_array.

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/process.hpp>
#include <weir/weir.hpp>
#include "bench/support/quantile.hpp"
#include "runtime/process/worker_lane.hpp"
#include "runtime/process/worker_plan.hpp"

namespace {

using namespace weir;
using clock_of = std::chrono::steady_clock;

inline constexpr tag n{"n"};
inline constexpr field<std::vector<double>> numbers{"numbers"};
inline constexpr field<shared_array<double>> shared{"shared"};

constexpr int rounds = 21;
constexpr int calls_in_a_round = 500;
constexpr int large_in_a_round = 3;
constexpr std::size_t large_numbers = 8 << 20;

double since(clock_of::time_point begin) { return std::chrono::duration<double>(clock_of::now() - begin).count(); }

auto successor() {
  return box("successor", takes(n), gives(n), [](std::int64_t x) { return x + 1; });
}
double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum;
}
void use(double sum) { asm volatile("" : : "x"(sum)); }

auto same_vector() {
  return box("same_vector", takes(numbers), gives(numbers), [](std::vector<double>&& v) {
    use(sum_of(v));
    return std::move(v);
  });
}
auto same_array() {
  return box("same_array", takes(shared), gives(shared), [](const shared_array<double>& a) {
    use(sum_of(a.values()));
    return a;
  });
}

// Where the results of a call go.
class sink final : public detail::emission {
 public:
  detail::record_body* build(const detail::labelled_word* words, std::size_t count) override {
    return detail::body_of(words, count);
  }
  void deliver(detail::record_body* body) override {
    const record came = record::adopt(body);
    if (came.contains(numbers)) use(sum_of(came[numbers]));
    if (came.contains(shared)) use(sum_of(came[shared].values()));
  }
  emitter& open() override { std::abort(); }
  std::stop_token stop() const override { return {}; }
};

// A lane of a worker that this program is, which a run would keep.
class called {
 public:
  explicit called(const network& box)
      : name_(detail::spec_of(box).name), box_(name_, detail::processes::wire_labels(detail::spec_of(box)), plan()) {}

  void operator()(const record& input) {
    detail::record_body* const body = const_cast<detail::record_body*>(input.body());
    const std::uint32_t at = detail::record_body::offset_of(0);
    detail::invocation i{body, &at, nullptr, 0, &granted_, &sink_};
    lane_.call(box_, {&i, 1});
  }

 private:
  static detail::processes::worker_plan plan() {
    detail::processes::worker_plan p;
    p.arguments = {"/proc/self/exe", "worker"};
    return p;
  }

  const std::string name_;
  const detail::processes::worker_box box_;
  const grant granted_{1, {}};
  sink sink_;
  detail::processes::worker_lane lane_;
};

// A process that sends the same back.
class echo_by_hand {
 public:
  echo_by_hand() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::abort();
    if (fork() == 0) {
      close(ends[0]);
      std::int64_t value = 0;
      while (read(ends[1], &value, sizeof(value)) == sizeof(value) && write(ends[1], &value, sizeof(value)) > 0) {
      }
      _exit(0);
    }
    close(ends[1]);
    socket_ = ends[0];
  }
  ~echo_by_hand() {
    close(socket_);
    wait(nullptr);
  }
  void operator()() const {
    std::int64_t value = 7;
    if (write(socket_, &value, sizeof(value)) < 0 || read(socket_, &value, sizeof(value)) < 0) std::abort();
  }

 private:
  int socket_ = -1;
};

// Seconds of one call each, sorted.
template <class F>
std::vector<double> times(int count, const F& f) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    const auto begin = clock_of::now();
    f();
    all.push_back(since(begin));
  }
  std::sort(all.begin(), all.end());
  return all;
}
double median(std::vector<double> all) { return program::quantile(std::move(all), 0.5); }

double python_pool() {
  constexpr const char* script =
      "python3 -c 'from concurrent.futures import ProcessPoolExecutor as P\n"
      "import time\n"
      "with P(1) as pool:\n"
      "  t=[]\n"
      "  for i in range(2000):\n"
      "    b=time.perf_counter(); pool.submit(abs, i).result(); t.append(time.perf_counter()-b)\n"
      "print(sorted(t)[len(t)//2])'";
  FILE* const pipe = popen(script, "r");
  double seconds = 0;
  if (!pipe || std::fscanf(pipe, "%lf", &seconds) != 1) seconds = 0;
  if (pipe) pclose(pipe);
  return seconds;
}

void measure_small() {
  const echo_by_hand hand;
  called worker(successor());
  const record input{n = 7};
  worker(input);
  std::vector<double> ratios, ours, theirs, pool;
  for (int r = 0; r < rounds; ++r) {
    theirs.push_back(median(times(calls_in_a_round, [&] { hand(); })));
    ours.push_back(median(times(calls_in_a_round, [&] { worker(input); })));
    ratios.push_back(ours.back() / theirs.back());
    if (r % 10 == 0) pool.push_back(python_pool());
  }
  std::printf("small: worker %.1f us, by hand %.1f us, ratio %.2f; ProcessPoolExecutor %.0f us\n", 1e6 * median(ours),
              1e6 * median(theirs), median(ratios), 1e6 * median(pool));
}

template <class Input>
void measure_large(const char* what, const network& box, const Input& input) {
  called worker(box);
  const std::vector<double> from(large_numbers, 1.5);
  std::vector<double> to(large_numbers), back(large_numbers);
  worker(input);
  std::vector<double> ratios, ours, theirs;
  for (int r = 0; r < rounds; ++r) {
    theirs.push_back(median(times(large_in_a_round, [&] {
      std::memcpy(to.data(), from.data(), from.size() * sizeof(double));
      use(sum_of(to));
      std::memcpy(back.data(), to.data(), from.size() * sizeof(double));
      use(sum_of(back));
    })));
    ours.push_back(median(times(large_in_a_round, [&] { worker(input); })));
    ratios.push_back(ours.back() / theirs.back());
  }
  std::printf("large, %s: worker %.1f ms, one memcpy each way %.1f ms, ratio %.2f\n", what, 1e3 * median(ours),
              1e3 * median(theirs), median(ratios));
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "worker") return weir::serve(successor(), same_vector(), same_array());
  measure_small();
  measure_large("std::vector", same_vector(), record{numbers = std::vector<double>(large_numbers, 1.5)});
  shared_array<double> array({large_numbers});
  for (double& x : array.values()) x = 1.5;
  measure_large("shared_array", same_array(), record{shared = array});
}
