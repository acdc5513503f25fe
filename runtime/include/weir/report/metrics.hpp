#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <weir/report/report.hpp>

namespace [[gnu::visibility("default")]] weir {

// A run that has a name among others.
struct named_run {
  std::string name;   // the value of the label `run`
  run_report report;  // its report so far
};

// The content type of an answer that holds metrics_text().
inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// The numbers of reports in Prometheus's text format 0.0.4, for a server of your own; <weir/live.hpp> has one. Names
// begin with `weir_`. Units are seconds, bytes, records and ratios. Unknown values have no sample. Each sample has the
// label `run`; those of components have `component`, those of streams `from` and `to`. A run's name that occurs twice
// gets a number, as in "a (2)". Streams that join the same components are added up. Each run has the 200 components
// with the most time and the 200 streams with the most records; weir_components_left_out and weir_streams_left_out say
// how many there are besides. Invalid UTF-8 and control characters in names are replaced.
std::string metrics_text(const std::vector<named_run>& runs);
std::string metrics_text(const run_report& run, const std::string& name = "weir");

}  // namespace weir
