#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include <weir/report/metrics.hpp>
#include "tests/support/exposition.hpp"
#include "tests/support/json.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir {
namespace {

using namespace testing;
using nlohmann::json;

// A report in which everything is known.
run_report with_all_metrics() {
  run_report r;
  r.failed_by = {{"exception", 1}};
  r.components.resize(1);
  r.streams = {{.from = "input", .to = "output", .occupancy = 1, .blocked_seconds = 1, .bytes = 1}};
  return r;
}

// The strings under a key, wherever it is.
void collect(const json& in, const std::string& key, std::set<std::string>& found) {
  if (in.is_object() && in.contains(key) && in.at(key).is_string()) found.insert(in.at(key).get<std::string>());
  if (in.is_structured())
    for (const json& each : in) collect(each, key, found);
}

TEST(the_dashboard, names_only_metrics_and_labels_that_weir_writes) {
  const exposition written = read_exposition(metrics_text(with_all_metrics()));
  std::set<std::string> labels;
  for (const metric_sample& s : written.samples)
    for (const auto& [label, value] : s.labels) labels.insert(label);
  std::set<std::string> expressions, legends;
  const json board = parsed(contents(WEIR_DASHBOARD));
  collect(board, "expr", expressions);
  collect(board, "query", expressions);
  collect(board, "legendFormat", legends);
  EXPECT_GT(expressions.size(), 10u);
  const auto each = [](const std::string& text, const std::string& what, const auto& see) {
    const std::regex pattern(what);
    for (std::sregex_iterator i(text.begin(), text.end(), pattern), end; i != end; ++i) see((*i)[1].str());
  };
  int metrics = 0;
  for (const std::string& e : expressions)
    each(e, "(weir_[a-z0-9_]+)", [&](const std::string& name) {
      ++metrics;
      EXPECT_TRUE(written.types.count(name)) << name;
    });
  EXPECT_GT(metrics, 10);
  for (const std::string& l : legends)
    each(l, "\\{\\{([a-z]+)\\}\\}", [&](const std::string& name) { EXPECT_TRUE(labels.count(name)) << name; });
}

}  // namespace
}  // namespace weir
