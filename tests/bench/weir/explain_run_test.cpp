#include <atomic>
#include <chrono>
#include <iomanip>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>

#include <weir/engine/trace.hpp>
#include <weir/network/box.hpp>
#include <weir/record/label.hpp>
#include <weir/run/execution.hpp>
#include <weir/scheduler/machine/core_set.hpp>
#include "components/emulated.hpp"
#include "tests/bench/weir/command.hpp"
#include "tests/bench/weir/made_observations.hpp"

// Real runs with a cause planted in a component. Components sleep for their cost, on four cores that the machine need
// not have. The command gets only the run's own output.
namespace weir::testing {
namespace {

using components::emulate;
using nlohmann::json;

constexpr const char* four_cores = "package:1 l3:1 core:4 pu:1";
constexpr tag x{"x"}, id{"id"};

class explained_run : public ::testing::Test {
 protected:
  options how(policy rule) {
    options o;
    o.policy = std::move(rule);
    o.machine = machine_;
    o.on_observation = [this](std::string_view component, const observation& seen) {
      const std::lock_guard lock(mutex_);
      rows_ << component << ',' << seen.x << ',' << seen.cores << ',' << seen.seconds << ',' << seen.start << ','
            << seen.width << ",\"" << to_string(core_set::range(static_cast<int>(seen.first_core), seen.cores)) << "\","
            << seen.queue << ',' << (seen.after_move ? 1 : 0) << '\n';
    };
    return o;
  }

  json factors_of(const std::string& component) {
    const std::lock_guard lock(mutex_);
    return factors_of(component,
                      write_file(folder_.at("o.csv"),
                                 "component,x,cores,seconds,start,width,core_set,queue,after_move\n" + rows_.str()));
  }

  static json factors_of(const std::string& component, const std::string& file) {
    const outcome o =
        run_weir("explain --json " + file + " --component " + component + " --machine '" + four_cores + "'");
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? o.json().at("components").at(0).at("factors") : json::array();
  }

  const machine machine_ = machine::synthetic(four_cores);
  const scratch_folder folder_;
  std::mutex mutex_;
  std::ostringstream rows_{std::ostringstream() << std::setprecision(17)};
};

// While `encode` works on a record, `decode` takes twice as long for each piece of the next one. The run's trace says
// so, too.
TEST_F(explained_run, names_the_component_that_slows_another_down) {
  std::atomic<bool> encoding{false};
  std::mt19937_64 random(1);
  const network net = box("decode", takes(x), gives(x),
                          [&](std::int64_t v) {
                            for (int piece = 0; piece < 10; ++piece) emulate({{encoding ? 1.2e-3 : 0.6e-3}}, 1, 1);
                            return v;
                          }) >>
                      box("encode", takes(x), gives(x), [&](std::int64_t v) {
                        encoding = true;
                        emulate({{0, 1e-3}}, static_cast<double>(v), 1);
                        encoding = false;
                        return v;
                      });
  options o = how(fixed_shares{{"decode", 1}, {"encode", 1}});
  const tracer trace;
  o.trace = trace;
  execution run = start(net, o);
  for (int i = 0; i < 300; ++i) run.send(x = static_cast<std::int64_t>(random() % 12));
  run.close();
  run.wait();
  trace.write(folder_.at("trace.json"));
  for (const json& factors : {factors_of("decode"), factors_of("decode", folder_.at("trace.json"))}) {
    ASSERT_FALSE(factors.empty());
    EXPECT_EQ(factors[0].at("feature"), "overlap with `encode` on the same L3") << factors;
    EXPECT_NEAR(factors[0].at("effect_percent").get<double>(), 100, 30);
  }
}

TEST_F(explained_run, names_an_odd_x_that_is_serial) {
  std::mt19937_64 random(2);
  const network net = box("filter", takes(x), gives(x), [](const grant& given, std::int64_t v) {
                        emulate({{4e-3, 4e-5}, v % 2 == 0 ? 0.98 : 0.0}, static_cast<double>(v), given.size());
                        return v;
                      }).predicted_by([](std::int64_t v) { return static_cast<double>(v); }, degree{1});
  execution run = start(net, how(fixed_shares{{"filter", 4}}));
  for (int i = 0; i < 200; ++i) run.send(x = static_cast<std::int64_t>(50 + random() % 100));
  run.close();
  run.wait();
  const json factors = factors_of("filter");
  ASSERT_FALSE(factors.empty());
  EXPECT_EQ(factors[0].at("feature"), "odd x") << factors;
}

// A second run comes and goes, so the cores of the first change; data that it keeps per core is then cold.
TEST_F(explained_run, names_a_cold_first_invocation_after_a_move) {
  int warm_for = 0;
  const network net = box("multiply", takes(x), gives(x), [&](const grant& given, std::int64_t v) {
    emulate({{given.size() == warm_for ? 3e-3 : 12e-3}}, 1, 1);
    warm_for = given.size();
    return v;
  });
  const network guest = box("guest", takes(id), gives(id), [](std::int64_t v) {
    emulate({{5e-3}}, 1, 1);
    return v;
  });
  execution run = start(net, how(equal_shares{}));
  for (int visit = 0; visit < 12; ++visit) {
    {
      options of_guest;
      of_guest.policy = equal_shares{};
      of_guest.machine = machine_;
      execution other = start(guest, of_guest);
      for (int i = 0; i < 8; ++i) {
        other.send(id = std::int64_t{i});
        run.send(x = std::int64_t{1});
      }
      other.close();
      other.wait();
    }
    for (int i = 0; i < 12; ++i) run.send(x = std::int64_t{1});
  }
  run.close();
  run.wait();
  const json factors = factors_of("multiply");
  ASSERT_FALSE(factors.empty()) << rows_.str();
  EXPECT_EQ(factors[0].at("feature"), "first after a move") << factors;
}

}  // namespace
}  // namespace weir::testing
