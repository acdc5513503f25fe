#include "bench/paper/kernel_result.hpp"

#include <algorithm>

namespace weir::paper {

kernel_result evaluate(const std::string& kernel, const std::vector<timed_row>& rows) {
  kernel_result out;
  out.kernel = kernel;
  out.rows = rows;
  for (const timed_row& row : rows) {
    out.largest_x = std::max(out.largest_x, row.x);
    out.most_cores = std::max(out.most_cores, row.cores);
  }
  const halves parts = split(rows);
  out.seen = means(parts.learnt);
  out.checked = means(parts.held_out);
  for (std::size_t i = 0; i < aggregations.size(); ++i) out.models[i] = fitted(aggregations[i], parts.learnt);
  out.ours = fitted("weir", parts.learnt);
  out.alphas = alphas(*out.models[highest], out.seen);
  out.errors = mispredictions(*out.models[highest], parts.held_out);
  out.our_errors = mispredictions(*out.ours, parts.held_out);
  out.stream = foretell(rows);
  return out;
}

}  // namespace weir::paper
