#pragma once

#include <map>
#include <string>

#include <weir/options/saved_model.hpp>

namespace [[gnu::visibility("default")]] weir {

// The models that one run learnt, for options::prior_runs. Plain data.
struct saved_run {
  std::string name;                           // the file that it was read from; for messages and reports
  std::map<std::string, saved_model> models;  // by component
};

}  // namespace weir
