#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <weir/report/report_page.hpp>
#include "bench/corpus/run_result.hpp"

namespace weir::corpus {

// All runs of `weir corpus compare`, in order.
struct compare_report {
  std::string input;
  std::size_t documents = 0;
  double rate = 0;
  std::vector<run_result> runs;
  bool interrupted = false;
};

// A row of the table: one way over all rounds.
struct way_summary {
  std::string way;
  double pages_per_second = 0, least = 0, most = 0;  // median, minimum, maximum
  double ratio = 0;  // of `weir adaptive` to this way in the same round, pages a second; the median. 0: it did not run
  double latency_p50 = 0, latency_p99 = 0, cpu_seconds = 0, peak_mb = 0;  // medians
  double cores_used = 0;                                                  // CPU seconds a second, the median
  bool same_output = true;
};

std::vector<way_summary> summarised(const compare_report& report);  // in the order of the first round

// Names the way with fixed shares that was fastest over all rounds "weir best-fixed" from now on. Its `policy`, and the
// text, say which shares these are.
void name_best_fixed(compare_report& report);

std::string to_text(const compare_report& report);
page_table table_of(const compare_report& report);
nlohmann::ordered_json to_json(const compare_report& report);

}  // namespace weir::corpus
