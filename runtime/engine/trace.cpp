#include <weir/engine/trace.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <weir/threads/primitives.hpp>
#include "runtime/threads/locks.hpp"
#include "runtime/threads/own_descriptor.hpp"
#include "runtime/threads/write_all.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::array kind_names{"invocation", "move", "block", "unblock", "unfold", "remove", "error"};

// Viewers take the thread whose number is the process's for the main thread, and show it first. So this number is
// beyond the cores of any machine, and is the track of the caller's threads. The numbers of a further run are
// `numbers_a_run` higher, since viewers expect that of threads as well.
constexpr int first_process = 9999, numbers_a_run = 1'000'000;

// Viewers count in whole nanoseconds, so nesting is decided in them too. Anything beyond 30 years is not a time.
std::int64_t nanoseconds(double seconds) {
  return std::isfinite(seconds) ? std::llround(std::clamp(seconds, 0.0, 1e9) * 1e9) : 0;
}

std::int64_t start_of(const trace_event& e) { return nanoseconds(e.start); }
std::int64_t end_of(const trace_event& e) { return std::max(start_of(e), nanoseconds(e.start + e.seconds)); }

bool is_span(const trace_event& e) {
  return e.kind == trace_kind::invocation || (e.kind == trace_kind::block && e.seconds > 0);
}

double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

// The rows of the timeline of one run: one for each core, and as many more as its spans need to nest.
class tracks {
 public:
  tracks(std::size_t run, std::string name)
      : first_(static_cast<int>(run) * numbers_a_run),
        process_(first_ + first_process),
        next_(process_ + 1),
        name_(std::move(name)) {}

  json entry(const char* phase, std::string name, std::int64_t at, int track) const {
    return {{"name", std::move(name)}, {"ph", phase}, {"ts", microseconds(at)}, {"pid", process_}, {"tid", track}};
  }

  // The first row of the core where the span lies within another or next to it. REQUIRES: called in order of start, the
  // longer first.
  int of_span(int core, std::int64_t start, std::int64_t end) {
    for (std::size_t i = 0;; ++i) {
      row& t = at(core, i);
      while (!t.open.empty() && t.open.back() <= start) t.open.pop_back();
      if (!t.open.empty() && t.open.back() < end) continue;
      t.open.push_back(end);
      return t.number;
    }
  }

  int of_instant(int core) { return at(core, 0).number; }

  // The names by which viewers show them, and their order.
  std::vector<json> names() const {
    std::vector<json> all{entry("M", "process_name", 0, process_)};
    all.back()["args"] = {{"name", name_}};
    int position = 0;
    for (const auto& [core, rows] : by_core_)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = core < 0 ? "callers" : fmt::format("core {}", core);
        all.push_back(entry("M", "thread_name", 0, rows[i].number));
        all.back()["args"] = {{"name", i ? fmt::format("{} ({})", name, i + 1) : name}};
        all.push_back(entry("M", "thread_sort_index", 0, rows[i].number));
        all.back()["args"] = {{"sort_index", position++}};
      }
    return all;
  }

 private:
  struct row {
    int number;
    std::vector<std::int64_t> open;  // ends of the spans that are open, the innermost last
  };

  row& at(int core, std::size_t index) {
    core = std::max(core, -1);
    std::vector<row>& rows = by_core_[core];
    if (index == rows.size()) {
      const bool is_core = index == 0 && core >= 0 && core < first_process;
      const bool is_callers = index == 0 && core < 0;
      rows.push_back({is_core ? first_ + core : is_callers ? process_ : next_++, {}});
    }
    return rows[index];
  }

  const int first_, process_;
  int next_;
  const std::string name_;
  std::map<int, std::vector<row>> by_core_;
};

json span(const trace_event& e, tracks& rows) {
  const std::int64_t start = start_of(e), end = end_of(e);
  const bool is_block = e.kind == trace_kind::block;
  json j = rows.entry("X", is_block ? "blocked " + e.entity : e.entity, start, rows.of_span(e.core, start, end));
  j["dur"] = microseconds(end - start);
  if (is_block)
    j["args"] = {{"path", e.path}, {"detail", e.detail}};
  else
    j["args"] = {{"x", e.x}, {"cores", e.cores}, {"width", e.width}, {"path", e.path}};
  if (!is_block && !e.detail.empty()) j["args"]["detail"] = e.detail;
  return j;
}

json instant(const trace_event& e, tracks& rows) {
  const bool is_move = e.kind == trace_kind::move;
  const std::string kind = kind_names[static_cast<std::size_t>(e.kind)];
  json j = rows.entry("i", kind + " " + e.entity, start_of(e), rows.of_instant(is_move ? -1 : e.core));
  j["s"] = is_move ? "g" : "t";
  if (is_move)
    j["args"] = {{"cores", e.cores}, {"width", e.width}, {"allotment", e.detail}};
  else
    j["args"] = {{"path", e.path}, {"detail", e.detail}};
  return j;
}

json counter(const trace_event& e, tracks& rows) {
  json j = rows.entry("C", "cores of " + e.entity, start_of(e), rows.of_instant(-1));
  j["args"] = {{"cores", e.cores}};
  return j;
}

}  // namespace

struct tracer::state {
  state(std::size_t most_events, std::size_t most_events_a_second)
      : most(most_events), most_a_second(most_events_a_second) {}

  // 16, so that few threads of a large machine meet; a lock is held only to move one event. A deque, since it grows
  // without moving events.
  struct alignas(64) shard {
    WEIR_LOCK(trace) mutex;
    std::deque<trace_event> events;
  };

  // Whether one more event is kept. Numbers only, so relaxed: the events are handed over by the shards' locks.
  bool has_room() {
    if (most_a_second != std::numeric_limits<std::size_t>::max()) {
      const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - began).count();
      if (second.exchange(now, std::memory_order_relaxed) != now) in_second.store(0, std::memory_order_relaxed);
      if (in_second.fetch_add(1, std::memory_order_relaxed) >= most_a_second) return false;
    }
    if (kept.load(std::memory_order_relaxed) >= most) return false;
    return kept.fetch_add(1, std::memory_order_relaxed) < most;
  }

  const std::uint64_t most, most_a_second;
  const std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  detail::threads::atomic<std::int64_t> second{0};
  detail::threads::atomic<std::uint64_t> in_second{0}, kept{0}, dropped{0};
  std::array<shard, 16> shards;
};

tracer::tracer(std::size_t most, std::size_t most_a_second) : state_(std::make_shared<state>(most, most_a_second)) {}

void tracer::add(trace_event e) const {
  if (!state_->has_room()) {
    state_->dropped.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::size_t mine = std::hash<std::thread::id>{}(std::this_thread::get_id()) % state_->shards.size();
  state::shard& s = state_->shards[mine];
  const detail::lock_guard lock(s.mutex);
  s.events.push_back(std::move(e));
}

std::vector<trace_event> tracer::events() const {
  std::vector<trace_event> all;
  for (state::shard& s : state_->shards) {
    const detail::lock_guard lock(s.mutex);
    all.insert(all.end(), s.events.begin(), s.events.end());
  }
  std::stable_sort(all.begin(), all.end(), [](const trace_event& a, const trace_event& b) {
    const std::int64_t at = start_of(a), bt = start_of(b);
    return at != bt ? at < bt : end_of(a) > end_of(b);
  });
  return all;
}

std::uint64_t tracer::dropped() const { return state_->dropped.load(std::memory_order_relaxed); }

std::string tracer::chrome_json() const { return weir::chrome_json({{"weir", *this}}); }

std::string chrome_json(const std::vector<named_trace>& runs) {
  const auto text = [](const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); };
  std::size_t kept = 0;
  std::uint64_t dropped = 0;
  std::string entries;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::vector<trace_event> all = runs[run].events.events();
    kept += all.size();
    dropped += runs[run].events.dropped();
    tracks rows(run, runs[run].name);
    for (const trace_event& e : all) {
      entries += "\n" + text(is_span(e) ? span(e, rows) : instant(e, rows)) + ",";
      if (e.kind == trace_kind::move) entries += "\n" + text(counter(e, rows)) + ",";
    }
    for (const json& name : rows.names()) entries += "\n" + text(name) + ",";  // known only now; may stand anywhere
  }
  if (!entries.empty()) entries.back() = '\n';
  const json about{{"writer", "weir"}, {"events", kept}, {"dropped", dropped}};
  return "{\"displayTimeUnit\":\"ms\",\"otherData\":" + text(about) + ",\"traceEvents\":[" + entries + "]}\n";
}

namespace {

// 0, or why the file cannot be opened.
int open_emptied(const fs::path& file, int& opened) {
  opened = detail::own_descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  return opened < 0 ? errno : 0;
}

// 0, or why not all of the text was written. The file is closed.
int write_and_close(int file, std::string_view text) {
  int failed = detail::write_all(file, text);
  if (::close(file) != 0 && failed == 0) failed = errno;
  return failed;
}

}  // namespace

void tracer::write(const std::string& file) const {
  const std::string text = chrome_json();
  fs::path to = file;
  std::error_code failed;
  if (const fs::path real = fs::canonical(to, failed); !failed) to = real;  // keep a link, replace its target
  const bool directly = fs::exists(to, failed) && !fs::is_regular_file(to, failed) && !fs::is_directory(to, failed);
  fs::path target = to;
  static detail::threads::atomic<unsigned> writes{0};
  if (!directly) target += fmt::format(".{}.{}.partial", ::getpid(), writes.fetch_add(1));
  int out = -1;
  int reason = open_emptied(target, out);
  if (reason == 0) reason = write_and_close(out, text);
  failed = std::error_code(reason, std::generic_category());
  if (!failed && !directly) fs::rename(target, to, failed);
  if (!failed) return;
  std::error_code ignored;
  if (out >= 0 && !directly) fs::remove(target, ignored);
  throw std::runtime_error(fmt::format("trace: \"{}\" could not be written: {}", file, failed.message()));
}

}  // namespace weir
