#include <malloc.h>

#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <weir/process.hpp>
#include <weir/record/pool.hpp>
#include "tests/runtime/language/random_grants.hpp"
#include "tests/runtime/process/python.hpp"
#include "tests/soak/long_run.hpp"
#include "tests/soak/memory.hpp"
#include "tests/soak/processes.hpp"
#include "tests/soak/rounds.hpp"
#include "tests/soak/short_runs.hpp"

// Runs random networks, policies and grants for as long as asked for; see tests/README.md.
namespace weir::testing {
namespace {

volatile std::sig_atomic_t interrupted = 0;

struct task {
  double minutes = 1;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;
  int at_a_time = 3;
  std::string program;     // only this one; "": all
  bool synthetic = false;  // programs do not use this machine's cores
};

class soak {
 public:
  explicit soak(const task& t) : task_(t), blocks_(pool::live()) {
    if (!t.only) begin_programs();
    if (!t.program.empty()) return;
    runs_.emplace(t.at_a_time, t.seed, t.only, violations_);
    if (t.only) return;
    long_.push_back(std::make_unique<long_run>("on 8 synthetic cores", machine::synthetic("core:8 pu:1"),
                                               random_shares(t.seed), true, t.seed, violations_));
    long_.push_back(std::make_unique<long_run>("on this machine", machine::local(), adaptive{objective::throughput},
                                               false, t.seed, violations_));
  }

  // Checks everything each second. False if something hangs: then nothing can be joined any more.
  bool watch() {
    const auto end = start_ + std::chrono::duration<double>(60 * task_.minutes);
    for (auto next = start_; !interrupted && std::chrono::steady_clock::now() < end;) {
      if (std::chrono::steady_clock::now() < next) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      next += std::chrono::seconds(1);
      if (!look()) return false;
    }
    return true;
  }

  void finish() {
    if (runs_) runs_->finish();
    for (auto& p : programs_) p->finish();
    for (auto& l : long_) l->end();
    for (auto& l : long_) last_numbers_.push_back(l->so_far());
    long_.clear();
    if (pool::live() != blocks_)
      violations_.add("blocks of records in use before: " + std::to_string(blocks_) +
                      ", after: " + std::to_string(pool::live()));
  }

  int summary() {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const short_runs::numbers n = runs_ ? runs_->so_far() : short_runs::numbers{};
    std::printf("%.0f s, seed %llu\n", seconds, static_cast<unsigned long long>(task_.seed));
    std::printf(
        "  networks  %llu runs, %llu of them ended early; %llu records, %llu results, %llu failures, %llu allotments\n",
        ull(n.runs), ull(n.ended_early), ull(n.sent), ull(n.results), ull(n.failed), ull(n.decisions));
    for (const auto& p : programs_)
      std::printf("  %-9s %llu rounds, %llu results\n", p->name().c_str(), ull(p->so_far().rounds),
                  ull(p->so_far().results));
    for (const auto& l : long_) last_numbers_.push_back(l->so_far());
    for (const long_run::numbers& l : last_numbers_)
      std::printf(
          "  long run  %llu records, %llu results, %llu failures, %llu grants, %llu allotments; "
          "in flight at most %llu; %.1f s without a result at most\n",
          ull(l.sent), ull(l.results), ull(l.failed), ull(l.leases), ull(l.decisions), ull(l.most_in_flight),
          l.longest_pause);
    judge("resident", resident_);
    judge("in use", in_use_);
    const auto all = violations_.all();
    std::printf("%zu violations\n", all.size());
    for (const std::string& v : all) std::printf("  %s\n", v.c_str());
    return all.empty() ? 0 : 1;
  }

 private:
  static unsigned long long ull(std::uint64_t v) { return v; }

  void begin_programs() {
    const auto begin = [&](const char* name, void (*body)(round&)) {
      if (task_.program.empty() || task_.program == name)
        programs_.push_back(std::make_unique<rounds>(name, body, task_.seed, task_.synthetic, violations_));
    };
    begin("nested", nested_runs);
    begin("callbacks", callbacks);
    begin("senders", senders);
    begin("account", account);
    if ((task_.program.empty() || task_.program == "processes") && !has_python())
      std::printf("processes: no worker is in Python, since there is no Python 3.9\n");
    begin("processes", processes);
  }

  bool look() {
    const memory_use now = memory_now();
    resident_.push_back(now.resident);
    in_use_.push_back(now.in_use);
    std::string hangs = runs_ ? runs_->stalled() : "";
    for (auto& p : programs_)
      if (hangs.empty()) hangs = p->stalled();
    if (!hangs.empty()) {
      violations_.add("hangs: " + hangs);
      return false;
    }
    for (auto& l : long_) {
      if (l->look()) continue;
      violations_.add("hangs: " + l->state());
      return false;
    }
    if (resident_.size() % 60 == 1)
      std::printf("%5zu s: %llu runs, %.1f MB resident, %.1f MB in use\n", resident_.size() - 1,
                  ull(runs_ ? runs_->so_far().runs : 0), now.resident / 1e6, now.in_use / 1e6),
          std::fflush(stdout);
    return true;
  }

  void judge(const char* what, const std::vector<double>& samples) {
    const flatness f = flatness_of(samples);
    std::printf("  %-9s medians of the quarters behind the warm-up: %s\n", what, to_string(f).c_str());
    if (!sanitized && !f.is_flat) violations_.add(std::string("memory grows, ") + what + ": " + to_string(f));
  }

  const task task_;
  const long long blocks_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  violations violations_;
  std::optional<short_runs> runs_;
  std::vector<std::unique_ptr<rounds>> programs_;
  std::vector<std::unique_ptr<long_run>> long_;
  std::vector<long_run::numbers> last_numbers_;
  std::vector<double> resident_, in_use_;
};

}  // namespace
}  // namespace weir::testing

int main(int argc, char** argv) {
  weir::host(weir::testing::box_of_processes());
  weir::testing::task t;
  CLI::App app{
      "Random networks, policies and grants for a while, compared with an oracle; counters and memory watched"};
  app.add_option("--minutes", t.minutes, "how long, fractions too")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  app.add_option("--seed", t.seed, "networks seed, seed + 1, .. are drawn")->capture_default_str();
  app.add_option("--run", t.only, "only this network, over and over: the number that a violation names");
  app.add_option("--at-a-time", t.at_a_time, "networks that run at the same time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--program", t.program, "only this program, with rounds seed, seed + 1, ..")
      ->check(CLI::IsMember({"nested", "callbacks", "senders", "account", "processes"}));
  app.add_flag("--synthetic", t.synthetic, "programs do not use this machine's cores");
  CLI11_PARSE(app, argc, argv);
  spdlog::register_logger(std::make_shared<spdlog::logger>("weir", std::make_shared<spdlog::sinks::null_sink_mt>()));
  std::signal(SIGINT, [](int) { weir::testing::interrupted = 1; });
  weir::testing::soak all(t);
  const bool ends = all.watch();
  if (ends) all.finish();
  const int code = all.summary();
  if (ends) return code;
  std::fflush(nullptr);
  std::_Exit(1);  // a thread that hangs cannot be joined
}
