#include "bench/weir/snet/run_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include <weir/report/report.hpp>
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

// In the unit of from.sent().
std::uint64_t done(const record_source& from, const run_report& now) {
  const std::uint64_t passed_by = from.refused() + from.left_out();
  const std::uint64_t through = std::min(now.sent, now.results + now.records_ended + now.failed + now.held);
  const std::uint64_t records = now.sent + passed_by;
  if (records == 0) return 0;
  const double part = static_cast<double>(through + passed_by) / static_cast<double>(records);
  return static_cast<std::uint64_t>(part * static_cast<double>(from.sent()));
}

}  // namespace

run_progress::run_progress(const execution& run, const record_source* from, bool wanted)
    : run_(run), from_(from), bar_(from ? from->total() : 0, wanted) {}

void run_progress::draw_if_due() {
  if (bar_.is_due()) reach();
}

void run_progress::end() {
  const bool is_drawn = bar_.is_due();
  reach();
  if (!is_drawn) bar_.draw();
}

void run_progress::reach() {
  const run_report now = run_.report();
  const std::uint64_t failed = now.failed + (from_ ? from_->refused() : 0), inputs = from_ ? from_->inputs() : 0;
  bar_.reach(from_ ? done(*from_, now) : 0, fmt::format("{}, {} failed{}", counted(now.results, "result"), failed,
                                                        inputs > 0 ? " of " + counted(inputs, "input") : ""));
}

}  // namespace weir::program
