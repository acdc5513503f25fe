#include "bench/weir/common/report_file.hpp"

#include <fmt/format.h>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

bool is_page(const std::string& option, const std::string& path) {
  const bool page = path.ends_with(".html");
  if (!page && !path.ends_with(".json"))
    throw bad_input(fmt::format("{}: {} ends in neither .html (a page) nor .json (its data)", option, excerpt(path)));
  if (page && !has_page())
    throw bad_input(fmt::format("{}: {}: {}; FILE.json has the same data", option, excerpt(path), missing_page()));
  return page;
}

}  // namespace

report_file::report_file(const std::string& path, const std::string& option)
    : is_page_(is_page(option, path)), file_(option, path) {}

void report_file::write(const std::string& title, const std::vector<named_report>& runs,
                        const std::vector<page_table>& tables) const {
  write(title, runs_data(title, runs, tables));
}

void report_file::write(const std::string& title, const std::string& data) const {
  file_.write(is_page_ ? html_page(title, data) : data + "\n");
}

}  // namespace weir::program
