// Explores the schedules of small programs: each by random walks, by priorities at depths 1 to 4, and by deviations.
// These are each deviation, then each pair, from the schedule in which every thread runs until it waits. A failure is
// reported with the plan that repeats it and the fewest switches that do, and ends with exit code 1.

#include <fmt/format.h>

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "tests/schedules/campaign.hpp"
#include "tests/schedules/plan_text.hpp"
#include "tests/schedules/programs.hpp"
#include "tests/schedules/schedule_exploration.hpp"

namespace weir::testing {
namespace {

struct wanted {
  std::vector<std::string> programs;
  std::string replay;
  campaign_options how;
  bool list = false;
};

int replay(const std::vector<schedule_program>& programs, const std::string& what) {
  const std::size_t at = what.find(' ');
  const auto program =
      std::find_if(programs.begin(), programs.end(), [&](const auto& p) { return p.name == what.substr(0, at); });
  if (program == programs.end() || at == std::string::npos)
    throw CLI::ValidationError("--replay", "expected 'PROGRAM PLAN', got '" + what + "'");
  schedule_plan plan;
  try {
    plan = plan_of(what.substr(at + 1));
  } catch (const std::exception& e) {
    throw CLI::ValidationError("--replay", e.what());
  }
  schedule_exploration all;
  const auto failed = all.run(*program, {plan});
  fmt::print("{}\n", failed ? failed->why : fmt::format("it does not fail; {} steps", all.steps()));
  return failed ? 1 : 0;
}

int run(const wanted& w) {
  spdlog::register_logger(
      std::make_shared<spdlog::logger>("weir"));  // its lines about threads that fail to start are wanted

  std::vector<schedule_program> programs = schedule_programs();
  if (w.list) {
    for (const schedule_program& p : programs) fmt::print("{}\n", p.name);
    return 0;
  }
  if (!w.replay.empty()) return replay(programs, w.replay);
  if (!w.programs.empty()) {
    std::erase_if(programs, [&](const auto& p) {
      return std::none_of(w.programs.begin(), w.programs.end(),
                          [&](const std::string& part) { return p.name.find(part) != std::string::npos; });
    });
    if (programs.empty()) throw CLI::ValidationError("--programs", "no program has such a name; --list prints them");
  }
  schedule_exploration all;
  return campaign(all, std::move(programs), w.how).run() ? 0 : 1;
}

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  weir::testing::wanted w;
  CLI::App app("Explores schedules of small programs of weir");
  app.add_option("--programs", w.programs, "parts of their names; all by default")->delimiter(',');
  app.add_option("--schedules", w.how.schedules, "of each program, about; by default as many as there is time for");
  app.add_option("--in-all", w.how.in_all, "of all programs together, about");
  app.add_option("--seconds", w.how.seconds, "for all")->capture_default_str();
  app.add_option("--seed", w.how.first_seed, "the first one")->capture_default_str();
  app.add_flag("--exhaustive", w.how.exhaustive, "nothing but each deviation, alone, in pairs and with faults");
  app.add_option("--replay", w.replay, "'PROGRAM PLAN' as a failure prints it: runs this one schedule");
  app.add_flag("--list", w.list, "prints the programs");
  try {
    app.parse(argc, argv);
    return weir::testing::run(w);
  } catch (const CLI::Error& e) {
    return app.exit(e);
  }
}
