#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"
#include "tests/support/refusal.hpp"

// Workers that are the second implementation of a box, on a device: worker_network::on().
namespace weir::testing {
namespace {

const device gpu{"gpu0", 2};
const std::vector<std::string> program{WEIR_CPP_WORKER};

class a_worker_on_a_device : public leaves_no_child {
 protected:
  static worker_network<tag> of_box(const char* name) { return worker(name, takes(n), gives(n), program); }
  static options with_device() {
    options o = keeping_on();
    o.devices = {gpu};
    return o;
  }
};

// The fixed choice tells who ran which record. A slot keeps its worker, which counts its calls.
TEST_F(a_worker_on_a_device, is_kept_by_its_slot_and_runs_what_is_the_device_s) {
  const network net = ordered(worker("remember", takes(n), gives(n, pid), program)
                                  .predicted_by([](std::int64_t v) { return static_cast<double>(v); })
                                  .on(gpu, program)
                                  .device_from(100));
  execution run = start(net, with_device());
  for (std::int64_t i = 0; i < 200; ++i) run.send(n = i);
  run.close();
  std::map<std::int64_t, std::set<std::int64_t>> calls;  // of each process
  std::set<std::int64_t> on_cores, on_device;
  std::int64_t at = 0;
  for (const record& r : run) {
    EXPECT_TRUE(calls[r[pid]].insert(r[n]).second);
    (at++ < 100 ? on_cores : on_device).insert(r[pid]);
  }
  EXPECT_EQ(at, 200);
  EXPECT_LE(on_device.size(), 2u) << "one for each slot";
  for (const std::int64_t process : on_device) {
    EXPECT_FALSE(on_cores.contains(process));
    EXPECT_EQ(*calls[process].rbegin(), static_cast<std::int64_t>(calls[process].size())) << "it was kept";
  }
  const run_report report = run.report();
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_EQ(report.devices[0].invocations, 100u);
  EXPECT_EQ(report.devices[0].errors, 0u);
}

// Programs that end before they greet, or are not there: the device is left alone, and no record is lost.
TEST_F(a_worker_on_a_device, that_does_not_start_leaves_its_records_to_the_cores) {
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"false"}, {"no-such-program-of-weir"}}) {
    execution run = start(ordered(of_box("misbehave").on(gpu, wrong).device_from(0)), with_device());
    for (std::int64_t i = 10; i < 30; ++i) run.send(n = i);
    run.close();
    std::vector<std::int64_t> seen;
    for (const record& r : run) seen.push_back(r[n]);
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 11; i < 31; ++i) expected.push_back(i);
    EXPECT_EQ(seen, expected);
    EXPECT_TRUE(run.errors().empty());
    const run_report report = run.report();
    EXPECT_GT(report.devices.at(0).errors, 0u);
    EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) {
      return has(note, "misbehave on device gpu0") && has(note, "records that fail there run on cores");
    })) << wrong.front();
  }
}

// A record with which the worker crashes or throws there, fails here as well, alone.
TEST_F(a_worker_on_a_device, that_crashes_costs_no_other_record) {
  const outcome got = results_of(ordered(of_box("misbehave").on(gpu, program).device_from(-10)),
                                 {10, 0, 11, 2, 12, 3, 13}, with_device());
  EXPECT_EQ(got.records, (std::vector<std::string>{"{<n>=11}", "{<n>=12}", "{<n>=13}", "{<n>=14}"}));
  ASSERT_EQ(got.failures.size(), 3u);
}

TEST_F(a_worker_on_a_device, keeps_to_the_bounds_of_its_box) {
  const outcome got = results_of(of_box("misbehave").on(gpu, program).within(std::chrono::seconds(2)).device_from(-10),
                                 {1, 5}, with_device());
  EXPECT_EQ(got.records, std::vector<std::string>{"{<n>=6}"});
  ASSERT_EQ(got.failures.size(), 1u);
  EXPECT_EQ(got.failures[0].kind, failure_kind::timed_out);
}

// It hangs there when the run is stopped: the run ends, and so does the worker.
TEST_F(a_worker_on_a_device, ends_with_its_run) {
  execution run = start(of_box("misbehave").on(gpu, program).device_from(-10), with_device());
  run.send(n = 1);
  while (run.report().devices.at(0).peak == 0) std::this_thread::yield();
  run.stop();
  for (const record& r : run) ADD_FAILURE() << r;
  for (const std::string& note : run.report().notes) EXPECT_FALSE(has(note, "device gpu0")) << note;
}

// A second result for a record is refused there; the cores give both.
TEST_F(a_worker_on_a_device, gives_one_result_for_a_record) {
  const outcome got = results_of(ordered(of_box("twice").on(gpu, program).device_from(0)), {5, 7}, with_device());
  EXPECT_EQ(got.records, (std::vector<std::string>{"{<n>=5}", "{<n>=6}", "{<n>=7}", "{<n>=8}"}));
  EXPECT_TRUE(got.failures.empty());
}

// A worker on a device takes batches as one on cores does. Where it crashes with a batch, its records run on cores.
TEST_F(a_worker_on_a_device, takes_batches_of_a_fixed_size) {
  const network net = ordered(
      worker("together", takes(n), gives(n, integer), program).batched(8, fixed_size).on(gpu, program).device_from(0));
  execution run = start(net, with_device());
  constexpr std::int64_t count = 100;
  for (std::int64_t i = 0; i < count; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], 2 * next);
    EXPECT_EQ(r[integer], next < 8 ? 1 : next < 96 ? 8 : 4) << "the first batch has the record that crashes it";
    ++next;
  }
  EXPECT_EQ(next, count);
  const run_report report = run.report();
  ASSERT_EQ(report.devices.size(), 1u);
  EXPECT_GE(report.devices[0].errors, 1u);
  EXPECT_EQ(report.devices[0].records % 4, 0u);
}

TEST_F(a_worker_on_a_device, emits_for_the_records_of_a_batch) {
  const network net =
      ordered(worker("emit_together", takes(n), gives(n), program).batched(16).on(gpu, program).device_from(0));
  execution run = start(net, with_device());
  std::vector<std::int64_t> expected, got;
  for (std::int64_t i = 0; i < 300; ++i) {
    run.send(n = i);
    for (std::int64_t k = 0; k < i % 3; ++k) expected.push_back(10 * i + k);
  }
  run.close();
  for (const record& r : run) got.push_back(r[n]);
  EXPECT_EQ(got, expected);
  ASSERT_EQ(run.report().devices.size(), 1u);
  EXPECT_EQ(run.report().devices[0].records, 300u);
}

// A run that does not name the device has the workers of the cores alone.
TEST_F(a_worker_on_a_device, is_not_started_where_there_is_none) {
  const outcome got = results_of(of_box("misbehave").on(gpu, {"no-such-program-of-weir"}).device_from(0), {8});
  EXPECT_EQ(got.records, std::vector<std::string>{"{<n>=9}"});
}

TEST_F(a_worker_on_a_device, is_refused_where_it_cannot_be) {
  EXPECT_EQ(refusal<type_error>([] { of_box("misbehave").on(gpu, {}); }),
            "box misbehave: on(gpu0, ..): no program is given that runs it there");
  EXPECT_TRUE(
      has(refusal<type_error>([] { of_box("misbehave").on(gpu, program).blocking(); }), "on(gpu0, ..) and blocking()"));
  EXPECT_EQ(refusal<type_error>([] { worker("count", takes(n), gives(n) | gives(text, n), program).on(gpu, program); }),
            "box count: on(gpu0, ..): the box has several output variants, expected one");
}

}  // namespace
}  // namespace weir::testing
