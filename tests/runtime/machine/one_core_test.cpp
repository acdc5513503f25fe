#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/runtime/language/labels.hpp"
#include "tests/runtime/language/witness.hpp"
#include "tests/support/gives_all_back.hpp"

// A process that may use only one core, as in a container: this program restricts itself before anything else runs.
namespace weir {
namespace {

using namespace testing;

const bool restricted = [] {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(affinity().front()), &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}();

class on_one_core : public gives_all_back {
 protected:
  void SetUp() override {
    gives_all_back::SetUp();
    if (!restricted) GTEST_SKIP() << "this system refuses to restrict a process";
    ASSERT_EQ(machine::local().size(), 1);
  }
};

TEST_F(on_one_core, a_network_runs_under_every_policy) {
  for (const policy& p :
       {policy(adaptive{objective::throughput}), policy(equal_shares{}), policy(fixed_shares{{"second", 1}})}) {
    witness w;
    options o;
    o.policy = p;
    execution run = start(watched(w), o);
    for (int i = 0; i < 100; ++i) run.send(n = i);
    run.close();
    const auto got = all_of(run);
    ASSERT_EQ(got.size(), 100u) << p.name();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)][n], i + 1);
    w.expect_no_violation();
    EXPECT_TRUE(w.saw_grant_of(1));
  }
}

TEST_F(on_one_core, the_report_says_what_was_not_possible) {
  execution run = start(box("f", takes(n), gives(n), plus_one));
  run.send(n = 1);
  run.close();
  EXPECT_EQ(all_of(run).size(), 1u);
  const run_report r = run.report();
  if (r.notes.empty()) GTEST_SKIP() << "the machine itself may have one core";
  EXPECT_NE(r.full().find("may use 1 of the machine's"), std::string::npos) << r.full();
}

TEST_F(on_one_core, more_cores_than_there_are_are_refused_by_number) {
  options o;
  o.policy = fixed_shares{{"f", 2}};
  EXPECT_THROW(start(box("f", takes(n), gives(n), plus_one), o), std::invalid_argument);
}

TEST_F(on_one_core, a_long_emission_does_not_keep_its_consumers_from_running) {
  options o;
  o.capacity = 4;
  execution run = start(box("f", takes(n), gives(k),
                            [](std::int64_t count, emitter& emit) {
                              for (std::int64_t i = 0; i < count; ++i) emit(k = i);
                            }) >>
                            box("g", takes(k), gives(k), plus_one).serial(),
                        o);
  run.send(n = 10000);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) EXPECT_EQ(r[k], ++next);
  EXPECT_EQ(next, 10000);
}

}  // namespace
}  // namespace weir
