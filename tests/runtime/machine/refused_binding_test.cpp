#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <weir/weir.hpp>

#include "runtime/machine/machine_state.hpp"
#include "runtime/machine/platform.hpp"
#include "tests/runtime/language/labels.hpp"
#include "tests/support/gives_all_back.hpp"

namespace weir {
namespace {

using namespace testing;

// This machine, but the system refuses to bind any thread.
class unbindable final : public detail::platform {
 public:
  const std::shared_ptr<const topology>& cores() const override { return real_->cores(); }
  bool is_local() const override { return true; }
  double now() const noexcept override { return real_->now(); }
  detail::thread_usage usage() const noexcept override { return real_->usage(); }
  detail::cpu_clock own_cpu_clock() const noexcept override { return real_->own_cpu_clock(); }
  double cpu_seconds(detail::cpu_clock of) const noexcept override { return real_->cpu_seconds(of); }
  bool bind(const core_set&) noexcept override { return false; }
  bool unbind() noexcept override { return false; }

 private:
  std::shared_ptr<detail::platform> real_ = detail::local_platform();
};

class a_machine_that_refuses_binding : public gives_all_back {};

TEST_F(a_machine_that_refuses_binding, still_runs_and_the_report_says_so) {
  options o;
  o.machine = machine(std::make_shared<detail::machine_state>(std::make_shared<unbindable>()));
  execution run = start(box("f", takes(n), gives(n), [](std::int64_t v) { return v + 1; }), o);
  for (int i = 0; i < 100; ++i) run.send(n = i);
  run.close();
  std::int64_t next = 0;
  for (const record& r : run) ASSERT_EQ(r[n], 1 + next++);
  EXPECT_EQ(next, 100);
  const auto notes = run.report().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const std::string& s) { return s.find("refused to bind") != std::string::npos; }));
}

}  // namespace
}  // namespace weir
