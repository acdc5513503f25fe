#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "bench/corpus/common/corpus_job.hpp"
#include "bench/corpus/corpus_subcommands.hpp"
#include "bench/corpus/run_result.hpp"
#include "bench/corpus/way_names.hpp"
#include "bench/corpus/ways/ways.hpp"
#include "bench/support/bad_input.hpp"
#include "bench/support/interruption.hpp"
#include "bench/support/number_range.hpp"
#include "bench/support/output_file.hpp"
#include "bench/support/progress_bar.hpp"
#include "bench/support/quantile.hpp"
#include "bench/support/scratch_folder.hpp"
#include "bench/support/standard_output.hpp"
#include "bench/weir/common/report_file.hpp"
#include "bench/weir/common/trace_file.hpp"
#include "components/documents/text_reader.hpp"
#include "runtime/threads/cpu_seconds.hpp"

namespace weir::corpus {
namespace {

namespace fs = std::filesystem;

struct run_request {
  std::string input, output;
  named_way by;
  weir_settings how;
  std::size_t shard_kb = 256;
  double rate = 0;
  std::optional<double> latency;
  std::optional<std::string> result;
  bool json = false, images = false, is_child = false;
};

// The peak of this process since it became this program: getrusage's maximum also has that of the program that started
// it.
double own_peak_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

void measure_process(run_result& run) {
  run.peak_mb = own_peak_mb();
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    run.cpu_seconds += detail::cpu_seconds_in(used);
    if (whose == RUSAGE_CHILDREN) run.peak_mb = std::max(run.peak_mb, static_cast<double>(used.ru_maxrss) / 1024);
  }
}

// Before anything is read or written.
void require_reader() {
  try {
    const components::text_reader needed;
  } catch (const std::exception& e) {
    throw program::bad_input(e.what());
  }
}

int run_way(const run_request& asked) {
  if (asked.is_child) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const program::interruption by_user;
  require_reader();
  require_use_of(asked.by, asked.images);
  options how = options_of(asked.by, asked.how, asked.images);
  const auto documents = documents_in(asked.input);
  const std::string& way = asked.by.way;
  program::require_different({{"--report", asked.how.report}, {"--trace", asked.how.trace}});
  std::optional<program::report_file> report;
  if (asked.how.report) report.emplace(*asked.how.report);
  std::optional<program::trace_file> trace;
  if (asked.how.trace) trace.emplace(*asked.how.trace);
  std::optional<program::output_file> result;
  if (asked.result) result.emplace("--result", *asked.result);
  const int cores = asked.by.limited ? 1 : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  job_settings settings{asked.shard_kb << 10, asked.rate, cores, {}};
  if (asked.images) settings.images = asked.by.onetbb ? image_threads::onetbb : image_threads::openmp;
  corpus_job job(documents, asked.output, settings);

  run_result run;
  run.way = asked.by.name;
  run.latency_bound = asked.latency;
  {
    program::progress_bar progress(documents.size(), !asked.json);
    progress.label(run.way);
    job.on_document = [&] {
      ++run.documents;
      progress.advance();
    };
    if (way == "sequential") {
      run_sequential(job);
    } else if (way == "pipeline") {
      run_pipeline(job);
    } else if (way == "flow-graph") {
      run_flow_graph(job);
    } else if (way == "xargs") {
      const program::scratch_folder scratch(fs::path(asked.output) += ".xargs");
      run_xargs(job, fs::read_symlink("/proc/self/exe"), asked.input, scratch.path());
    } else {
      if (trace) how.trace = trace->of_run(run.way);
      const run_report made = run_weir(job, how);
      run.moves = static_cast<int>(made.decisions.size()) - 1;
      if (report) report->write("weir corpus: " + asked.input, {{run.way, made.json()}});
    }
  }
  const std::string left_out = trace ? trace->write() : "";
  run.interrupted = program::interruption::asked();
  run.pages = job.latencies().size();
  run.taken_over = job.taken_over();
  run.failed = job.broken();
  run.seconds = job.seconds();
  if (run.pages > 0) {
    run.latency_p50 = program::quantile(job.latencies(), 0.5);
    run.latency_p99 = program::quantile(job.latencies(), 0.99);
  }
  measure_process(run);
  if (result) {
    result->write(to_json(run).dump() + "\n");
  } else {
    run.score = run.interrupted ? std::nullopt : score_of(asked.input, asked.output);
    program::print(asked.json ? to_json(run).dump(2) + "\n"
                              : to_text(run) + (run.score ? to_text(*run.score) : "") + left_out);
  }
  return run.interrupted ? program::interruption::exit_code() : 0;
}

}  // namespace

std::function<int()> add_run(CLI::App& app) {
  const auto asked = std::make_shared<run_request>();
  const auto name = std::make_shared<std::string>();
  CLI::App* const sub = app.add_subcommand(
      "run", "A folder of PDFs and pictures becomes shards of clean text; a run that was interrupted is resumed");
  sub->add_option("input", asked->input, "The folder of documents")->required();
  sub->add_option("output", asked->output, "The folder of shards: a new one, or that of an interrupted run")
      ->required();
  sub->add_option("--policy", asked->how.policy,
                  "adaptive (default), best-fixed-by-model, equal, shared, or cores by component: "
                  "fixed:read=2x2,clean=1");
  sub->add_option("--objective", asked->how.objective,
                  "Of adaptive and best-fixed-by-model: throughput (default), latency, latency_at:RATE (records a "
                  "second)");
  sub->add_option("--way", *name,
                  "Without weir: sequential, pipeline, flow-graph, xargs; each also with \" limited\", with --images "
                  "\" limited onetbb\"");
  sub->add_option("--rate", asked->rate, "Documents that arrive a second (default: all are there)")
      ->check(program::number_range(0, 1e6));
  sub->add_option("--latency", asked->latency,
                  "Seconds that 99 of 100 pages may take from arrival: says whether they did")
      ->check(program::number_range(1e-9, 1e9));
  sub->add_flag("--images", asked->images, "Keep the picture of each page that is read, as JPEG XL");
  sub->add_option("--shard-kb", asked->shard_kb, "Text in a shard, about")
      ->transform(program::whole_range(1, 1 << 20))
      ->capture_default_str();
  sub->add_option("--capacity", asked->how.capacity, "Records that a stream holds (default 0: automatic)")
      ->transform(program::whole_range(0, 1 << 30));
  sub->add_option("--report", asked->how.report, program::report_help);
  sub->add_option("--trace", asked->how.trace, program::trace_help);
  sub->add_flag("--json", asked->json, "For programs");
  sub->add_option("--result", asked->result)->group("");
  sub->add_flag("--child", asked->is_child)->group("");
  return [asked, name] {
    asked->by =
        name->empty() ? named_way{"weir " + asked->how.policy.value_or("adaptive"), "weir", ""} : parse_way(*name);
    return run_way(*asked);
  };
}

std::function<int()> add_document(CLI::App& app) {
  struct request {
    std::string input, folder;
    std::size_t number = 0;
  };
  const auto asked = std::make_shared<request>();
  CLI::App* const sub = app.add_subcommand("document", "One document, for --way xargs")->group("");
  sub->add_option("input", asked->input)->required();
  sub->add_option("folder", asked->folder)->required();
  sub->add_option("number", asked->number)->required();
  return [asked] {
    const auto documents = documents_in(asked->input);
    if (asked->number >= documents.size())
      throw program::bad_input(fmt::format("document: there is no number {}", asked->number));
    write_pages_of(documents[asked->number], fs::path(asked->folder) / std::to_string(asked->number));
    return 0;
  };
}

}  // namespace weir::corpus
