#pragma once

#include <string>

#include <weir/report/report.hpp>

namespace weir::detail {

// The JSON of run_report::json().
std::string json_of(const run_report& r, report_part part);

}  // namespace weir::detail
