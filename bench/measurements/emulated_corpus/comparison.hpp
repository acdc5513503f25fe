#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <weir/report/report_page.hpp>
#include "bench/measurements/emulated_corpus/emulated_run.hpp"
#include "bench/support/bootstrap.hpp"

namespace weir::emulated_corpus {

// All runs of one way in which documents come: all there, or at a rate. Plain data.
struct comparison {
  double rate = 0;  // documents a second; 0: all are there
  std::size_t pages = 0;
  std::vector<outcome> runs;  // every policy in every round

  std::string title() const;  // "all documents are there", "120 documents arrive a second"
};

// One policy over all rounds. Times in seconds.
struct row {
  std::string policy;
  double seconds = 0, least = 0, most = 0;  // median, minimum, maximum
  double pages_per_second = 0;              // median
  // Over the best fixed shares in the same round: pages a second where all documents are there, else the other's mean
  // latency over this one's. NaN without fixed shares.
  program::median_interval to_best_fixed;
  double latency_mean = 0, latency_p50 = 0, latency_p99 = 0;  // medians of the rounds
  double moves = 0;                                           // mean
  bool stopped = false;                                       // in some round
  bool is_best_fixed = false;
};

// A row for each policy, as they were run. The best fixed shares are those with the best median of the compared number:
// they are chosen in hindsight, of the rounds that are shown.
std::vector<row> rows_of(const comparison& all);

std::string to_text(const comparison& all);
nlohmann::ordered_json to_json(const comparison& all);
page_table table_of(const comparison& all);

// The decisions of every run: when, where cores went, why, what was promised and what came of it.
std::string decisions_text(const comparison& all);

}  // namespace weir::emulated_corpus
