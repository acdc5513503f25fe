#include "runtime/saved_models.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace weir {
namespace {

constexpr int format_version = 1;

// The JSON library quotes what it does not understand, however long that is.
std::string in_short(const std::string& words) {
  constexpr std::size_t most = 300;
  return words.size() > most ? words.substr(0, most) + "..." : words;
}

}  // namespace

std::string write_models(const std::map<std::string, saved_model>& models) {
  nlohmann::ordered_json j{{"weir_models", format_version}, {"components", nlohmann::ordered_json::object()}};
  for (const auto& [name, m] : models)
    j["components"][name] = {{"estimator", m.estimator}, {"degree", m.degree}, {"state", m.state}};
  return j.dump(2) + "\n";
}

std::map<std::string, saved_model> read_models(const std::string& text) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("saved models: " + why); };
  try {
    const auto j = nlohmann::json::parse(text);
    if (!j.is_object() || !j.contains("weir_models"))
      refuse("expected an object with the key 'weir_models', which is the format's version");
    const int version = j.at("weir_models").get<int>();
    if (version != format_version)
      refuse("format version " + std::to_string(version) + ", this weir reads version " +
             std::to_string(format_version));
    std::map<std::string, saved_model> models;
    for (const auto& [name, m] : j.at("components").items())
      models[name] = {m.at("estimator").get<std::string>(), m.at("degree").get<int>(),
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
