#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <weir/scheduler/view/system_view.hpp>
#include "bench/weir/common/accepted_numbers.hpp"

namespace weir::program {

// An object of a JSON file that is read key by key. It knows its place in the file ("scenario.json:
// components[2].cost"). All functions throw bad_input that begins with that place and names the key, what was found and
// what was expected.
class json_object {
 public:
  json_object(const nlohmann::json& value, std::string place);

  const std::string& place() const { return place_; }
  std::string place(const std::string& key) const { return place_ + ": " + key; }

  // Whether the key is there. A key that was asked for counts as known.
  bool has(const std::string& key);
  const nlohmann::json& at(const std::string& key);  // throws if it is missing

  // The value, or `otherwise` if the key is missing. A whole number may stand as 1e6 or 2.0.
  double number(const std::string& key, double otherwise, const accepted_numbers& accepted);
  std::int64_t whole(const std::string& key, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  bool flag(const std::string& key, bool otherwise);
  std::string text(const std::string& key);  // throws if it is missing
  std::string text(const std::string& key, const std::string& otherwise) { return has(key) ? text(key) : otherwise; }
  // The objects of a list, each with its index in its place. Throws if the key is missing.
  std::vector<json_object> objects(const std::string& key);

  // To be called last: throws if the object has a key that was never asked for, listing the known keys.
  void require_no_more() const;

  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const;

 private:
  const nlohmann::json& value_;
  std::string place_;
  std::set<std::string> known_;
};

// The JSON of a file's text, with comments allowed. Throws bad_input that names the file for a text that is not JSON,
// and the place of a key that stands twice in one object.
nlohmann::json json_of_text(const std::string& text, const std::string& path);

// The index of this name among those of the list of a file. Throws bad_input about the key, naming the others.
std::size_t index_of(const json_object& in, const std::string& key, const std::string& name,
                     const std::vector<std::string>& names, const char* list);

template <class Named>
std::vector<std::string> names_in_list(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

// Throws bad_input about the first component that no records of the input reach. `components` is the place of their
// list.
void require_reached(const std::vector<link>& links, const std::vector<std::string>& names,
                     const std::string& components);

// A number, and lists; they throw the same errors.
double number_of(const nlohmann::json& value, const std::string& place, const accepted_numbers& accepted);
std::vector<double> numbers_of(const nlohmann::json& value, const std::string& place, const accepted_numbers& accepted);
std::vector<std::pair<double, double>> pairs_of(const nlohmann::json& value, const std::string& place,
                                                const accepted_numbers& first, const accepted_numbers& second);

}  // namespace weir::program
