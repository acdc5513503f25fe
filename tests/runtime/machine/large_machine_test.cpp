#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/peak_count.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/threads.hpp"

// Machines of thousands of cores, simulated on this one: numbers grow with them, threads do not.
namespace weir {
namespace {

using namespace testing;

constexpr int records = 60;
constexpr auto shapes = {"package:8 core:256 pu:2", "package:64 core:64 pu:1"};  // 4096 processing units each

long long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoll(line.substr(6));
  return -1;
}

class a_large_machine : public gives_all_back {
 protected:
  // Maxima that the boxes saw: the largest grants, and the largest number of threads of this process.
  struct sight {
    std::atomic<int> f{0}, g{0}, threads{0};
  };

  void SetUp() override {
    gives_all_back::SetUp();
    before_ = thread_count();
  }

  run_report pass(const machine& m, const policy& p) {
    seen_.f = seen_.g = seen_.threads = 0;
    options o;
    o.machine = m;
    o.policy = p;
    const auto look = [this](std::atomic<int>& most, const grant& given, std::int64_t v) {
      EXPECT_TRUE(given.cpus().empty());
      raise_to(most, given.size());
      raise_to(seen_.threads, thread_count());
      return v + 1;
    };
    execution run =
        start(box("f", takes(n), gives(n), [&](const grant& g, std::int64_t v) { return look(seen_.f, g, v); }) >>
                  box("g", takes(n), gives(n), [&](const grant& g, std::int64_t v) { return look(seen_.g, g, v); }),
              o);
    for (int i = 0; i < records; ++i) run.send(n = i);
    run.close();
    std::int64_t next = 2;
    for (const record& r : run) EXPECT_EQ(r[n], next++);
    EXPECT_EQ(next, records + 2);
    return run.report();
  }

  sight seen_;
  int before_ = 0;
};

// Threads are made on demand: at most one per lane, in addition to the deciding thread, and no more than records call
// for, however late they start.
TEST_F(a_large_machine, runs_a_network_under_every_policy_on_few_threads_and_little_memory) {
  const long long kilobytes = peak_kilobytes();
  for (const char* text : shapes) {
    const machine m = machine::synthetic(text);
    for (const policy& p : {policy(adaptive{objective::throughput}), policy(adaptive{objective::latency}),
                            policy(equal_shares{}), policy(fixed_shares{{"f", 2000, 1000}, {"g", 48, 4}})}) {
      SCOPED_TRACE(std::string(text) + ", " + p.name());
      const run_report r = pass(m, p);
      ASSERT_GE(r.decisions.size(), 1u);
      int lanes = 0, largest = 1;
      for (const decision& d : r.decisions) {
        EXPECT_EQ(check(d.to, core_set::range(0, m.size())), "");
        lanes += d.to.shared.size();
        if (std::ranges::all_of(d.to.components, &share::is_member)) largest = std::max(largest, d.to.shared.size());
        for (const share& s : d.to.components) {
          lanes += s.cores.empty() ? 0 : s.width;
          largest = std::max(largest, (s.cores.size() + s.width - 1) / s.width);
        }
      }
      EXPECT_LE(std::max(seen_.f.load(), seen_.g.load()), largest);
      EXPECT_LE(seen_.threads - before_, lanes + 1);
      EXPECT_LT(seen_.threads - before_, 1000) << "of 1000 lanes most had nothing to do";
    }
  }
  if (!sanitized) {  // sanitizers use memory of their own
    EXPECT_LT(peak_kilobytes() - kilobytes, 100'000);
  }
}

TEST_F(a_large_machine, grants_all_its_cores_to_one_invocation) {
  for (const char* text : shapes) {
    const machine m = machine::synthetic(text);
    pass(m, fixed_shares{{"f", m.size()}});
    EXPECT_EQ(seen_.f, m.size());
    EXPECT_EQ(seen_.g, 1);
    pass(m, fixed_shares{{"f", m.size() - 1}, {"g", 1}});
    EXPECT_EQ(seen_.f, m.size() - 1);
  }
}

}  // namespace
}  // namespace weir
