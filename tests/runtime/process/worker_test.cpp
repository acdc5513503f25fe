#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <weir/weir.hpp>
#include "runtime/process/worker_lane.hpp"
#include "runtime/process/worker_plan.hpp"
#include "tests/runtime/process/open_descriptors.hpp"
#include "tests/runtime/process/python.hpp"
#include "tests/runtime/process/worker_boxes.hpp"
#include "tests/runtime/process/worker_runs.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::testing {
namespace {

using namespace std::chrono_literals;
namespace processes = detail::processes;

// The same boxes here, in a worker of C++, in a host of this program, and in a worker of Python.
enum class place { cpp, host, python };

std::vector<std::string> arguments_of(place where) {
  if (where == place::python) return {"python3", WEIR_PYTHON_WORKER};
  return {WEIR_CPP_WORKER};
}

template <class... L, class Out>
worker_network<L...> there(place where, const box_network<L...>& here, const detail::takes_list<L...>& in,
                           const Out& out) {
  if (where == place::host) return isolated(here);
  return worker(detail::spec_of(here).name, in, out, arguments_of(where));
}

class in_every_place : public leaves_no_child, public ::testing::WithParamInterface<place> {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (GetParam() == place::python && !has_python()) GTEST_SKIP() << "there is no Python 3.9";
  }
};

auto all_labels() { return takes(n, integer, small, flag, number, single, text, file, raw, numbers, table); }
auto all_results() { return gives(n, integer, small, flag, number, single, text, file, raw, numbers, table); }

record a_record(std::size_t size) {
  grid g{size / 8 + 1, 8, {}};
  for (std::size_t i = 0; i < g.rows * g.columns; ++i) g.entries.push_back(static_cast<float>(i) / 3);
  std::vector<double> v;
  std::vector<std::byte> b;
  for (std::size_t i = 0; i < size; ++i) v.push_back(1.0 / static_cast<double>(i + 1)), b.push_back(std::byte(i * 7));
  return record{n = std::numeric_limits<std::int64_t>::min(),
                integer = std::int64_t{1} << 62,
                small = std::uint8_t{255},
                flag = true,
                number = 0.1,
                single = 1.0f / 3,
                text = std::string(size, 'x') + "\0\"\xff" + "ä",
                file = std::filesystem::path("/tmp/a b"),
                raw = b,
                numbers = v,
                table = g};
}

TEST_P(in_every_place, values_of_every_type_come_back_as_they_were_sent) {
  const network net = there(GetParam(), echo(), all_labels(), all_results());
  execution run = start(net);
  std::vector<record> sent;
  for (const std::size_t size : {0, 1, 1000, 8191, 8192, 70000, 300000, 10}) sent.push_back(a_record(size));
  for (const record& r : sent) run.send(r);
  run.close();
  std::size_t at = 0;
  for (const record& r : run) {
    const record& s = sent.at(at++);
    EXPECT_EQ(r[n], s[n]);
    EXPECT_EQ(r[integer], s[integer]);
    EXPECT_EQ(r[small], s[small]);
    EXPECT_EQ(r[flag], s[flag]);
    EXPECT_EQ(r[number], s[number]);
    EXPECT_EQ(r[single], s[single]);
    EXPECT_EQ(r[text], s[text]);
    EXPECT_EQ(r[file], s[file]);
    EXPECT_EQ(r[raw], s[raw]);
    EXPECT_EQ(r[numbers], s[numbers]);
    EXPECT_EQ(r[table], s[table]);
  }
  EXPECT_EQ(at, sent.size());
}

TEST_P(in_every_place, a_call_gives_any_number_of_records_of_any_variant_and_then_fails_or_not) {
  const std::vector<std::int64_t> inputs{3, 0, 13, 200, 1};
  const outcome here = results_of(ordered(count()), inputs);
  const outcome theirs = results_of(ordered(there(GetParam(), count(), takes(n), gives(n) | gives(text, n))), inputs);
  EXPECT_EQ(theirs.records, here.records);
  ASSERT_EQ(theirs.failures.size(), 1u);
  EXPECT_EQ(theirs.failures[0].kind, failure_kind::box_threw);
  EXPECT_EQ(theirs.failures[0].record, here.failures.at(0).record);
  EXPECT_TRUE(has(theirs.failures[0].cause, "thirteen")) << theirs.failures[0].cause;
}

TEST_P(in_every_place, a_worker_and_its_state_are_kept_from_one_record_to_the_next) {
  execution run = start(there(GetParam(), remember(), takes(n), gives(n, pid)));
  for (int i = 0; i < 50; ++i) run.send(n = i);
  run.close();
  std::map<std::int64_t, std::set<std::int64_t>> calls;  // of each process
  for (const record& r : run) calls[r[pid]].insert(r[n]);
  EXPECT_FALSE(calls.contains(::getpid()));
  std::size_t all = 0;
  for (const auto& [process, numbers] : calls) {
    EXPECT_EQ(*numbers.rbegin(), static_cast<std::int64_t>(numbers.size()));
    all += numbers.size();
  }
  EXPECT_EQ(all, 50u);
}

TEST_P(in_every_place, a_shared_array_goes_and_comes_and_is_copied_before_it_is_written) {
  const int before = open_descriptors();
  {
    execution run = start(there(GetParam(), brighten(), takes(image), gives(image)));
    std::vector<record> sent, came;
    for (const std::size_t rows : {1u, 300u, 1000u, 2000u}) {
      shared_array<float, 2> from({rows, 100});
      for (float value = 0; float& x : from.values()) x = ++value;
      sent.push_back(record{image = from});
      run.send(sent.back());
    }
    run.close();
    for (record& r : run) came.push_back(std::move(r));
    ASSERT_EQ(came.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const auto& from = sent[i][image];
      const auto& to = came[i][image];
      ASSERT_EQ(to.shape(), from.shape());
      for (std::size_t j = 0; j < from.size(); ++j) ASSERT_EQ(to.values()[j], 2 * from.values()[j]);
      shared_array<float, 2> changed = to;
      for (float& x : changed.values()) x = -1;
      for (std::size_t j = 0; j < from.size(); ++j) ASSERT_EQ(to.values()[j], 2 * from.values()[j]);
    }
  }
  EXPECT_TRUE(are_no_more_open(before)) << open_descriptors() << " in place of " << before;
}

TEST_P(in_every_place, a_sink_takes_its_records) {
  const outcome made = results_of(there(GetParam(), swallow(), takes(n), gives_none), {1, 2, 3});
  EXPECT_TRUE(made.records.empty());
  EXPECT_TRUE(made.failures.empty());
}

TEST_P(in_every_place, a_crash_an_exit_and_an_error_each_cost_their_record_alone) {
  const outcome made =
      results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n))), {10, 0, 11, 2, 3, 12, 0, 0, 13});
  EXPECT_EQ(made.records, (std::vector<std::string>{"{<n>=11}", "{<n>=12}", "{<n>=13}", "{<n>=14}"}));
  std::multiset<std::string> causes;
  for (const failure& f : made.failures) {
    EXPECT_EQ(f.kind, failure_kind::box_threw);
    causes.insert(f.record + (has(f.cause, "SIGSEGV") ? " crashed" : "") +
                  (has(f.cause, "exit code 7") ? " left" : "") + (has(f.cause, "three") ? " threw" : ""));
  }
  EXPECT_EQ(causes, (std::multiset<std::string>{"{<n>=0} crashed", "{<n>=0} crashed", "{<n>=0} crashed", "{<n>=2} left",
                                                "{<n>=3} threw"}));
}

TEST_P(in_every_place, a_box_that_ends_its_thread_fails_its_record_alone) {
  if (GetParam() == place::python) GTEST_SKIP() << "Python has no such call";
  const outcome made =
      results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n)).serial()), {-6, 10, -6, 11});
  EXPECT_EQ(made.records, (std::vector<std::string>{"{<n>=11}", "{<n>=12}"}));
  ASSERT_EQ(made.failures.size(), 2u);
  for (const failure& f : made.failures) {
    EXPECT_EQ(f.kind, failure_kind::box_threw);
    EXPECT_TRUE(has(f.cause, "pthread_exit")) << f.cause;
  }
}

TEST_P(in_every_place, a_worker_that_closes_its_connection_and_goes_on_is_told_as_such) {
  const outcome made = results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n)).serial()), {-5, 10});
  EXPECT_EQ(made.records, std::vector<std::string>{"{<n>=11}"});
  ASSERT_EQ(made.failures.size(), 1u);
  const std::string& cause = made.failures[0].cause;
  EXPECT_TRUE(has(cause, "this process has closed its connection to the program that called, descriptor 3")) << cause;
  EXPECT_TRUE(has(cause, "Bad file descriptor")) << cause;
}

TEST_P(in_every_place, a_byte_0_in_the_text_of_an_error_is_shown_and_cuts_nothing) {
  const outcome made = results_of(there(GetParam(), misbehave(), takes(n), gives(n)), {-2});
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_TRUE(has(made.failures[0].cause, "before\\0behind")) << made.failures[0].cause;
}

TEST_P(in_every_place, a_copy_of_a_worker_that_forked_answers_no_call) {
  const outcome made =
      results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n)).serial()), {-1, 10, -1, 11, 12});
  EXPECT_EQ(made.records, (std::vector<std::string>{"{<n>=0}", "{<n>=11}", "{<n>=0}", "{<n>=12}", "{<n>=13}"}));
  EXPECT_TRUE(made.failures.empty());
}

TEST_P(in_every_place, a_worker_that_ends_between_two_calls_costs_no_record) {
  execution run = start(there(GetParam(), remember(), takes(n), gives(n, pid)).serial());
  run.send(n = 1);
  std::int64_t before = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[n], 1);
    EXPECT_NE(r[pid], before);
    if (before != 0) break;
    before = r[pid];
    ASSERT_NE(before, ::getpid());
    kill(static_cast<pid_t>(before), SIGKILL);
    siginfo_t ended;
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(before), &ended, WEXITED | WNOWAIT), 0);
    run.send(n = 1);
    run.close();
  }
  EXPECT_NE(before, 0);
}

TEST_P(in_every_place, a_worker_that_hangs_is_ended_in_time_and_its_record_fails_as_timed_out) {
  const outcome made =
      results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n)).within(1s).serial()), {10, 1, 11});
  EXPECT_EQ(made.records, (std::vector<std::string>{"{<n>=11}", "{<n>=12}"}));
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_EQ(made.failures[0].kind, failure_kind::timed_out) << made.failures[0].cause;
}

TEST_P(in_every_place, an_endless_call_ends_when_the_run_is_stopped) {
  execution run = start(there(GetParam(), misbehave(), takes(n), gives(n)), keeping_on());
  run.send(n = 1);
  run.stop();
  for (const record& r : run) ADD_FAILURE() << r;
  EXPECT_TRUE(run.errors().empty());
}

TEST_P(in_every_place, several_lanes_give_what_the_box_gives_here_in_the_same_order) {
  std::vector<std::int64_t> inputs;
  for (int i = 4; i < 300; ++i) inputs.push_back(i);
  options how = keeping_on();
  how.policy = fixed_shares{{"misbehave", 2}};
  how.machine = machine::synthetic("package:1 core:2 pu:1");
  EXPECT_EQ(results_of(ordered(there(GetParam(), misbehave(), takes(n), gives(n))), inputs, how).records,
            results_of(ordered(misbehave()), inputs).records);
}

TEST_P(in_every_place, a_call_is_told_its_number_of_cores) {
  options how = keeping_on();
  how.policy = fixed_shares{{"see_cores", 3}};
  how.machine = machine::synthetic("package:1 core:3 pu:1");
  const network net = there(GetParam(), see_cores(), takes(n), gives(cores_seen, pid)).serial();
  execution run = start(net, how);
  for (int i = 0; i < 10; ++i) run.send(n = i);
  run.close();
  for (const record& r : run) EXPECT_EQ(r[cores_seen], 3);
}

TEST_P(in_every_place, a_record_whose_worker_crashes_is_tried_as_often_as_said) {
  const network net = there(GetParam(), misbehave(), takes(n), gives(n)).retries(2).serial();
  const outcome made = results_of(net, {0, 5});
  EXPECT_EQ(made.records, std::vector<std::string>{"{<n>=6}"});
  EXPECT_EQ(made.failures.size(), 1u);
}

// The grants change as no run on a small machine would change them.
class a_lane_s_results final : public detail::emission {
 public:
  detail::record_body* build(const detail::labelled_word* words, std::size_t count) override {
    return detail::body_of(words, count);
  }
  void deliver(detail::record_body* body) override { came.push_back(record::adopt(body)); }
  emitter& open() override { std::abort(); }
  std::stop_token stop() const override { return {}; }
  std::vector<record> came;
};
// The results of a box, in one worker, for each of these grants.
std::vector<record> called_with(const network& net, const std::vector<grant>& grants) {
  const detail::box_spec& spec = detail::spec_of(net);
  void* const lane = spec.keeps->make(spec.keeps->maker.get());
  const record input{n = 1};
  const std::uint32_t at = detail::record_body::offset_of(0);
  a_lane_s_results results;
  for (const grant& g : grants) {
    detail::invocation i{const_cast<detail::record_body*>(input.body()), &at, nullptr, 0, &g, &results, lane};
    spec.code->call(spec.callable.get(), i);
  }
  spec.keeps->end(lane);
  return std::move(results.came);
}

TEST_P(in_every_place, all_threads_of_a_worker_are_bound_to_the_grant_of_each_call) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  std::vector<int> cpus;
  for (int i = 0; i < CPU_SETSIZE && cpus.size() < 2; ++i)
    if (CPU_ISSET(i, &own)) cpus.push_back(i);
  if (cpus.size() < 2) GTEST_SKIP() << "this machine has one processing unit";
  const auto made = called_with(there(GetParam(), see_affinity(), takes(n), gives(text, n)),
                                {grant(1, {cpus[0]}), grant(1, {cpus[1]}), grant(2, cpus), grant(1, {cpus[0]})});
  ASSERT_EQ(made.size(), 4u);
  const std::string a = std::to_string(cpus[0]) + ' ', b = std::to_string(cpus[1]) + ' ';
  EXPECT_EQ(made[0][text], a + "| " + a);
  EXPECT_EQ(made[1][text], b + "| " + b);
  EXPECT_EQ(made[2][text], a + b + "| " + a + b);
  EXPECT_EQ(made[2][n], 2);
  EXPECT_EQ(made[3][text], a + "| " + a);
}

TEST_P(in_every_place, a_worker_is_kept_when_its_cores_change_unless_it_is_to_be_restarted) {
  const auto net = there(GetParam(), see_cores(), takes(n), gives(cores_seen, pid));
  const std::vector<grant> grants{grant(1, {}), grant(2, {}), grant(2, {})};
  const auto kept = called_with(net, grants), restarted = called_with(net.restarts_for_cores(), grants);
  EXPECT_EQ(kept[0][pid], kept[1][pid]);
  EXPECT_EQ(kept[1][cores_seen], 2);
  EXPECT_NE(restarted[0][pid], restarted[1][pid]);
  EXPECT_EQ(restarted[1][pid], restarted[2][pid]);
  EXPECT_EQ(restarted[2][cores_seen], 2);
}

TEST_P(in_every_place, thousands_of_records_with_crashes_and_hangs_are_each_a_result_or_one_error) {
  const bool is_slow = sanitized || GetParam() == place::python;
  const std::int64_t count = is_slow ? 1000 : 10000;
  const int descriptors = open_descriptors();
  std::map<std::int64_t, int> seen;
  {
    constexpr tag number{"number"};
    execution run =
        start(there(GetParam(), misbehave(), takes(n), gives(n)).within(500ms).blocking(3),
              {.on_error = on_error::collect, .max_failures_kept = 10000, .max_failed_records_kept = 10000});
    const std::int64_t bad = is_slow ? 50 : 100;
    const auto how = [&](std::int64_t i) -> std::int64_t {
      if (i % bad != 0) return 10;
      if (i % (bad * 20) == 0) return 1;  // hangs
      return std::array<std::int64_t, 3>{0, 2, 3}[static_cast<std::size_t>(i / bad % 3)];
    };
    for (std::int64_t i = 0; i < count; ++i) run.send(n = how(i), number = i);
    run.close();
    for (const record& r : run) {
      EXPECT_EQ(r[n], 11);
      ++seen[r[number]];
    }
    for (const failure& f : run.errors()) {
      ASSERT_TRUE(f.as_record);
      ++seen[(*f.as_record)[number]];
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
  for (const auto& [number, times] : seen) EXPECT_EQ(times, 1) << number;
  EXPECT_TRUE(are_no_more_open(descriptors)) << open_descriptors() << " in place of " << descriptors;
}

// A call for several records that fails as a whole costs only the records with which it fails.
TEST_P(in_every_place, batches_give_what_single_records_give) {
  const auto box = there(GetParam(), together(), takes(n), gives(n, integer)).batched(16);
  execution run = start(box, keeping_on());
  constexpr std::int64_t count = 400;
  for (std::int64_t i = 0; i < count; ++i) run.send(n = i == 100 ? 1001 : i);
  run.close();
  std::int64_t next = 0, largest = 0;
  for (const record& r : run) {
    if (next == 100) ++next;
    EXPECT_EQ(r[n], 2 * next++);
    EXPECT_GE(r[integer], 1);
    largest = std::max(largest, r[integer]);
  }
  EXPECT_EQ(next, count);
  EXPECT_GT(largest, 1) << "records of a call";
  EXPECT_LE(largest, 16);
  ASSERT_EQ(run.errors().size(), 1u);
  EXPECT_TRUE(has(run.errors()[0].cause, "above 1000")) << run.errors()[0].cause;
}

TEST_P(in_every_place, batches_of_fixed_size_follow_from_the_stream_alone) {
  const auto box = there(GetParam(), together(), takes(n), gives(n, integer)).batched(8, fixed_size);
  execution run = start(box, keeping_on());
  for (std::int64_t i = 10; i < 30; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 10;
  for (const record& r : run) {
    EXPECT_EQ(r[n], 2 * next);
    EXPECT_EQ(r[integer], next < 26 ? 8 : 4);
    ++next;
  }
  EXPECT_EQ(next, 30);
}

TEST_P(in_every_place, what_a_batch_emits_is_of_the_record_of_its_place) {
  if (GetParam() == place::python) GTEST_SKIP() << "a batch in Python gives one record for each";
  const auto box = there(GetParam(), emit_together(), takes(n), gives(n)).batched(16);
  execution run = start(box, keeping_on());
  for (std::int64_t i = 0; i < 300; ++i) run.send(n = i);
  run.close();
  std::vector<std::int64_t> expected, got;
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::int64_t k = 0; k < i % 3; ++k) expected.push_back(10 * i + k);
  for (const record& r : run) got.push_back(r[n]);
  EXPECT_EQ(got, expected);
}

TEST_P(in_every_place, a_worker_of_single_records_is_not_called_for_several) {
  if (GetParam() == place::host) GTEST_SKIP() << "a box says itself what it takes";
  const std::string error =
      error_of(worker("misbehave", takes(n), gives(n), arguments_of(GetParam())).batched(4), record{n = 10});
  EXPECT_TRUE(has(error, "it takes one record at a time, and here batched(..) asks for several")) << error;
}

INSTANTIATE_TEST_SUITE_P(
    , in_every_place, ::testing::Values(place::cpp, place::host, place::python), [](const auto& p) {
      return std::string(p.param == place::cpp ? "cpp" : p.param == place::host ? "host" : "python");
    });

using workers = leaves_no_child;

const std::vector<std::string> in_cpp{WEIR_CPP_WORKER}, in_python{"python3", WEIR_PYTHON_WORKER};

TEST_F(workers, other_labels_or_types_than_the_worker_has_end_the_run_with_one_error_that_names_both) {
  const std::string takes_other = error_of(worker("misbehave", takes(pid), gives(n), in_cpp));
  EXPECT_TRUE(has(takes_other, "pid")) << takes_other;
  constexpr field<std::vector<float>> singles{"numbers"};
  const std::string type =
      error_of(worker("total", takes(singles), gives(number), in_python), record{singles = std::vector<float>{1}});
  EXPECT_TRUE(has(type, "\"float64[]\"") && has(type, "\"float32[]\"")) << type;
  const std::string fewer_labels = error_of(worker("echo", takes(n), gives(n), in_python));
  EXPECT_TRUE(has(fewer_labels, "it takes 11 labels, and here 1")) << fewer_labels;
  const std::string variants = error_of(worker("count", takes(n), gives(n), in_cpp));
  EXPECT_TRUE(has(variants, "it gives 2 variants, and here 1")) << variants;
}

TEST_F(workers, a_box_that_the_worker_does_not_have_ends_the_run_with_the_names_of_those_that_it_has) {
  for (const auto& how : {in_cpp, in_python}) {
    const std::string error = error_of(worker("sing", takes(n), gives(n), how));
    EXPECT_TRUE(has(error, "\"sing\"") && has(error, "misbehave")) << error;
  }
}

TEST_F(workers, a_box_of_a_registry_is_served_by_its_name_there) {
  const std::vector<std::string> how{WEIR_CPP_WORKER, "--registry"};
  const outcome made = results_of(worker("registered", takes(n), gives(n), how), {10});
  EXPECT_EQ(made.records, std::vector<std::string>{"{<n>=11}"});
  const std::string own = error_of(worker("misbehave", takes(n), gives(n), how));
  EXPECT_TRUE(has(own, "but chain, registered")) << own;
}

TEST_F(workers, of_many_boxes_that_a_worker_has_the_first_are_named) {
  const std::string error = error_of(worker("sing", takes(n), gives(n), {WEIR_CPP_WORKER, "--many"}));
  EXPECT_TRUE(has(error, "it has no box \"sing\", but box_10, box_11, ")) << error;
  EXPECT_TRUE(has(error, ", box_28, box_29 and 5 more")) << error;
}

TEST_F(workers, a_script_names_a_tag_and_a_field_of_one_name_apart_and_what_it_did_not_declare_is_an_undeclared_emit) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  constexpr field<std::int64_t> twin{"n"};
  const outcome made = results_of(ordered(worker("twins", takes(n), gives(n, twin), in_python)), {10, 0});
  EXPECT_EQ(made.records, std::vector<std::string>{"{n=11, <n>=10}"});
  ASSERT_EQ(made.failures.size(), 1u);
  EXPECT_EQ(made.failures[0].kind, failure_kind::undeclared_emit);
  EXPECT_TRUE(has(made.failures[0].cause, "the box twins gave ['<n>', 'm'], which is none of its outputs"))
      << made.failures[0].cause;
}

TEST_F(workers, a_program_that_is_not_there_is_an_error_when_the_run_starts) {
  EXPECT_THROW(start(worker("sing", takes(n), gives(n), {"no-such-program"})), std::system_error);
}

TEST_F(workers, a_program_that_ends_before_it_greets_ends_the_run_with_what_it_said) {
  const std::string error =
      error_of(worker("misbehave", takes(n), gives(n), {"python3", WEIR_PYTHON_WORKER, "--broken"}));
  EXPECT_TRUE(has(error, "exit code 1") && has(error, "no such model")) << error;
  EXPECT_FALSE(has(error, "serve")) << error;
  for (const auto& how : {std::vector<std::string>{"cat"}, {"python3", "-c", "forgets = 'serve()'"}}) {
    const std::string other = error_of(worker("misbehave", takes(n), gives(n), how));
    EXPECT_TRUE(has(other, "exit code 0, as a program that calls neither weir_worker.serve() nor weir::serve()"))
        << other;
  }
}

// The error with which a worker of this plan ends the run.
std::string start_error_of(const processes::worker_plan& plan) {
  const auto here = misbehave();
  const processes::worker_box planned("misbehave", processes::wire_labels(detail::spec_of(here)), plan);
  const grant one(1, {});
  const record input{n = 1};
  detail::invocation i{const_cast<detail::record_body*>(input.body()), nullptr, nullptr, 0, &one, nullptr};
  processes::worker_lane lane;
  try {
    lane.call(planned, {&i, 1});
    return "";
  } catch (const detail::run_ending_error& e) {
    return e.what();
  }
}

TEST_F(workers, a_program_that_does_not_greet_ends_the_run_also_where_no_call_is_bounded) {
  processes::worker_plan plan;
  EXPECT_GE(plan.start, 1min);
  plan.arguments = {"sleep", "1000"};
  plan.start = 100ms;
  const std::string error = start_error_of(plan);
  EXPECT_TRUE(has(error, "it has not greeted") && has(error, "weir::serve()") && has(error, "100 ms")) << error;
}

TEST_F(workers, a_host_that_ends_well_before_it_greets_is_told_what_its_main_has_to_call) {
  processes::worker_plan plan;
  plan.arguments = {"a host"};
  const scratch_folder folder;
  std::filesystem::create_symlink("/bin/true", folder.at("program"));
  plan.program.emplace(folder.at("program"));
  const std::string error = start_error_of(plan);
  EXPECT_TRUE(has(error, "exit code 0, as a program whose main does not call weir::host(..) first")) << error;
}

// Its callable is what calls the other process, so no host has the same.
TEST_F(workers, are_hosted_by_the_box_that_is_isolated_and_not_by_what_isolated_makes) {
  const std::string refused = refusal<type_error>([] { host(isolated(echo())); });
  EXPECT_EQ(refused, "weir::host: echo is in a process of its own already, expected what isolated() got");
}

TEST_F(workers, the_words_of_a_start_that_fails_three_times_come_once) {
  ::testing::internal::CaptureStderr();
  error_of(worker("misbehave", takes(n), gives(n), {"python3", WEIR_PYTHON_WORKER, "--broken"}).serial());
  const std::string all = ::testing::internal::GetCapturedStderr();
  const std::size_t first = all.find("no such model");
  EXPECT_NE(first, all.npos);
  EXPECT_EQ(all.find("no such model", first + 1), all.npos) << all;
}

TEST_F(workers, a_worker_that_crashes_names_the_bound_of_its_memory) {
  const std::string error =
      error_of(worker("misbehave", takes(n), gives(n), {"sh", "-c", "kill -SEGV $$"}).memory(64u << 20));
  EXPECT_TRUE(has(error, "was ended by SIGSEGV; its memory is bounded to 64 MiB")) << error;
}

TEST_F(workers, that_get_no_descriptor_cost_their_record_with_the_limit_in_words) {
  for (const network& net :
       {network(isolated(misbehave()).serial()), network(worker("misbehave", takes(n), gives(n), in_cpp).serial())}) {
    execution run = start(net, keeping_on());
    run.send(n = 10);
    auto results = run.begin();  // it has all that it keeps from then on
    run.send(n = 0);
    ASSERT_TRUE(eventually([&] { return run.report().failed == 1; }))
        << "the worker crashes, and the next needs another";
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 3;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    run.send(n = 20);
    const bool has_failed = eventually([&] { return run.report().failed == 2; });
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(has_failed);
    run.send(n = 30);
    run.close();
    ++results;
    EXPECT_EQ((*results)[n], 31) << "there is room again";
    EXPECT_EQ(++results, run.end());
    const auto failures = run.take_errors();
    ASSERT_EQ(failures.size(), 2u);
    EXPECT_TRUE(has(failures.back().cause,
                    "no socket for a worker: as many files are open as `ulimit -n` or the system allows"))
        << failures.back().cause;
  }
}

TEST_F(workers, an_integer_that_does_not_fit_its_label_costs_its_record_alone) {
  const std::map<std::int64_t, std::string> numbers{{-3, "9223372036854775808"}, {-30, "an integer of 16610 bits"}};
  for (const auto& [how, words] : numbers) {
    const outcome made = results_of(worker("misbehave", takes(n), gives(n), in_python), {how});
    ASSERT_EQ(made.failures.size(), 1u);
    const std::string& cause = made.failures[0].cause;
    EXPECT_TRUE(has(cause, "OverflowError: <n> is " + words + ", which does not fit tag (worker.py: misbehave)"))
        << cause;
    EXPECT_FALSE(has(cause, "protocol")) << cause;
  }
}

// Characters of a text and members of a set, whose order is any, are not taken for values, and an exception whose own
// __str__ raises ends no worker.
TEST_F(workers, a_script_that_returns_no_result_or_raises_an_error_without_words_loses_its_record_alone) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  constexpr field<std::string> back{"back"};
  const outcome made = results_of(ordered(worker("answer_oddly", takes(n), gives(pid, text, back), in_python).serial()),
                                  {0, 1, 2, 3, 4, 5, 0});
  ASSERT_EQ(made.records.size(), 2u);
  EXPECT_EQ(made.records[0], made.records[1]) << "the worker was not kept";
  std::map<std::string, std::string> causes;
  for (const failure& f : made.failures) causes[f.record] = f.cause;
  const std::map<std::string, std::string> expected{
      {"{<n>=1}", "the box answer_oddly gave str, expected a tuple of 3 values"},
      {"{<n>=2}", "the box answer_oddly gave set, expected a tuple of 3 values"},
      {"{<n>=3}", "text is type, expected string"},
      {"{<n>=4}", "the box answer_oddly gave ['1', '<pid>', 'text'], which is none of its outputs"},
      {"{<n>=5}", "Wordless: its words are not known, since its __str__ raised RuntimeError (worker.py:"}};
  EXPECT_EQ(made.failures.size(), expected.size());
  for (const auto& [record, words] : expected)
    EXPECT_TRUE(has(causes[record], words)) << record << ' ' << causes[record];
}

TEST_F(workers, an_error_of_a_script_names_the_causes_that_it_was_raised_from) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  const outcome made = results_of(worker("misbehave", takes(n), gives(n), in_python), {-31});
  ASSERT_EQ(made.failures.size(), 1u);
  const std::string& cause = made.failures[0].cause;
  EXPECT_TRUE(has(cause, "RuntimeError: no number (worker.py:") &&
              has(cause, "), caused by ValueError: invalid literal for int() with base 10: 'x'"))
      << cause;
}

// The bytes of an array of objects would be addresses.
TEST_F(workers, bytes_of_a_script_are_its_elements_in_their_order_and_never_addresses) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  execution run = start(worker("give_bytes", takes(n), gives(raw), in_python).serial(), keeping_on());
  for (const int how : {0, 1, 2}) run.send(n = how);
  run.close();
  std::vector<std::vector<std::byte>> made;
  for (const record& r : run) made.push_back(r[raw]);
  const std::vector<std::vector<std::byte>> expected{{std::byte('a'), std::byte('c'), std::byte('e')}, {}};
  EXPECT_EQ(made, expected);
  const auto failures = run.errors();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(has(failures[0].cause, "expected bytes: its elements are objects of Python")) << failures[0].cause;
}

// float("1.5") is a number in Python, and bool("False") is True.
TEST_F(workers, a_text_of_a_script_is_neither_a_number_nor_a_truth_value) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  const outcome made = results_of(
      ordered(worker("give_texts", takes(n), gives(number) | gives(flag), in_python).serial()), {0, 1, 2, 3, 4});
  EXPECT_EQ(made.records, (std::vector<std::string>{"{number=3}", "{flag=0}"}));
  ASSERT_EQ(made.failures.size(), 3u);
  for (const failure& f : made.failures) EXPECT_TRUE(has(f.cause, "a text is no number")) << f.cause;
}

TEST_F(workers, a_script_with_an_async_box_or_two_of_one_name_ends_the_run_with_its_words) {
  if (!has_python()) GTEST_SKIP() << "there is no Python 3.9";
  const auto words_of = [](const std::string& boxes) {
    const auto folder = std::filesystem::path(WEIR_PYTHON_WORKER).parent_path() / "../../../../runtime/process/python";
    const std::string script =
        "import sys; sys.path.insert(0, '" + folder.string() + "'); import weir_worker\n" + boxes;
    return error_of(worker("double", takes(n), gives(n), {"python3", "-c", script}));
  };
  const std::string head = "@weir_worker.box(takes=['<n>'], gives=['<n>'])\n", body = "def double(n): return 2 * n\n";
  const std::string async = words_of(head + "async " + body), twice = words_of(head + body + head + body);
  EXPECT_TRUE(has(async, "the box double is an async function, expected an ordinary one")) << async;
  EXPECT_TRUE(has(twice, "there are two boxes double in this script")) << twice;
}

TEST_F(workers, a_process_of_multiprocessing_that_imports_the_script_serves_nothing) {
  execution run = start(worker("misbehave", takes(n), gives(n), in_python).within(60s));
  run.send(record{n = -4});
  run.close();
  std::vector<std::int64_t> results;
  for (const record& r : run) results.push_back(r[n]);
  EXPECT_EQ(results, (std::vector<std::int64_t>{4}));
}

TEST_F(workers, garbage_in_place_of_a_greeting_ends_the_run) {
  for (const char* script : {"printf 'garbage and more of it' >&3; exec sleep 1000", "head -c 100000 /dev/urandom >&3",
                             "printf 'weir\\377\\377\\377\\377\\0\\0\\0\\0\\0\\0\\0\\0' >&3; exec sleep 1000"}) {
    const std::string error = error_of(worker("misbehave", takes(n), gives(n), {"sh", "-c", script}));
    EXPECT_TRUE(has(error, "misbehave")) << error;
  }
}

TEST_F(workers, a_codec_carries_a_value_between_programs_of_cpp) {
  const person before{"Ada", {{"maths", 6}}};
  person after = before;
  after.marks["greeted"] = 1;
  for (const network& net : {network(isolated(greet())), network(worker("greet", takes(who), gives(who), in_cpp))}) {
    execution run = start(net);
    run.send(who = before);
    run.close();
    int came = 0;
    for (const record& r : run) {
      EXPECT_EQ(r[who], after);
      ++came;
    }
    EXPECT_EQ(came, 1);
  }
}

// The error of a value that cannot be written names the field and its type, and the run goes on with the others.
TEST_F(workers, a_codec_that_throws_fails_its_record_by_the_name_of_the_field) {
  options o;
  o.on_error = on_error::collect;
  execution run = start(isolated(greet()), o);
  for (const char* name : {"Ada", "nobody", "Bob"}) run.send(who = person{name, {}});
  run.close();
  int came = 0;
  for (const record& r : run) came += r[who].marks.count("greeted") > 0;
  EXPECT_EQ(came, 2);
  ASSERT_EQ(run.errors().size(), 1u);
  const std::string cause = run.errors()[0].cause;
  EXPECT_TRUE(has(cause, "the codec of field 'who' of type ") && has(cause, "no name")) << cause;
}

// A box that takes its values by T&& and gives them.
auto move_on() {
  return box("move on", takes(text, numbers, raw), gives(text, numbers, raw),
             [](std::string&& t, std::vector<double>&& all, std::vector<std::byte>&& bytes) {
               t += "x";
               all.push_back(1);
               return std::tuple(std::move(t), std::move(all), std::move(bytes));
             });
}

TEST_F(workers, a_host_gives_back_values_that_its_box_moved) {
  execution run = start(isolated(move_on()));
  for (int i = 0; i < 100; ++i)
    run.send(record{n = i, text = std::string(static_cast<std::size_t>(i), 't'), numbers = std::vector<double>{2},
                    raw = std::vector<std::byte>(3)});
  run.close();
  int came = 0;
  for (const record& r : run) {
    EXPECT_EQ(r[text], std::string(static_cast<std::size_t>(r[n]), 't') + "x");
    EXPECT_EQ(r[numbers], (std::vector<double>{2, 1}));
    EXPECT_EQ(r[raw].size(), 3u);
    ++came;
  }
  EXPECT_EQ(came, 100);
}

TEST_F(workers, a_type_that_does_not_travel_is_refused_as_the_box_is_written) {
  struct local {
    std::unique_ptr<int> value;
  };
  constexpr field<local> here{"here"};
  const std::string why = refusal<type_error>([&] { worker("w", takes(here), gives(n), in_cpp); });
  EXPECT_TRUE(has(why, "w") && has(why, "here") && has(why, "array_layout")) << why;
}

TEST_F(workers, a_setting_out_of_its_range_is_refused_with_the_name_of_the_box) {
  const auto w = worker("w", takes(n), gives(n), in_cpp);
  EXPECT_THROW(w.within(0s), type_error);
  EXPECT_THROW(w.within(std::chrono::hours::min()), type_error);
  EXPECT_NO_THROW(w.within(std::chrono::hours::max()));
  EXPECT_NO_THROW(w.within(1.5s));
  EXPECT_EQ(refusal<type_error>([&] { w.within(std::chrono::duration<float>(-1)); }),
            "box w: within(-1 s), expected more than 0");
  EXPECT_THROW(w.memory(0), type_error);
  EXPECT_THROW(w.retries(-1), type_error);
  EXPECT_THROW(w.retries(101), type_error);
  EXPECT_THROW(worker("w", takes(n), gives(n), {}), type_error);
  EXPECT_THROW(isolated(box_network<tag>(w)), type_error);
}

TEST_F(workers, the_host_s_box_of_that_name_with_other_labels_or_another_callable_ends_the_run) {
  const std::string labels = error_of(isolated(box("misbehave", takes(n), gives(pid), behave)));
  EXPECT_TRUE(has(labels, "pid")) << labels;
  const std::string code = error_of(isolated(box("misbehave", takes(n), gives(n), [](std::int64_t x) { return x; })));
  EXPECT_TRUE(has(code, "another callable")) << code;
}

TEST_F(workers, a_host_whose_main_does_not_call_host_ends_as_it_starts_a_run) {
  FILE* const from = popen(WEIR_CPP_WORKER " --no-host 2>&1", "r");
  ASSERT_TRUE(from);
  std::string all;
  for (int c; (c = std::fgetc(from)) != EOF;) all += static_cast<char>(c);
  pclose(from);
  const std::string told = "main() has not called weir::host(..)", started = "a run was started";
  EXPECT_TRUE(has(all, told) && has(all, started)) << all;
  EXPECT_EQ(all.find(started), all.rfind(started)) << all;
}

TEST_F(workers, a_box_that_no_host_runs_ends_the_run_and_says_what_main_has_to_call) {
  const std::string error = error_of(isolated(box("nowhere", takes(n), gives(n), behave)));
  EXPECT_TRUE(has(error, "nowhere")) << error;
}

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  using namespace weir::testing;
  weir::host(echo(), greet(), count(), misbehave(), remember(), brighten(), swallow(), print(), talk(), see_affinity(),
             see_cores(), move_on(), pass(), together(), emit_together(), box("crowd", takes(n), gives(n), compute_on),
             box("lonely", takes(n), gives(n), compute_on));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
