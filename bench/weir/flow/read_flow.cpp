#include "bench/weir/flow/read_flow.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <weir/options/saved_models.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/input_file.hpp"
#include "bench/weir/common/scenario_values.hpp"
#include "bench/weir/flow/flow_models.hpp"
#include "bench/weir/flow/flow_network.hpp"
#include "bench/weir/flow/flow_of_report.hpp"

namespace weir::program {

using nlohmann::json;

constexpr std::size_t largest_file = std::size_t{64} << 20;

flow_file read_flow(const std::string& path) {
  const std::string text = read_input(path, largest_file);
  json value = json_of_text(text, path);
  if (value.is_object() && value.contains("runs") && value["runs"].is_array() && value["runs"].size() == 1 &&
      value["runs"][0].is_object() && value["runs"][0].contains("report"))
    value = json(value["runs"][0]["report"]);  // what --report writes
  try {
    flow_file file;
    if (value.is_object() && value.contains("components") && value["components"].is_object()) {
      file = flow_of_models(path, read_models(text));
    } else {
      json_object in(value, path);
      if (in.has("runs"))
        throw bad_input(path + ": there are several runs in it, expected was one; take one object of \"runs\"");
      if (in.has("format") && in.has("decisions") && in.has("components") && value["components"].empty())
        throw bad_input(path + ": it is the report of a run without boxes, so there is nothing to predict");
      const bool has_components =
          in.has("components") && value["components"].is_array() && !value["components"].empty();
      const bool is_report =
          has_components && value["components"][0].is_object() && value["components"][0].contains("mean_seconds");
      file = is_report ? flow_of_report(in) : flow_of_network(in, std::filesystem::path(path).parent_path());
    }
    file.network.validate();
    return file;
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("{}: {}", path, e.what()));
  }
}

}  // namespace weir::program
