#include <weir/report/report_page.hpp>

#include <errno.h>  // program_invocation_short_name

#include <nlohmann/json.hpp>
#include <string_view>
#include <weir/version.hpp>

#include "runtime/machine/log.hpp"

namespace weir {
namespace {

using json = nlohmann::ordered_json;

std::string line_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string runs_data(const std::string& title, const std::vector<named_report>& runs,
                      const std::vector<page_table>& tables, bool live) {
  json about{{"format", "weir page"},  {"version", 1},   {"writer", "weir " + std::string(linked_version())},
             {"title", title},         {"kind", "runs"}, {"live", live},
             {"tables", json::array()}};
  for (const page_table& t : tables)
    about["tables"].push_back({{"title", t.title}, {"columns", t.columns}, {"rows", t.rows}});
  // Reports are JSON already, and may be large: they are put in as they are.
  std::string text = line_of(about);
  text.pop_back();
  text += ",\"runs\":[";
  for (const named_report& r : runs)
    text +=
        std::string(&r == &runs.front() ? "" : ",") + "{\"name\":" + line_of(r.name) + ",\"report\":" + r.json + "}";
  return text + "]}";
}

std::string runs_page(const std::string& title, const std::vector<named_report>& runs,
                      const std::vector<page_table>& tables) {
  return html_page(title, runs_data(title, runs, tables));
}

std::string page_title(const std::string& title) { return title.empty() ? program_invocation_short_name : title; }

void log_missing_page() noexcept {
  if (!has_page()) detail::log_warning("The page of a run shows text only: " + std::string(missing_page()) + ".");
}

}  // namespace weir
