#include <weir/options/saved_models.hpp>

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include <weir/model/named/estimators.hpp>
#include "runtime/options/json_fault.hpp"

namespace weir {
namespace {

constexpr int format_version = 1;

// Cuts a message short: the JSON library quotes text that it does not understand, however long.
std::string in_short(const std::string& words) {
  constexpr std::size_t most = 300;
  std::string shown = words.substr(0, most);
  if (words.size() > most) shown += "...";
  return shown;
}

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("saved models: " + why); }

// `place` is "" or that of the object, with ": " behind it.
[[noreturn]] void refuse(const std::string& place, const char* key, const nlohmann::json& value, const char* expected) {
  refuse(place + "'" + key + "' is " + in_short(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) +
         ", expected was " + expected);
}

// Reads a whole number and checks it, since the JSON library casts any number.
int whole(const nlohmann::json& value, const char* key, const std::string& place = "") {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<int>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<int>(value.get<std::int64_t>());
  if (!fits) refuse(place, key, value, "a whole number");
  return value.get<int>();
}

const nlohmann::json& at(const nlohmann::json& object, const char* key, const std::string& place = "") {
  const auto found = object.find(key);
  if (found == object.end()) refuse(place + "key '" + key + "' is missing");
  return *found;
}

saved_model model_in(const nlohmann::json& component, const std::string& key) {
  const std::string place = "component '" + in_short(key) + "': ";
  if (!component.is_object()) refuse(place + "expected was an object");
  const nlohmann::json &estimator = at(component, "estimator", place), &state = at(component, "state", place);
  if (!estimator.is_string()) refuse(place, "estimator", estimator, "text");
  if (!state.is_array()) refuse(place, "state", state, "a list of numbers");
  saved_model made{estimator.get<std::string>(), whole(at(component, "degree", place), "degree", place), {}, {}};
  for (const nlohmann::json& one : state) {
    if (!one.is_number()) refuse(place, "state", one, "a list of numbers");
    made.state.push_back(one.get<double>());
  }
  if (const auto machine = component.find("machine"); machine != component.end()) {  // older files do not say it
    if (!machine->is_string()) refuse(place, "machine", *machine, "text");
    made.machine = machine->get<std::string>();
  }
  return made;
}

// Whether a name can be a JSON key: a name may have any bytes, and JSON text is UTF-8.
bool is_text(const std::string& name) {
  try {
    (void)nlohmann::json(name).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

// The key for a name that is not UTF-8: the name with those bytes as \xff, and ' behind it as long as the key is taken.
std::string stand_in(const std::string& name, const std::map<std::string, saved_model>& models,
                     const nlohmann::ordered_json& written) {
  std::string key;
  for (const unsigned char byte : name) {
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02x", byte);
    key += byte < 0x80 ? std::string(1, static_cast<char>(byte)) : hex;
  }
  while (models.contains(key) || written.contains(key)) key += '\'';
  return key;
}

std::string name_of(const std::string& key, const nlohmann::json& component) {
  if (!component.contains("name_bytes")) return key;
  const nlohmann::json& bytes = component.at("name_bytes");
  if (!bytes.is_array()) refuse("", "name_bytes", bytes, "a list of numbers");
  std::string name;
  for (const nlohmann::json& one : bytes) {
    const int byte = whole(one, "name_bytes");
    if (byte < 0 || byte > 0xFF) refuse("'name_bytes' has " + std::to_string(byte) + ", expected was 0 to 255");
    name += static_cast<char>(byte);
  }
  return name;
}

}  // namespace

std::string write_models(const std::map<std::string, saved_model>& models) {
  nlohmann::ordered_json j{{"weir_models", format_version}, {"components", nlohmann::ordered_json::object()}};
  nlohmann::ordered_json& components = j["components"];
  for (const auto& [name, m] : models) {
    nlohmann::ordered_json one{{"estimator", m.estimator}, {"degree", m.degree}, {"state", m.state}};
    if (!m.machine.empty()) one["machine"] = m.machine;
    const bool is_key = is_text(name);
    if (!is_key) one["name_bytes"] = std::vector<unsigned char>(name.begin(), name.end());
    components[is_key ? name : stand_in(name, models, components)] = std::move(one);
  }
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::map<std::string, saved_model> read_models(const std::string& text) {
  try {
    const auto j = nlohmann::json::parse(text);
    if (!j.is_object() || !j.contains("weir_models"))
      refuse("expected an object with the key 'weir_models', which is the format's version");
    const int version = whole(j.at("weir_models"), "weir_models");
    if (version != format_version)
      refuse("format version " + std::to_string(version) + ", this weir reads version " +
             std::to_string(format_version));
    const nlohmann::json& components = at(j, "components");
    if (!components.is_object()) refuse("", "components", components, "an object");
    std::map<std::string, saved_model> models;
    for (const auto& [key, m] : components.items()) models[name_of(key, m)] = model_in(m, key);
    return models;
  } catch (const nlohmann::json::exception& e) {
    refuse(in_short(detail::json_fault(e)));
  }
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
