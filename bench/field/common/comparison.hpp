#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weir::field_bench {

// One way to do the work of a comparison.
struct contestant {
  std::string name;
  std::function<double()> run;  // does the work and returns its rate: more is better; throws where an answer is wrong
};

// The rates of a contestant, one for each round. Plain data.
struct row {
  std::string name;
  std::vector<double> rates;
  double median = 0, least = 0, most = 0;
  double reference_over_it = 0, low = 0, high = 0;  // within each round: median and the range of all rounds
};

// Runs all of them in each round, in an order that rotates from round to round, and takes the ratios within each round
// to the first one. REQUIRES: at least one contestant and one round.
std::vector<row> compared(const std::vector<contestant>& all, int rounds);

// A table of them under a title; `unit` is the unit of the rates.
std::string to_text(const std::string& title, const std::string& unit, const std::vector<row>& rows);
nlohmann::ordered_json to_json(const std::vector<row>& rows);

// Processor, cores and build: a line for the beginning of a report.
std::string where_measured();

}  // namespace weir::field_bench
