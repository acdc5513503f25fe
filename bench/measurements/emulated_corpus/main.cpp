// The document network of `weir corpus` on more cores than there are, its components asleep for as long as the work
// takes. Compares adaptive shares with fixed ones, equal ones and everything shared, in interleaved runs.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "bench/measurements/emulated_corpus/comparison.hpp"
#include "bench/support/host.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/program.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/common/report_file.hpp"

namespace {

using namespace weir::emulated_corpus;
using json = nlohmann::ordered_json;

// Fixed shares that were tried. Most cores for `read`, as many lanes, since a second core makes no page faster.
// Components that are not named share the rest.
const std::vector<std::string> tried{"fixed:read=32x32", "fixed:read=36x36", "fixed:read=38x38", "fixed:read=40x40",
                                     "fixed:read=44x44"};

struct request {
  std::size_t pages = 3000;
  int rounds = 5;
  std::uint64_t seed = 1;
  double rate = 100;  // a first third that is mostly scans takes 48 cores to some 200
  double most_seconds = 30;
  std::string machine = "package:4 core:12 pu:1";
  emulation how;
  std::vector<std::string> policies, loads{"all", "rate"};
  bool json = false, decisions = false;
  std::optional<std::string> report;
};

std::vector<std::string> all_policies() {
  std::vector<std::string> all{"adaptive throughput", "adaptive latency_at", "equal", "shared"};
  all.insert(all.end(), tried.begin(), tried.end());
  return all;
}

// Throws bad_input for text that names none.
weir::policy policy_of(const std::string& text, double rate) {
  if (text == "adaptive throughput") return weir::adaptive{weir::objective::throughput};
  if (text == "adaptive latency_at") return weir::adaptive{weir::objective::latency_at(rate)};
  if (text == "shared") return weir::fixed_shares(std::vector<weir::fixed_share>{});
  return weir::program::parse_policy(text).rule;
}

std::vector<comparison> run_all(const request& asked) {
  std::vector<std::pair<std::string, weir::policy>> policies;
  for (const std::string& text : asked.policies) policies.emplace_back(text, policy_of(text, asked.rate));
  std::vector<comparison> all;
  for (const std::string& load : asked.loads) all.push_back({load == "rate" ? asked.rate : 0, asked.pages, {}});
  weir::program::progress_bar bar(policies.size() * all.size() * static_cast<std::size_t>(asked.rounds), !asked.json);
  for (int round = 1; round <= asked.rounds; ++round) {
    trial t;
    t.seed = asked.seed + static_cast<std::uint64_t>(round) - 1;
    t.documents = std::make_shared<const std::vector<document>>(draw_documents(asked.pages, t.seed));
    t.machine = asked.machine;
    t.how = asked.how;
    t.most_seconds = asked.most_seconds;
    for (comparison& c : all)
      for (const auto& [text, rule] : policies) {
        bar.label(fmt::format("{}, {}, round {}", c.title(), text, round));
        t.rate = c.rate;
        outcome o = run_once(t, text, rule);
        o.round = round;
        c.runs.push_back(std::move(o));
        bar.advance();
      }
  }
  return all;
}

std::string heading(const request& asked) {
  const std::vector<document> first = draw_documents(asked.pages, asked.seed);
  return fmt::format(
      "emulated corpus: {} pages ({} scanned) of {} documents in round 1; {} rounds, seeds from {}\n"
      "  machine   {}, emulated on {}, {}, {} build\n"
      "  times     as measured, times {:g}; alpha of read {:g}; a run is stopped after {:g} s\n\n",
      pages_in(first), scanned_pages_in(first), first.size(), asked.rounds, asked.seed,
      weir::program::parse_machine(asked.machine).summary(), weir::machine::local().summary(),
      weir::program::processor_name(), weir::program::build_type(), asked.how.scale, asked.how.read_alpha,
      asked.most_seconds);
}

json to_json(const request& asked, const std::vector<comparison>& all) {
  json comparisons = json::array();
  for (const comparison& c : all) comparisons.push_back(to_json(c));
  return {{"machine", weir::machine::local().summary()},
          {"processor", weir::program::processor_name()},
          {"build", weir::program::build_type()},
          {"emulated", weir::program::parse_machine(asked.machine).summary()},
          {"seed", asked.seed},
          {"rounds", asked.rounds},
          {"scale", asked.how.scale},
          {"read_alpha", asked.how.read_alpha},
          {"most_seconds", asked.most_seconds},
          {"comparisons", std::move(comparisons)}};
}

// The page shows the first run of each policy, and compares all rounds.
void write_page(const weir::program::report_file& page, const std::vector<comparison>& all) {
  std::vector<weir::named_report> shown;
  std::vector<weir::page_table> tables;
  for (const comparison& c : all) {
    tables.push_back(table_of(c));
    for (const outcome& o : c.runs)
      if (o.round == 1) shown.push_back({o.policy + ", " + c.title(), o.report.json()});
  }
  page.write("documents to text on emulated cores", shown, tables);
}

// 1 where a page is missing, came twice or out of order.
int run(const request& asked) {
  weir::program::parse_machine(asked.machine);  // refused now rather than by the first run
  std::optional<weir::program::report_file> page;
  if (asked.report) page.emplace(*asked.report);
  const std::vector<comparison> all = run_all(asked);
  if (asked.json) {
    fmt::print("{}\n", to_json(asked, all).dump(2));
  } else {
    fmt::print("{}", heading(asked));
    for (const comparison& c : all) fmt::print("{}\n", to_text(c));
    for (const comparison& c : all) fmt::print("{}", asked.decisions ? decisions_text(c) : "");
  }
  if (page) write_page(*page, all);
  for (const comparison& c : all)
    for (const outcome& o : c.runs)
      if (!o.right) {
        fmt::print(stderr, "emulated_corpus: {}, {}: pages are missing or out of order\n", c.title(), o.policy);
        return 1;
      }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The document network on emulated cores: adaptive beside fixed, equal and shared"};
  request r;
  r.policies = all_policies();
  std::vector<std::string> only;
  app.add_flag("--json", r.json, "machine-readable output");
  app.add_option("--pages", r.pages, "of a run, about")->check(CLI::Range(1, 10'000'000))->capture_default_str();
  app.add_option("--rounds", r.rounds, "runs of each policy, each with other documents")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seed", r.seed, "of the first round's documents")
      ->transform(weir::program::whole_range())
      ->capture_default_str();
  app.add_option("--load", r.loads, "all: all documents are there; rate: they arrive at --rate")
      ->delimiter(',')
      ->check(CLI::IsMember({"all", "rate"}))
      ->capture_default_str();
  app.add_option("--rate", r.rate, "documents that arrive a second, at random; what latency_at is told")
      ->check(weir::program::number_range(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--most-seconds", r.most_seconds, "a run that takes longer is stopped")
      ->check(weir::program::number_range(0.1, 3600))
      ->capture_default_str();
  app.add_option("--machine", r.machine, "an hwloc synthetic topology, or local")->capture_default_str();
  app.add_option("--alpha", r.how.read_alpha, "the part of `read` that its cores divide")
      ->check(weir::program::number_range(0, 1))
      ->capture_default_str();
  app.add_option("--scale", r.how.scale, "of all times")
      ->check(weir::program::number_range(0.001, 1000))
      ->capture_default_str();
  app.add_option(
         "--policy", only,
         "adaptive throughput, adaptive latency_at, equal, shared, fixed:read=40x40,.. (default: all, and these "
         "fixed ones: " +
             fmt::format("{}", fmt::join(tried, " ")) + ")")
      ->allow_extra_args(false);
  app.add_flag("--decisions", r.decisions, "every decision of every run");
  app.add_option("--report", r.report, weir::program::report_help + ": the first run of each policy");
  return weir::program::run_program(app, argc, argv, [&] {
    if (!only.empty()) r.policies = only;
    return run(r);
  });
}
