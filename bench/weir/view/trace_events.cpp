#include "bench/weir/view/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "bench/support/bad_input.hpp"

namespace weir::program {
namespace {

using json = nlohmann::ordered_json;

double number_in(const nlohmann::json& of, const char* key, double otherwise) {
  const auto found = of.find(key);
  return found != of.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string text_in(const nlohmann::json& of, const char* key) {
  const auto found = of.find(key);
  return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double required(const nlohmann::json& event, const char* key, const std::string& place) {
  const double value = number_in(event, key, NAN);
  if (!std::isfinite(value)) throw bad_input(fmt::format("{}: \"{}\" is no number", place, key));
  return value;
}

bool take_prefix(std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::clamp(value, -1e15, 1e15)); }

}  // namespace

std::uint32_t trace_events::track_of(const track_key& key) {
  return tracks_.emplace(key, static_cast<std::uint32_t>(tracks_.size())).first->second;
}

std::uint32_t trace_events::entity_of(const std::string& name) {
  return entities_.emplace(name, static_cast<std::uint32_t>(entities_.size())).first->second;
}

void trace_events::take(const nlohmann::json& event, const std::string& place) {
  if (!event.is_object()) throw bad_input(fmt::format("{}: it is no object", place));
  const std::string phase = text_in(event, "ph");
  std::string name = text_in(event, "name");
  const track_key track{whole(number_in(event, "pid", 0)), whole(number_in(event, "tid", 0))};
  const nlohmann::json nothing = nlohmann::json::object();
  const auto found = event.find("args");
  const nlohmann::json& args = found != event.end() && found->is_object() ? *found : nothing;
  constexpr double microsecond = 1e-6;
  if (phase == "M") {
    if (name == "process_name") process_names_[track.first] = text_in(args, "name");
    if (name == "thread_name") thread_names_[track] = text_in(args, "name");
    if (name == "thread_sort_index") thread_places_[track] = number_in(args, "sort_index", 0);
  } else if (phase == "X") {
    span s{.track = track_of(track)};
    s.blocked = take_prefix(name, "blocked ");
    s.entity = entity_of(name);
    s.start = required(event, "ts", place) * microsecond;
    s.seconds = required(event, "dur", place) * microsecond;
    s.x = number_in(args, "x", NAN);
    s.cores = static_cast<int>(std::clamp(number_in(args, "cores", 0), 0.0, 1e6));
    spans_.push_back(s);
  } else if (phase == "C") {
    if (take_prefix(name, "cores of "))
      cores_of_[{track.first, name}].emplace_back(required(event, "ts", place) * microsecond,
                                                  number_in(args, "cores", 0));
  } else if (phase == "i" || phase == "I") {
    const double time = required(event, "ts", place) * microsecond;
    if (instants_.size() == most_instants) {
      ++instants_left_out_;
      return;
    }
    const std::size_t space = name.find(' ');
    std::string kind = name.substr(0, space);
    name.erase(0, space == std::string::npos ? 0 : space + 1);
    const std::string detail = text_in(args, "detail");
    instants_.push_back({time, std::move(kind), std::move(name), detail.empty() ? text_in(args, "allotment") : detail});
  }
}

std::string trace_events::track_name(const track_key& key) const {
  const auto thread = thread_names_.find(key);
  const std::string name = thread != thread_names_.end() ? thread->second : fmt::format("thread {}", key.second);
  const auto process = process_names_.find(key.first);
  if (process_names_.size() < 2 || process == process_names_.end()) return name;
  return process->second + ": " + name;
}

json trace_events::page_trace(std::uint64_t dropped) && {
  dropped += instants_left_out_;
  if (spans_.size() > most_spans) {
    dropped += spans_.size() - most_spans;
    std::nth_element(spans_.begin(), spans_.begin() + most_spans, spans_.end(),
                     [](const span& a, const span& b) { return a.seconds > b.seconds; });
    spans_.resize(most_spans);
  }
  std::sort(spans_.begin(), spans_.end(), [](const span& a, const span& b) {
    return a.start != b.start ? a.start < b.start : a.seconds > b.seconds;
  });

  // Tracks as the writer orders them, the others behind.
  std::vector<track_key> keys(tracks_.size());
  for (const auto& [key, index] : tracks_) keys[index] = key;
  std::vector<std::uint32_t> order(keys.size()), position(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto place = [&](std::uint32_t track) {
    const auto found = thread_places_.find(keys[track]);
    return std::tuple(keys[track].first, found == thread_places_.end() ? INFINITY : found->second, keys[track].second);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  json tracks = json::array(), entities = json::array();
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    tracks.push_back(track_name(keys[order[i]]));
  }
  std::vector<std::string> names(entities_.size());
  for (const auto& [name, index] : entities_) names[index] = name;
  for (const std::string& name : names) entities.push_back(name);

  json track = json::array(), entity = json::array(), start = json::array(), seconds = json::array(), x = json::array(),
       cores = json::array(), blocked = json::array();
  for (const span& s : spans_) {
    track.push_back(position[s.track]);
    entity.push_back(s.entity);
    start.push_back(s.start);
    seconds.push_back(s.seconds);
    x.push_back(std::isfinite(s.x) ? json(s.x) : json(nullptr));
    cores.push_back(s.cores);
    blocked.push_back(s.blocked ? 1 : 0);
  }
  std::stable_sort(instants_.begin(), instants_.end(),
                   [](const instant& a, const instant& b) { return a.time < b.time; });
  json instants = json::array(), cores_of = json::object();
  for (const instant& i : instants_)
    instants.push_back({{"time", i.time}, {"kind", i.kind}, {"name", i.name}, {"detail", i.detail}});
  for (auto& [key, steps] : cores_of_) {
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool several = process_names_.size() > 1;
    const auto process = process_names_.find(key.first);
    json& list =
        cores_of[several && process != process_names_.end() ? process->second + ": " + key.second : key.second];
    list = json::array();
    for (const auto& [time, number] : steps) list.push_back({time, number});
  }
  return {{"tracks", tracks},
          {"entities", entities},
          {"dropped", dropped},
          {"spans",
           {{"track", track},
            {"entity", entity},
            {"start", start},
            {"seconds", seconds},
            {"x", x},
            {"cores", cores},
            {"blocked", blocked}}},
          {"instants", instants},
          {"cores_of", cores_of}};
}

}  // namespace weir::program
