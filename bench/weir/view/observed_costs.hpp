#pragma once

#include <string>

#include "bench/weir/view/saved_json.hpp"

namespace weir::program {

// The page of a CSV file of observations. Each component has a model that learnt all its rows, as curves, with at most
// 1000 of the rows, spread over the file. Throws bad_input as read_rows() does. `progress`: on a terminal.
page_data page_of_csv(const std::string& path, const std::string& estimator, bool progress);

}  // namespace weir::program
