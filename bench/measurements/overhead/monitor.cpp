// The cost of watching streams: weir with option monitor and without it. First from outside through one box, at a
// microsecond per record and at full speed; every record passes two streams, the box's and the results'. Then through
// several boxes with a stream each and everything in one thread, so that only the watching differs.

#include <algorithm>
#include <memory>
#include <thread>

#include "bench/measurements/overhead/item.hpp"
#include "bench/measurements/overhead/row.hpp"
#include "bench/measurements/overhead/weir_run.hpp"
#include "runtime/machine/machine_state.hpp"
#include "runtime/run/run_state.hpp"

namespace weir::overhead {
namespace {

// 170 dependent steps: about a microsecond on a core of 2.5 GHz.
std::int64_t a_microsecond(std::int64_t v) {
  std::int64_t x = v;
  for (int i = 0; i < 170; ++i) x = static_cast<std::int64_t>(scrambled(x));
  return x == 0 ? v : v + 1;
}

std::int64_t add_one(std::int64_t v) { return v + 1; }

options watched(bool monitor) {
  options o;
  o.monitor = monitor;
  return o;
}

sample run_outside(std::int64_t (*work)(std::int64_t), const options& o, std::int64_t records) {
  meter m(records, true);
  execution run = start(box("f", takes(value), gives(value), work), o);
  std::thread sender([&] {
    m.begin();
    for (std::int64_t i = 0; i < records; ++i)
      run.send(value = i, number = i, first = i, second = 0.5, third = &carried);
    run.close();
  });
  for (const record& r : run) m.see(r[number], r[value] == r[number] + 1);
  sender.join();
  return m.result("weir");
}

// A machine without threads whose clock advances by a microsecond for every sent record, so that every run makes the
// same decisions. Reading the time still costs a call of the system's clock.
class microsecond_steps final : public detail::platform {
 public:
  void step() { ++steps_; }
  const std::shared_ptr<const topology>& cores() const override { return cores_; }
  bool is_local() const override { return false; }
  double now() const noexcept override {
    asked_ = now_ns();
    return 1e-6 * static_cast<double>(steps_);
  }
  detail::thread_usage usage() const noexcept override { return {}; }
  detail::cpu_clock own_cpu_clock() const noexcept override { return {}; }
  double cpu_seconds(detail::cpu_clock) const noexcept override { return unknown; }
  bool bind(const core_set&) noexcept override { return true; }
  bool unbind() noexcept override { return true; }
  bool has_threads() const override { return false; }

 private:
  const std::shared_ptr<const topology> cores_ = std::make_shared<const topology>(topology::synthetic("core:8 pu:1"));
  std::int64_t steps_ = 0;
  mutable volatile std::int64_t asked_ = 0;
};

// Sends a hundred records, then reads them, and so on.
sample run_in_one_thread(int boxes, options o, std::int64_t records) {
  constexpr std::int64_t at_once = 100;
  const auto time = std::make_shared<microsecond_steps>();
  o.machine = machine(std::make_shared<detail::machine_state>(time));
  std::vector<fixed_share> one_each;
  network all = box("add 1", takes(value), gives(value), add_one);
  for (int i = 1; i <= boxes; ++i) {
    const std::string name = "add " + std::to_string(i);
    if (i > 1) all = all >> box(name, takes(value), gives(value), add_one);
    one_each.push_back({name, 1, 1});
  }
  if (boxes > 1) o.policy = fixed_shares{one_each};  // otherwise they would run inline in the first
  meter m(records, true);
  detail::run_state run(all, std::move(o));
  record result;
  m.begin();
  for (std::int64_t i = 0, seen = 0; i < records;) {
    for (const std::int64_t end = std::min(records, i + at_once); i < end; ++i, time->step())
      run.send(record(value = i, number = i, first = i, second = 0.5, third = &carried));
    for (; seen < i && run.next(result); ++seen) m.see(result[number], result[value] == result[number] + boxes);
  }
  return m.result("weir");
}

}  // namespace

std::vector<row> monitor_rows() {
  std::vector<row> rows;
  const auto add = [&](const std::string& config, double seconds, const auto& run) {
    for (const bool monitor : {true, false})
      rows.push_back({"monitor", config, monitor ? "weir" : "weir_unwatched",
                      [=](std::int64_t records) { return run(watched(monitor), records); }, seconds});
  };
  add("outside,1us", .3, [](const options& o, std::int64_t n) { return run_outside(a_microsecond, o, n); });
  add("outside", .3, [](const options& o, std::int64_t n) { return run_outside(add_one, o, n); });
  for (const int boxes : {1, 4})
    add("one_thread,k=" + std::to_string(boxes), .3,
        [boxes](const options& o, std::int64_t n) { return run_in_one_thread(boxes, o, n); });
  return rows;
}

}  // namespace weir::overhead
