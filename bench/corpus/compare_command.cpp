#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "bench/corpus/common/child_process.hpp"
#include "bench/corpus/common/document_list.hpp"
#include "bench/corpus/compare_report.hpp"
#include "bench/corpus/corpus_subcommands.hpp"
#include "bench/corpus/way_names.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/scratch_folder.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/common/trace_file.hpp"

namespace weir::corpus {
namespace {

namespace fs = std::filesystem;

struct compare_request {
  std::string input;
  std::vector<std::string> ways;
  int rounds = 3;
  double rate = 0;
  std::optional<double> latency, seconds;
  std::size_t shard_kb = 256;
  std::optional<std::size_t> capacity;
  std::optional<std::string> out, report, trace;
  bool json = false, images = false;
};

// Runs each way in a process of its own. So nothing that one leaves behind helps or hinders the next, and the peak of
// its memory is its own. The limit by hand is set where one would set it, in the environment.
class comparison {
 public:
  explicit comparison(const compare_request& asked) : asked_(asked) {}

  run_result run(const named_way& way, int round) {
    const fs::path output = work_.path() / "output", result = work_.path() / "result.json";
    fs::remove_all(output);
    std::vector<std::string> program{fs::read_symlink("/proc/self/exe"),
                                     "run",
                                     asked_.input,
                                     output,
                                     "--way",
                                     way.name,
                                     "--result",
                                     result,
                                     "--child",
                                     "--json",
                                     "--shard-kb",
                                     std::to_string(asked_.shard_kb)};
    if (asked_.capacity && way.way == "weir")
      program.insert(program.end(), {"--capacity", std::to_string(*asked_.capacity)});
    if (asked_.images) program.emplace_back("--images");
    if (asked_.rate > 0) program.insert(program.end(), {"--rate", fmt::format("{}", asked_.rate)});
    const bool is_shown = asked_.report && way.way == "weir" && round == 1;
    const fs::path data = work_.path() / "report.json";
    if (is_shown) program.insert(program.end(), {"--report", data});
    if (asked_.trace && !is_traced_ && way.way == "weir") {
      program.insert(program.end(), {"--trace", *asked_.trace});
      is_traced_ = true;
    }
    if (asked_.latency) program.insert(program.end(), {"--latency", fmt::format("{}", *asked_.latency)});
    child_process child(program, {{"OMP_THREAD_LIMIT", way.limited ? "1" : ""}});
    if (const int code = child.wait(); code != 0) {
      if (program::interruption::asked()) throw program::interrupted_early("interrupted");
      throw std::runtime_error(fmt::format("{} ended with code {}", way.name, code));
    }
    run_result done = run_result_of(nlohmann::ordered_json::parse(program::read_input(result, 1 << 20)));
    done.way = way.name;
    done.round = round;
    compare_output(done, output);
    if (is_shown) {
      const auto page = nlohmann::ordered_json::parse(program::read_input(data, std::size_t{256} << 20));
      shown_.push_back({way.name, page.at("runs").at(0).at("report").dump()});
    }
    return done;
  }

  const std::vector<named_report>& shown() const { return shown_; }  // the first run of each way of weir

 private:
  // Equal outputs have equal scores, so few are computed.
  void compare_output(run_result& done, const fs::path& output) {
    std::string contents = contents_of_output(output);
    if (first_.empty()) first_ = contents;
    done.same_output = contents == first_;
    const auto known = scores_.find(contents);
    done.score = known != scores_.end() ? known->second : score_of(asked_.input, output);
    scores_.emplace(std::move(contents), done.score);
  }

  const compare_request& asked_;
  program::scratch_folder work_;
  std::vector<named_report> shown_;
  bool is_traced_ = false;
  std::string first_;
  std::map<std::string, std::optional<corpus_score>> scores_;
};

// The time that a comparison may take, if there is a limit. It says before a round whether one more as long as the
// longest fits, and before a run whether there is time left.
class time_limit {
 public:
  explicit time_limit(std::optional<double> seconds) : seconds_(seconds.value_or(HUGE_VAL)) {}
  bool allows_round() {
    const double now = elapsed();
    longest_ = std::max(longest_, now - std::exchange(begun_, now));
    return now + longest_ <= seconds_;
  }
  bool allows_run() const { return elapsed() < seconds_; }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  double seconds_, longest_ = 0, begun_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

int run_compare(const compare_request& asked) {
  const program::interruption by_user;
  const auto documents = documents_in(asked.input);
  std::vector<named_way> ways;
  for (const std::string& name : asked.ways) ways.push_back(parse_way(name));
  if (ways.empty()) ways = all_ways(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), asked.images);
  const auto is_weir = [](const named_way& way) { return way.way == "weir"; };
  const bool has_weir = std::any_of(ways.begin(), ways.end(), is_weir);
  const weir_settings of_weir{{}, {}, asked.report, asked.trace, asked.capacity};
  for (const named_way& way : ways) {
    require_use_of(way, asked.images);
    options_of(way, is_weir(way) || !has_weir ? of_weir : weir_settings{}, asked.images);
  }
  std::optional<program::output_file> out;
  std::optional<program::report_file> page;
  program::require_different({{"--out", asked.out}, {"--report", asked.report}, {"--trace", asked.trace}});
  if (asked.out) out.emplace("--out", *asked.out);
  if (asked.report) page.emplace(*asked.report);
  if (asked.trace) program::trace_file{*asked.trace};  // refused now rather than by the first run

  comparison all(asked);
  compare_report report{asked.input, documents.size(), asked.rate, {}, false};
  {
    program::progress_bar progress(ways.size() * static_cast<std::size_t>(asked.rounds), !asked.json);
    try {
      time_limit limit(asked.seconds);
      for (int round = 1; round <= asked.rounds; ++round) {
        if (round > 1 && !limit.allows_round()) throw program::interrupted_early("the time is over");
        for (const named_way& way : ways) {
          if (program::interruption::asked()) throw program::interrupted_early("interrupted");
          if (!report.runs.empty() && !limit.allows_run()) throw program::interrupted_early("the time is over");
          progress.label(fmt::format("{}, round {} of {}", way.name, round, asked.rounds));
          report.runs.push_back(all.run(way, round));
          progress.advance();
        }
      }
    } catch (const program::interrupted_early&) {  // whole rounds are reported, or of the first what there is
      report.interrupted = true;
      const int last = report.runs.empty() ? 0 : report.runs.back().round;
      const auto is_of_last = [&](const run_result& r) { return r.round == last; };
      if (last > 1 && report.runs.size() % ways.size() != 0) std::erase_if(report.runs, is_of_last);
      if (report.runs.empty())
        throw program::interrupted_early("interrupted before the first run was done: nothing to report");
    }
  }
  name_best_fixed(report);
  const std::string json = to_json(report).dump(2) + "\n";
  program::print(asked.json ? json : to_text(report));
  if (out) out->write(json);
  if (page) page->write("weir corpus compare " + asked.input, all.shown(), {table_of(report)});
  const bool differs =
      std::any_of(report.runs.begin(), report.runs.end(), [](const auto& r) { return !r.same_output; });
  return differs ? 1 : program::interruption::asked() ? program::interruption::exit_code() : 0;
}

}  // namespace

std::function<int()> add_compare(CLI::App& app) {
  const auto asked = std::make_shared<compare_request>();
  CLI::App* const sub =
      app.add_subcommand("compare", "One folder in all ways, in interleaved runs: a table; 1 if their outputs differ");
  sub->add_option("input", asked->input, "The folder of documents")->required();
  sub->add_option("--way", asked->ways, "Only these, as in --way \"weir adaptive\" (default: all)")
      ->allow_extra_args(false);
  sub->add_option("--rounds", asked->rounds, "Runs of each way")
      ->transform(program::whole_range(1, 1000))
      ->capture_default_str();
  sub->add_option("--seconds", asked->seconds, "No round begins that would end later, by the longest one before")
      ->check(program::number_range(0, 1e9));
  sub->add_option("--rate", asked->rate, "Documents that arrive a second (default: all are there)")
      ->check(program::number_range(0, 1e6));
  sub->add_option("--latency", asked->latency,
                  "Seconds that 99 of 100 pages may take from arrival: says which ways keep it")
      ->check(program::number_range(1e-9, 1e9));
  sub->add_flag("--images", asked->images, "Each way also keeps the picture of each page that is read, as JPEG XL");
  sub->add_option("--shard-kb", asked->shard_kb, "Text in a shard, about")
      ->transform(program::whole_range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--capacity", asked->capacity, "Records that a stream of weir holds (default 0: automatic)")
      ->transform(program::whole_range(0, 1 << 30));
  sub->add_option("--out", asked->out, "The same as JSON in a file");
  sub->add_option("--report", asked->report, program::report_help + ": the first run of each way of weir");
  sub->add_option("--trace", asked->trace,
                  "Every invocation and move of the first run of weir, as weir corpus run --trace");
  sub->add_flag("--json", asked->json, "For programs");
  return [asked] { return run_compare(*asked); };
}

}  // namespace weir::corpus
