// A CSV of observations, as read by fit and explain.
#include <cstdlib>

#include <weir/model/observation.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/weir/common/fit_data.hpp"
#include "bench/weir/common/observations_reader.hpp"
#include "bench/weir/explain/explain_rows.hpp"
#include "tests/fuzz/input_path.hpp"

using namespace weir::program;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const weir::topology cores = weir::topology::synthetic("package:2 core:4 pu:1");
  const input_path file(data, size);
  try {
    for (observations_reader rows(file.text()); rows.next();)
      if (!weir::is_usable(rows.seen()) && !rows.seen().after_move) std::abort();  // every row is usable by a model
  } catch (const bad_input&) {
  }
  try {
    for (const component_rows& c : read_rows(file.text(), data && size % 2 == 1, false)) different_x(c.rows, 5);
  } catch (const bad_input&) {
  }
  try {
    read_run(file.text(), cores, false);
  } catch (const bad_input&) {
  }
  return 0;
}
