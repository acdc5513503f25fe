#pragma once

#include <map>
#include <string>
#include <vector>

namespace weir::testing {

// One sample of Prometheus's text format.
struct metric_sample {
  std::string name;
  std::map<std::string, std::string> labels;
  double value;
};

// The content of a text in Prometheus's text format 0.0.4: families and samples.
struct exposition {
  std::vector<metric_sample> samples;
  std::map<std::string, std::string> types, helps;  // by family
  std::vector<std::string> problems;                // with the rules of the format; each names its line

  // The value of the sample with this name and, among others, these labels. NaN: there is none, or there are several.
  double value(const std::string& name, const std::map<std::string, std::string>& labels = {}) const;
};

exposition read_exposition(const std::string& text);

}  // namespace weir::testing
