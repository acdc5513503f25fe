#include "bench/weir/explain/explain_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/common/accepted_numbers.hpp"

namespace weir::program {
namespace {

using nlohmann::json;

constexpr int event_depth = 2;                     // {"traceEvents": [{..}]}
constexpr double least_seconds = 1e-9;             // a trace counts in whole nanoseconds
constexpr accepted_numbers microseconds{0, 1e15};  // more than 30 years is not a valid time
const std::string move_prefix = "move ";           // of an instant's name

// The core of "core 3" and "core 3 (2)"; -1 for any other track.
int core_of_track(const std::string& name) {
  static constexpr std::string_view prefix = "core ";
  if (name.rfind(prefix, 0) != 0) return -1;
  int core = -1;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), core);
  return core;
}

// Takes the events one at a time, in any order.
class trace_events {
 public:
  explicit trace_events(const std::string& path) : path_(path) {}

  void take(const json& event) {
    ++events_;
    if (!event.is_object()) return;
    const std::string phase = text(event, "ph");
    if (phase == "X") {
      take_span(event);
    } else if (phase == "M" && text(event, "name") == "thread_name") {
      if (event.contains("args")) tracks_[whole(event, "tid", 0)] = core_of_track(text(event["args"], "name"));
    } else if (phase == "i" && text(event, "name").rfind(move_prefix, 0) == 0) {
      moves_[text(event, "name").substr(move_prefix.size())].push_back(number(event, "ts", microseconds));
    }
  }

  observed_run run(const topology& cores) {
    if (run_.rows.empty())
      throw bad_input(fmt::format(
          "{} has no invocations: expected were a CSV of observations, or a trace with events \"ph\": \"X\" that have "
          "\"x\", \"cores\" and \"width\" in their args",
          path_));
    run_.is_trace = run_.has_start = run_.has_core_set = true;
    for (std::size_t i = 0; i < run_.rows.size(); ++i) place(run_.rows[i], track_of_row_[i], cores);
    for (const auto& [component, times] : moves_) mark_first_after(component, times);
    return std::move(run_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw bad_input(fmt::format("{}: event {}: {}", path_, events_, what));
  }

  static std::string text(const json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
  }

  double number(const json& object, const char* key, const accepted_numbers& accepted) const {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) refuse(fmt::format("its {} is missing or no number", key));
    const auto value = found->get<double>();
    if (!accepted.have(value))
      refuse(fmt::format("its {} is {}, expected was {}", key, value, accepted.instead_of(value)));
    return value;
  }

  int whole(const json& object, const char* key, int least) const {
    return static_cast<int>(number(object, key, {static_cast<double>(least), std::numeric_limits<int>::max()}));
  }

  void take_span(const json& event) {
    const auto args = event.find("args");
    if (args == event.end() || !args->is_object() || !args->contains("cores")) return;  // a wait, not an invocation
    const std::string name = text(event, "name");
    if (name.empty()) refuse("it has no name");
    const auto [found, is_new] = indices_.try_emplace(name, static_cast<std::uint32_t>(run_.components.size()));
    if (is_new) run_.components.push_back(name);
    invocation row;
    row.component = found->second;
    row.position = static_cast<std::uint32_t>(run_.rows.size() + 1);
    row.x = number(*args, "x", size_or_zero);
    row.cores = whole(*args, "cores", 1);
    row.width = whole(*args, "width", 1);
    row.start = number(event, "ts", microseconds) * 1e-6;
    row.seconds = std::max(number(event, "dur", microseconds) * 1e-6, least_seconds);
    track_of_row_.push_back(whole(event, "tid", 0));
    run_.rows.push_back(row);
  }

  void place(invocation& row, int track, const topology& cores) const {
    const auto named = tracks_.find(track);
    row.first_core = named == tracks_.end() ? -1 : named->second;
    if (row.first_core >= 0 && (row.first_core >= cores.size() || row.cores > cores.size() - row.first_core))
      throw bad_input(fmt::format(
          "{}: invocation {} ran on cores {}-{}, beyond the machine, which has {}; --machine "
          "names another",
          path_, row.position, row.first_core, std::int64_t{row.first_core} + row.cores - 1, cores.summary()));
  }

  // Marks a lane's first invocation after a move: it has a grant that it did not have before. Lanes are told apart by
  // their first cores.
  void mark_first_after(const std::string& component, std::vector<double> times) {
    const auto index = indices_.find(component);
    if (index == indices_.end()) return;
    std::sort(times.begin(), times.end());
    std::vector<invocation*> rows;
    for (invocation& row : run_.rows)
      if (row.component == index->second) rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const invocation* a, const invocation* b) { return a->start < b->start; });
    std::map<int, std::ptrdiff_t> moves_seen;  // by lane
    for (invocation* row : rows) {
      const auto moves = std::upper_bound(times.begin(), times.end(), row->start * 1e6) - times.begin();
      std::ptrdiff_t& before = moves_seen[row->first_core];
      row->after_move = moves > before;
      before = moves;
    }
  }

  const std::string path_;
  std::uint64_t events_ = 0;
  observed_run run_;
  std::vector<int> track_of_row_;
  std::map<int, int> tracks_;  // number -> core
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::map<std::string, std::vector<double>> moves_;  // of each component, microseconds
};

}  // namespace

observed_run read_trace(const std::string& path, const topology& cores) {
  std::ifstream file = open_input(path);
  trace_events events(path);
  // Each event is discarded once it is taken: the whole trace as a tree would need ten times its file size.
  const auto take = [&](int depth, json::parse_event_t what, json& parsed) {
    if (depth != event_depth || what != json::parse_event_t::object_end) return true;
    events.take(parsed);
    return false;
  };
  try {
    const json rest = json::parse(file, take);
  } catch (const json::exception& e) {
    throw bad_input(fmt::format("{} begins as JSON does and is no trace: {}", path, in_short(e)));
  }
  return events.run(cores);
}

}  // namespace weir::program
