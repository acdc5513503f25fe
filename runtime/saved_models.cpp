#include "runtime/saved_models.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace weir {
namespace {

constexpr int format_version = 1;

// The JSON library quotes what it does not understand, however long that is.
std::string in_short(const std::string& words) {
  constexpr std::size_t most = 300;
  std::string shown = words.substr(0, most);
  if (words.size() > most) shown += "...";
  return shown;
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("saved models: " + why); }

// The JSON library casts whatever number there is.
int whole(const nlohmann::json& in, const char* key) {
  const nlohmann::json& value = in.at(key);
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<int>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<int>(value.get<std::int64_t>());
  if (!fits) refuse(std::string("'") + key + "' is " + in_short(value.dump()) + ", expected was a whole number");
  return value.get<int>();
}

}  // namespace

std::string write_models(const std::map<std::string, saved_model>& models) {
  nlohmann::ordered_json j{{"weir_models", format_version}, {"components", nlohmann::ordered_json::object()}};
  for (const auto& [name, m] : models)
    j["components"][name] = {{"estimator", m.estimator}, {"degree", m.degree}, {"state", m.state}};
  return j.dump(2) + "\n";
}

std::map<std::string, saved_model> read_models(const std::string& text) {
  try {
    const auto j = nlohmann::json::parse(text);
    if (!j.is_object() || !j.contains("weir_models"))
      refuse("expected an object with the key 'weir_models', which is the format's version");
    const int version = whole(j, "weir_models");
    if (version != format_version)
      refuse("format version " + std::to_string(version) + ", this weir reads version " +
             std::to_string(format_version));
    std::map<std::string, saved_model> models;
    for (const auto& [name, m] : j.at("components").items())
      models[name] = {m.at("estimator").get<std::string>(), whole(m, "degree"),
                      m.at("state").get<std::vector<double>>()};
    return models;
  } catch (const nlohmann::json::exception& e) {
    refuse(in_short(e.what()));
  }
  return {};
}

std::unique_ptr<estimator> estimator_of(const saved_model& saved) {
  auto made = make_estimator(saved.estimator, degree{saved.degree});
  if (!made->restore(saved.state))
    throw std::invalid_argument("its state of " + std::to_string(saved.state.size()) +
                                " numbers does not fit, expected was one of a " + saved.estimator +
                                " model of degree " + std::to_string(saved.degree));
  return made;
}

}  // namespace weir
