#include "bench/weir/common/machines_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

using nlohmann::json;

constexpr std::int64_t most_machines = 4096, most_cores = 65536, most_window = 1'000'000'000;

machine_link link_from(json_object& in, const machine_link& usual) {
  machine_link l;
  l.latency = in.number("latency", usual.latency, up_to_1e12);
  l.record_seconds = in.number("record_seconds", usual.record_seconds, up_to_1e12);
  l.bytes_per_second = in.number("bytes_per_second", usual.bytes_per_second, bandwidths);
  return l;
}

}  // namespace

cluster cluster_of(const json& value, const std::string& place) {
  json_object in(value, place);
  cluster result;
  if (in.has("cores") && in.at("cores").is_array()) {
    for (double cores : numbers_of(in.at("cores"), in.place("cores"), up_to_1e12)) {
      if (!(cores >= 1 && cores <= static_cast<double>(most_cores)) || cores != std::floor(cores))
        in.refuse("cores", fmt::format("whole numbers in 1..{}", most_cores));
      result.cores.push_back(static_cast<int>(cores));
    }
    if (in.has("count")) in.refuse("count", "nothing: \"cores\" lists the machines");
  } else {
    const auto cores = static_cast<int>(in.whole("cores", 1, 1, most_cores));
    result.cores.assign(static_cast<std::size_t>(in.whole("count", 1, 1, most_machines)), cores);
  }
  result.usual = link_from(in, {});
  result.direct = in.flag("direct", false);
  result.window_records = static_cast<int>(in.whole("window_records", result.window_records, 1, most_window));
  result.window_bytes = in.number("window_bytes", result.window_bytes, {1, size_or_zero.most});
  if (in.has("between"))
    for (json_object& one : in.objects("between")) {
      const auto most = static_cast<std::int64_t>(result.cores.size()) - 1;
      result.pairs.push_back({static_cast<int>(one.whole("from", 0, 0, most)),
                              static_cast<int>(one.whole("to", 0, 0, most)), link_from(one, result.usual)});
      one.require_no_more();
    }
  in.require_no_more();
  try {
    result.validate();
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", place, e.what()));
  }
  return result;
}

cluster cluster_from(const std::string& option, const std::string& text) {
  json keys = json::object();
  bool is_first = true;
  for (const std::string& word : split_text(text, ' ')) {
    if (word.empty()) continue;
    if (is_first) {
      const std::size_t by = word.find('x');
      if (by == std::string::npos)
        throw bad_input(
            fmt::format("{}: {} was found, expected was machines and cores, as 4x48", option, excerpt(word)));
      keys["count"] = parse_number(option, word.substr(0, by), 1, most_machines);
      keys["cores"] = parse_number(option, word.substr(by + 1), 1, most_cores);
      is_first = false;
      continue;
    }
    const std::size_t is = word.find('=');
    json value;
    if (is != std::string::npos) value = json::parse(word.substr(is + 1), nullptr, false);
    if (is == std::string::npos || value.is_discarded() || value.is_structured())
      throw bad_input(fmt::format("{}: {} was found, expected was KEY=VALUE", option, excerpt(word)));
    keys[word.substr(0, is)] = std::move(value);
  }
  if (is_first)
    throw bad_input(fmt::format("{}: no machines were found, expected was machines and cores, as 4x48", option));
  return cluster_of(keys, option);
}

double bytes_of(json_object& in) { return in.number("bytes", 0, size_or_zero); }

component_place place_of(json_object& component) {
  component_place result;
  if (component.has("machine")) {
    if (component.at("machine") == "all")
      result.machine = everywhere;
    else if (component.at("machine").is_string())
      component.refuse("machine", "the number of a machine, or \"all\"");
    else
      result.machine = static_cast<int>(component.whole("machine", 0, 0, most_window));
  }
  result.bytes = bytes_of(component);
  return result;
}

std::vector<int> places_on(const cluster& machines, const std::vector<component_place>& given) {
  std::vector<int> at;
  for (const component_place& one : given)
    at.push_back(one.machine == everywhere ? everywhere : one.machine % machines.machines());
  return at;
}

std::vector<double> bytes_on(const std::vector<link>& links, double enters, const std::vector<component_place>& given) {
  std::vector<double> bytes;
  for (const link& l : links) bytes.push_back(l.from < 0 ? enters : given[static_cast<std::size_t>(l.from)].bytes);
  return bytes;
}

}  // namespace weir::program
