#include "bench/corpus/run_result.hpp"

#include <fmt/format.h>

#include "bench/support/readable.hpp"

namespace weir::corpus {

using nlohmann::ordered_json;

ordered_json to_json(const run_result& run) {
  ordered_json j{{"way", run.way},
                 {"round", run.round},
                 {"documents", run.documents},
                 {"pages", run.pages},
                 {"seconds", run.seconds},
                 {"pages_per_second", run.pages_per_second()},
                 {"latency_seconds", {{"p50", run.latency_p50}, {"p99", run.latency_p99}}},
                 {"peak_mb", run.peak_mb},
                 {"cpu_seconds", run.cpu_seconds},
                 {"accuracy", nullptr},
                 {"failed", run.failed},
                 {"taken_over", run.taken_over},
                 {"moves", run.moves},
                 {"interrupted", run.interrupted},
                 {"same_output", run.same_output}};
  if (!run.policy.empty()) j["policy"] = run.policy;
  if (run.latency_bound) {
    j["latency_seconds"]["bound"] = *run.latency_bound;
    j["latency_seconds"]["within_bound"] = run.latency_p99 <= *run.latency_bound;
  }
  if (const auto& s = run.score)
    j["accuracy"] = {
        {"characters", s->characters},
        {"characters_in_scans", s->in_scans},
        {"characters_in_digital", s->in_digital},
        {"pages", s->pages},
        {"pages_missing", s->pages_missing},
        {"duplicates", {{"planted", s->duplicates}, {"found", s->duplicates_found}, {"wrong", s->duplicates_wrong}}},
        {"broken", {{"planted", s->broken}, {"listed", s->broken_listed}, {"wrong", s->broken_wrong}}}};
  return j;
}

run_result run_result_of(const ordered_json& j) {
  run_result run;
  run.way = j.at("way");
  run.documents = j.at("documents");
  run.pages = j.at("pages");
  run.seconds = j.at("seconds");
  run.latency_p50 = j.at("latency_seconds").at("p50");
  run.latency_p99 = j.at("latency_seconds").at("p99");
  if (j.at("latency_seconds").contains("bound")) run.latency_bound = j.at("latency_seconds").at("bound");
  run.peak_mb = j.at("peak_mb");
  run.cpu_seconds = j.at("cpu_seconds");
  run.failed = j.at("failed");
  run.taken_over = j.at("taken_over");
  run.moves = j.at("moves");
  run.interrupted = j.at("interrupted");
  return run;
}

std::string to_text(const corpus_score& s) {
  return fmt::format(
      "characters right  {:.3f} % ({:.3f} % in scans, {:.3f} % in digital documents); {} of {} pages missing\n"
      "near-duplicates   {} of {} pages found, {} wrong;  broken files {} of {} listed, {} wrong\n",
      100 * s.characters, 100 * s.in_scans, 100 * s.in_digital, s.pages_missing, s.pages, s.duplicates_found,
      s.duplicates, s.duplicates_wrong, s.broken_listed, s.broken, s.broken_wrong);
}

std::string to_text(const run_result& run) {
  std::string text =
      fmt::format("{}{}: {} of {} in {}: {:.1f} pages/s\n", run.way, run.interrupted ? " (interrupted)" : "",
                  program::counted(run.pages, "page"), program::counted(run.documents, "document"),
                  program::duration(run.seconds), run.pages_per_second());
  if (run.taken_over > 0)
    text += fmt::format("  {} more were there from an earlier run\n", program::counted(run.taken_over, "page"));
  text += fmt::format("  latency {} p50, {} p99;  {:.2f} s of CPU, {:.0f} MB;  {} failed\n",
                      program::duration(run.latency_p50), program::duration(run.latency_p99), run.cpu_seconds,
                      run.peak_mb, run.failed);
  if (run.latency_bound)
    text += fmt::format("  p99 is {} the bound of {}\n", run.latency_p99 <= *run.latency_bound ? "within" : "beyond",
                        program::duration(*run.latency_bound));
  return text;
}

}  // namespace weir::corpus
