#include "bench/field/common/comparison.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"

namespace weir::field_bench {

using program::quantile;

std::vector<row> compared(const std::vector<contestant>& all, int rounds) {
  std::vector<row> rows;
  for (const contestant& c : all) rows.push_back({c.name, {}});
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t now = (i + static_cast<std::size_t>(round)) % all.size();
      rows[now].rates.push_back(all[now].run());
    }
  for (row& r : rows) {
    r.median = quantile(r.rates, 0.5), r.least = quantile(r.rates, 0), r.most = quantile(r.rates, 1);
    std::vector<double> ratios;
    for (std::size_t round = 0; round < r.rates.size(); ++round)
      ratios.push_back(rows.front().rates[round] / r.rates[round]);
    r.reference_over_it = quantile(ratios, 0.5), r.low = quantile(ratios, 0), r.high = quantile(ratios, 1);
  }
  return rows;
}

std::string to_text(const std::string& title, const std::string& unit, const std::vector<row>& rows) {
  std::string text =
      fmt::format("{}\n  {:<26} {:>10} {:>21}   {} over it\n", title, "", unit, "least .. most", rows.front().name);
  for (const row& r : rows)
    text += fmt::format("  {:<26} {:>10.4g} {:>21}   {:.2f} ({:.2f} .. {:.2f})\n", r.name, r.median,
                        fmt::format("{:.4g} .. {:.4g}", r.least, r.most), r.reference_over_it, r.low, r.high);
  return text;
}

nlohmann::ordered_json to_json(const std::vector<row>& rows) {
  auto all = nlohmann::ordered_json::array();
  for (const row& r : rows)
    all.push_back({{"way", r.name},
                   {"rates", r.rates},
                   {"median", r.median},
                   {"reference_over_it", {{"median", r.reference_over_it}, {"low", r.low}, {"high", r.high}}}});
  return all;
}

std::string where_measured() {
  return fmt::format("{}, {} cores, {} build", program::processor_name(), std::thread::hardware_concurrency(),
                     program::build_type());
}

}  // namespace weir::field_bench
