#pragma once

#include <string>
#include <vector>

#include <weir/page/page.hpp>
#include <weir/report/report.hpp>

namespace [[gnu::visibility("default")]] weir {

// One run on a page: its name, and run_report::json() or JSON with the keys of it that are known.
struct named_report {
  std::string name, json;  // as above
};

// A table on a page. Cells are plain text.
struct page_table {
  std::string title;                           // above it
  std::vector<std::string> columns;            // their names
  std::vector<std::vector<std::string>> rows;  // a cell for each column
};

// The title, or where it is empty the name of the program that runs, as it was started.
std::string page_title(const std::string& title);

// The data of a page that shows runs, as runtime/page/README.md describes it: one line of JSON. Invalid UTF-8 is
// replaced. `live`: it is fed by /events.
std::string runs_data(const std::string& title, const std::vector<named_report>& runs,
                      const std::vector<page_table>& tables = {}, bool live = false);

// The page itself. Throws std::runtime_error as html_page() does.
std::string runs_page(const std::string& title, const std::vector<named_report>& runs,
                      const std::vector<page_table>& tables = {});

// If weir was built without its page, logs at level warning which parts it lacks and how to get them.
void log_missing_page() noexcept;

}  // namespace weir
