#include "runtime/live/watched_runs.hpp"

#include <algorithm>

#include <weir/page/page.hpp>
#include <weir/report/metrics.hpp>

namespace weir::detail {

std::string watched_runs::free_name(const std::vector<watched>& among, const std::string& name) {
  const auto is_taken = [&](const std::string& tried) {
    return std::any_of(among.begin(), among.end(), [&](const watched& w) { return w.name == tried; });
  };
  std::string tried = name;
  for (int i = 2; is_taken(tried); ++i) tried = name + " (" + std::to_string(i) + ")";
  return tried;
}

void watched_runs::add(const run_view& run, const std::string& name) {
  const lock_guard lock(mutex_);
  if (runs_.size() == most) runs_.erase(runs_.begin());
  runs_.push_back({free_name(runs_, name), run});
}

std::vector<watched_runs::watched> watched_runs::all() const {
  const lock_guard lock(mutex_);
  return runs_;
}

std::string watched_runs::page() const {
  if (has_page()) return html_page(title_, data(report_part::all), page_feed::server);
  std::string text;
  for (const watched& w : all()) text += w.name + "\n\n" + w.run.report().full() + "\n";
  return plain_page(title_, text, page_feed::server);
}

std::string watched_runs::data(report_part part) const {
  std::vector<named_report> reports;
  for (const watched& w : all()) reports.push_back({w.name, w.run.report().json(part)});
  return runs_data(title_, reports, {}, true);
}

std::string watched_runs::metrics() const {
  std::vector<named_run> reports;
  for (const watched& w : all()) reports.push_back({w.name, w.run.report()});
  return metrics_text(reports);
}

}  // namespace weir::detail
