#include "bench/weir/view/saved_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <ios>
#include <nlohmann/json.hpp>

#include <weir/report/report_page.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/view/trace_events.hpp"

namespace weir::program {
namespace {

using json = nlohmann::ordered_json;

constexpr int known_page = 1, known_report = 1;  // versions of the forms

// Reads a file whose events, if it is a trace, are taken one by one: they may be many.
json read_json(const std::string& path, trace_events& events, bool& is_trace) {
  std::ifstream file = open_input(path);
  std::string key;
  std::uint64_t number = 0;
  const auto keep = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      key = parsed.get<std::string>();
      if (key == "traceEvents") is_trace = true;
    }
    if (depth != 2 || key != "traceEvents" || event != json::parse_event_t::object_end) return true;
    ++number;
    events.take(parsed, fmt::format("{}: traceEvents[{}]", path, number - 1));
    return false;
  };
  try {
    return json::parse(file, keep);
  } catch (const json::exception& e) {
    throw bad_input(fmt::format("{}: {}", path, in_short(e)));
  } catch (const std::ios_base::failure&) {  // the parser reads the buffer itself, whose errors are thrown
    throw bad_input(fmt::format("{} could not be read to its end", path));
  }
}

std::string line_of(const json& data) { return data.dump(-1, ' ', false, json::error_handler_t::replace); }

[[noreturn]] void refuse_version(const std::string& path, const std::string& what, const json& found, int known) {
  throw bad_input(
      fmt::format("{}: it is {} of version {}; this weir reads version {}", path, what, excerpt(found.dump()), known));
}

std::string name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string text_of(const json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

}  // namespace

page_data page_of_json(const std::string& path) {
  trace_events events;
  bool is_trace = false;
  json read = read_json(path, events, is_trace);
  const auto format = read.is_object() ? read.find("format") : read.end();
  if (is_trace) {
    if (events.spans() == 0)
      throw bad_input(fmt::format("{}: it is a trace, but it has no complete event (\"ph\": \"X\")", path));
    std::uint64_t dropped = 0;
    if (const auto about = read.find("otherData"); about != read.end() && about->is_object())
      if (const auto of = about->find("dropped"); of != about->end() && of->is_number_unsigned()) dropped = *of;
    const std::string what = counted(events.spans(), "span");
    json data = json::parse(runs_data(name_of(path), {}));
    data["kind"] = "trace";
    data["trace"] = std::move(events).page_trace(dropped);
    return {name_of(path), line_of(data), what};
  }
  if (read.is_object() && format != read.end() && *format == "weir page") {
    if (read.value("version", json()) != known_page)
      refuse_version(path, "the data of a page", read.value("version", json()), known_page);
    const std::size_t runs = read.contains("runs") && read["runs"].is_array() ? read["runs"].size() : 0;
    return {text_of(read, "title", name_of(path)), line_of(read), runs > 0 ? counted(runs, "run") : "what it holds"};
  }
  if (read.is_object() && format != read.end() && format->is_number() && read.contains("components")) {
    if (*format != known_report) refuse_version(path, "a report", *format, known_report);
    return {name_of(path), runs_data(name_of(path), {{text_of(read, "policy", "run"), line_of(read)}}), "1 run"};
  }
  throw bad_input(fmt::format(
      "{}: it is neither the data of a page nor a report (--report FILE.json) nor a trace (--trace FILE)", path));
}

}  // namespace weir::program
