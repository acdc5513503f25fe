#include "bench/weir/explain/explain_rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>

#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/observations_reader.hpp"
#include "bench/weir/explain/explain_trace.hpp"

namespace weir::program {
namespace {

constexpr std::size_t most_rows_numbered = std::numeric_limits<std::uint32_t>::max();

// A pipe cannot be read twice, so its content is taken for CSV.
bool begins_with_brace(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return false;
  std::ifstream file = open_input(path);
  for (int c = file.get(); c != std::ifstream::traits_type::eof(); c = file.get())
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c == '{';
  return false;
}

// The first core of "4-7" if that is a run of `cores` cores; otherwise -1.
int first_of_run(std::string_view set, int cores) {
  int first = 0, last = 0;
  const char* const stop = set.data() + set.size();
  auto [at, error] = std::from_chars(set.data(), stop, first);
  if (error != std::errc{}) return -1;
  last = first;
  if (at != stop && *at == '-') {
    const auto [end, wrong] = std::from_chars(at + 1, stop, last);
    if (wrong != std::errc{}) return -1;
    at = end;
  }
  return at == stop && first >= 0 && last >= first && last - first == cores - 1 ? first : -1;
}

void place(const observations_reader& reader, const topology& cores, invocation& row) {
  const std::string_view set = reader.core_set_text();
  if (set.empty()) return;
  row.first_core = first_of_run(set, row.cores);
  if (row.first_core < 0)
    reader.refuse(fmt::format("column core_set: {} is not a run of {} such as {}", excerpt(set),
                              counted(static_cast<std::uint64_t>(row.cores), "core"),
                              row.cores == 1 ? "\"4\"" : fmt::format("\"4-{}\"", 3 + std::int64_t{row.cores})));
  if (row.last_core() >= cores.size())
    reader.refuse(fmt::format("column core_set: {} is beyond the machine, which has {}; --machine names another",
                              excerpt(set), cores.summary()));
}

observed_run read_csv(const std::string& path, const topology& cores, bool progress) {
  observations_reader reader(path, progress);
  observed_run run;
  run.has_start = reader.has("start");
  run.has_core_set = reader.has("core_set");
  while (reader.next()) {
    const observation& seen = reader.seen();
    if (run.rows.size() == most_rows_numbered) reader.refuse("there are more rows than can be numbered");
    invocation row;
    row.x = seen.x;
    row.seconds = seen.seconds;
    row.start = seen.start;
    row.component = seen.component;
    row.position = static_cast<std::uint32_t>(run.rows.size() + 1);
    row.queue = seen.queue;
    row.cores = seen.cores;
    row.width = seen.width;
    row.after_move = seen.after_move;
    place(reader, cores, row);
    run.rows.push_back(row);
  }
  if (run.rows.empty()) throw bad_input(fmt::format("{} has no rows after the line that names the columns", path));
  run.components = reader.names();
  return run;
}

}  // namespace

observed_run read_run(const std::string& path, const topology& cores, bool progress) {
  return begins_with_brace(path) ? read_trace(path, cores) : read_csv(path, cores, progress);
}

}  // namespace weir::program
