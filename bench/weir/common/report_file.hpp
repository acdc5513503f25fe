#pragma once

#include <string>
#include <vector>

#include <weir/report/report_page.hpp>
#include "bench/support/output_file.hpp"

namespace weir::program {

// Where `--report FILE` puts runs. FILE.html: a page. FILE.json: the data from which `weir view` makes it.
class report_file {
 public:
  // Throws bad_input if the file ends in neither, cannot be written, or if it is a page and weir was built without it.
  explicit report_file(const std::string& path, const std::string& option = "--report");

  // Throws as output_file::write() does.
  void write(const std::string& title, const std::vector<named_report>& runs,
             const std::vector<page_table>& tables = {}) const;
  void write(const std::string& title, const std::string& data) const;  // of a page, as its README describes it

 private:
  bool is_page_;
  output_file file_;
};

inline const std::string report_help = "What happened, as a page (FILE.html) or as data for `weir view` (FILE.json)";

}  // namespace weir::program
