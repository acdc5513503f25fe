#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <weir/run/execution.hpp>
#include "tests/runtime/language/labels.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gives_all_back.hpp"
#include "tests/support/refusal.hpp"

namespace weir {
namespace {

using namespace testing;

// The text of the log while it exists.
class a_run_with_progress : public gives_all_back {
 protected:
  a_run_with_progress() {
    spdlog::drop("weir");
    auto logger = std::make_shared<spdlog::logger>("weir", sink_);
    logger->set_pattern("%l %v");
    spdlog::register_logger(logger);
  }
  ~a_run_with_progress() override { spdlog::drop("weir"); }

  static options every(double seconds) {
    options o;
    o.machine = machine::synthetic("core:2 pu:1");
    o.progress = seconds;
    return o;
  }

  std::ostringstream said_;
  std::shared_ptr<spdlog::sinks::ostream_sink_mt> sink_ = std::make_shared<spdlog::sinks::ostream_sink_mt>(said_);
};

// The run is kept going until it must have said something, however slow the machine is.
TEST_F(a_run_with_progress, says_now_and_then_how_many_records_went_in_and_out) {
  using clock = std::chrono::steady_clock;
  execution run = start(box("f", takes(n), gives(n), plus_one), every(0.25));
  const auto began = clock::now();
  std::int64_t sent = 0;
  while (clock::now() - began < std::chrono::milliseconds(800)) run.send(n = sent++);
  run.close();
  run.wait();
  run = start(box("g", takes(n), gives(n), plus_one), every(0));  // the run before is gone, and with it who writes
  const std::string text = said_.str();
  EXPECT_EQ(text.rfind("info ", 0), 0u) << text;
  EXPECT_NE(text.find(" records in, "), std::string::npos) << text;
  EXPECT_NE(text.find(", 0 failed"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 4) << "no more often than was asked for\n" << text;
}

TEST_F(a_run_with_progress, says_nothing_unless_it_was_asked_to) {
  execution run = start(box("f", takes(n), gives(n), plus_one), every(0));
  for (int i = 0; i < 1000; ++i) run.send(n = i);
  run.close();
  run.wait();
  EXPECT_EQ(said_.str(), "");
}

TEST_F(a_run_with_progress, refuses_what_is_no_number_of_seconds) {
  for (const double bad : std::vector<double>{-1, 0.1, INFINITY, NAN}) {
    const std::string why =
        refusal<std::invalid_argument>([&] { start(box("f", takes(n), gives(n), plus_one), every(bad)); });
    EXPECT_NE(why.find("options.progress is "), std::string::npos) << bad << ": " << why;
  }
}

}  // namespace
}  // namespace weir
