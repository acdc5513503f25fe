#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/corpus/corpus_score.hpp"

namespace weir::corpus {

// The result of one run of a way. Plain data; times in seconds.
struct run_result {
  std::string way;
  std::string policy;                    // of "weir best-fixed": which shares these are
  std::size_t documents = 0, pages = 0;  // that this run read; pages with text
  std::size_t taken_over = 0;            // pages that an earlier run had left
  std::size_t failed = 0;                // documents and pages that could not be read, with those of an earlier run
  double seconds = 0;
  double latency_p50 = 0, latency_p99 = 0;  // of a page, from the arrival of its document until it is compared
  double cpu_seconds = 0, peak_mb = 0;      // of the process; peak_mb of xargs: its largest process
  int moves = 0;                            // of cores, by weir
  bool interrupted = false;
  std::optional<double> latency_bound;  // as given
  // Added by `compare`.
  int round = 1;
  bool same_output = true;  // as the first run's
  std::optional<corpus_score> score;

  double pages_per_second() const { return seconds > 0 ? static_cast<double>(pages) / seconds : 0; }
};

nlohmann::ordered_json to_json(const run_result& run);
run_result run_result_of(const nlohmann::ordered_json& j);  // what `weir corpus run --json` printed
std::string to_text(const run_result& run);                 // a few lines
std::string to_text(const corpus_score& score);             // two lines

}  // namespace weir::corpus
