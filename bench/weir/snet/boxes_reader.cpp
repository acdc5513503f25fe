#include "bench/weir/snet/boxes_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "bench/support/readable.hpp"
#include "bench/weir/snet/field_kinds.hpp"
#include "bench/weir/snet/label_text.hpp"
#include "bench/weir/snet/placed_json.hpp"
#include "bench/weir/snet/quantities.hpp"
#include "runtime/snet/nearest_names.hpp"

namespace weir::program {
namespace {

using detail::snet::did_you_mean;
using detail::snet::fault_list;
using detail::snet::offset;
using detail::snet::source_text;
using key_list = std::vector<std::string_view>;

constexpr int most_lanes = 4096, most_cores = 65536, most_retries = 100, most_in_batch = 65536, most_slots = 1024;

const key_list keys_of_file{"$schema", "comment", "fields", "resources", "devices", "boxes"};
const key_list keys_of_box{"comment",  "command", "worker",   "library", "isolated",      "input",
                           "output",   "lines",   "within",   "memory",  "succeeds_with", "restarts_for_cores",
                           "width",    "cores",   "blocking", "retries", "predictor",     "needs",
                           "priority", "batched", "on"};
const key_list keys_of_argument{"value", "in", "out", "ending", "granted", "file"};
const key_list keys_of_predictor{"value", "file_size", "length", "kind", "degree"};
const key_list keys_of_need{"value", "file_size", "length", "times", "plus"};
const key_list granted{"cores", "cpus", "lane", "scratch"};

class reader {
 public:
  reader(const source_text& file, fault_list& faults)
      : folder_(std::filesystem::path(file.name()).parent_path()), faults_(faults) {}

  std::optional<boxes_plan> file(const placed_json& whole) {
    if (!has_keys(whole, keys_of_file)) return std::nullopt;
    boxes_plan plan;
    for (const placed_member& m : members_at(whole, "fields")) plan.fields[m.key] = field(m);
    for (const placed_member& m : members_at(whole, "resources")) {
      if (m.key.empty()) faults_.add(m.place, "the name of a resource is empty");
      plan.resources[m.key] = amount(m.value, 1);
    }
    for (const placed_member& m : members_at(whole, "devices")) {
      if (m.key.empty()) faults_.add(m.place, "the name of a device is empty");
      plan.devices[m.key] = integer(m.value, 1, most_slots);
    }
    if (!whole.find("boxes")) faults_.add(whole.begin, "there is no key \"boxes\", an object with a box for each key");
    for (const placed_member& m : members_at(whole, "boxes")) plan.boxes.push_back(box(m));
    return plan;
  }

 private:
  void refuse(const placed_json& value, const std::string& expected) {
    faults_.add(value.begin, fmt::format("found {}, expected {}", found_words(value), expected));
  }
  bool is_object(const placed_json& value) {
    if (value.what != placed_json::object) refuse(value, "an object");
    return value.what == placed_json::object;
  }
  std::span<const placed_member> members_at(const placed_json& of, std::string_view key) {
    const placed_json* const at = of.find(key);
    return at && is_object(*at) ? std::span<const placed_member>(at->members) : std::span<const placed_member>();
  }
  // An object without other keys than these.
  bool has_keys(const placed_json& value, const key_list& known) {
    if (!is_object(value)) return false;
    for (const placed_member& m : value.members)
      if (std::find(known.begin(), known.end(), m.key) == known.end())
        faults_.add(m.place, "unknown key " + excerpt(m.key) + near(m.key, known));
    return true;
  }
  static std::string near(std::string_view key, const key_list& known) {
    if (std::string hint = did_you_mean(key, known); !hint.empty()) return hint;
    return fmt::format(" (known: {})", fmt::join(known, ", "));
  }

  bool is_flag(const placed_json& value) {
    if (value.what != placed_json::truth) refuse(value, "true or false");
    return value.flag;
  }
  int integer(const placed_json& value, int least, int most) {
    const bool fits = value.what == placed_json::integer && value.whole >= least && value.whole <= most;
    if (!fits) refuse(value, fmt::format("an integer from {} to {}", least, most));
    return fits ? static_cast<int>(value.whole) : least;
  }
  // A text that goes to the system, which ends texts at a byte 0.
  std::string text(const placed_json& value, const char* expected) {
    if (value.what != placed_json::text)
      refuse(value, expected);
    else if (value.words.find('\0') != std::string::npos)
      faults_.add(value.begin, "found a text with a byte 0, where the system would end it");
    return value.words;
  }

  const value_type* field(const placed_member& m) {
    if (!is_name(m.key)) faults_.add(m.place, excerpt(m.key) + " is no name of a field: letters, digits and _");
    const field_kind* const kind = m.value.what == placed_json::text ? find_kind(m.value.words) : nullptr;
    if (!kind) refuse(m.value, fmt::format("the type of field {}: one of {}", excerpt(m.key), names_of_kinds()));
    return kind ? kind->type : nullptr;
  }

  planned_label label(const placed_json& value) {
    const auto parts = value.what == placed_json::text ? parse_label(value.words) : std::nullopt;
    if (!parts) {
      refuse(value, "a label: \"a\" for a field, \"<n>\" for a tag");
      return {label_kind::field, "", value.begin};
    }
    return {parts->kind, std::string(parts->name), value.begin};
  }

  // A number is the box's weight, a tag says which record is first.
  void priority(const placed_json& value, planned_box& made) {
    constexpr int most_weight = 1000;
    const auto tag = value.what == placed_json::text ? parse_label(value.words) : std::nullopt;
    if (tag && tag->kind == label_kind::tag)
      made.first_by = {tag->kind, std::string(tag->name), value.begin};
    else if (value.what == placed_json::integer && value.whole >= 1 && value.whole <= most_weight)
      made.priority = static_cast<int>(value.whole);
    else
      refuse(value, fmt::format("an integer from 1 to {} or a tag, \"<n>\"", most_weight));
  }

  argument_piece piece(const placed_json& value) {
    argument_piece made;
    made.place = value.begin;
    if (value.what != placed_json::object) {
      made.words = text(value, "a text, or an object such as {\"value\": \"<n>\"}");
      return made;
    }
    if (!has_keys(value, keys_of_argument)) return made;
    const placed_json* const ending = value.find("ending");
    const placed_member* what = nullptr;
    for (const placed_member& m : value.members)
      if (m.key != "ending") what = what ? nullptr : &m;
    const bool is_one = what && value.members.size() == (ending ? 2 : 1);
    const bool is_file = is_one && (what->key == "in" || what->key == "out");
    if (!is_one || (ending && !is_file)) {
      faults_.add(value.begin, "expected one of value, in, out, granted, file; with in and out also ending");
      return made;
    }
    const placed_json& of = what->value;
    if (what->key == "granted") {
      const auto at = std::find(granted.begin(), granted.end(), of.words);
      if (of.what != placed_json::text || at == granted.end())
        refuse(of, fmt::format("one of {}", fmt::join(granted, ", ")));
      else
        made.what = static_cast<argument_piece::form>(argument_piece::cores + (at - granted.begin()));
    } else if (what->key == "file") {
      made.words = beside(text(of, "a path"));
      std::error_code unknown;
      if (of.what == placed_json::text && !std::filesystem::exists(made.words, unknown))
        faults_.add(of.begin, "there is no file " + excerpt(made.words));
    } else {
      made.what = what->key == "in" ? argument_piece::in : is_file ? argument_piece::out : argument_piece::value;
      made.label = label(of);
      if (ending) made.words = file_ending(*ending);
    }
    return made;
  }

  std::string file_ending(const placed_json& value) {
    std::string made = text(value, "how the name of the file ends, such as \".png\"");
    if (made.find('/') != std::string::npos || made.size() > 100)
      refuse(value, "how the name of the file ends: no /, and at most 100 bytes");
    return made;
  }

  std::vector<planned_argument> arguments(const placed_json& value) {
    std::vector<planned_argument> all;
    if (value.what != placed_json::list || value.items.empty()) {
      refuse(value, "a list: the program, then its arguments");
      return all;
    }
    for (const placed_json& item : value.items) {
      planned_argument& made = all.emplace_back();
      if (&item == &value.items.front()) {
        made.push_back(program(item));
      } else if (item.what != placed_json::list) {
        made.push_back(piece(item));
      } else {
        if (item.items.empty()) refuse(item, "pieces of an argument, which are joined");
        for (const placed_json& p : item.items) made.push_back(piece(p));
      }
    }
    return all;
  }

  argument_piece program(const placed_json& value) {
    const bool is_file = value.what == placed_json::object && value.find("file");
    if (is_file || (value.what == placed_json::text && !value.words.empty())) return piece(value);
    refuse(value, "the program: a name, a path, or {\"file\": ..}");
    return {};
  }

  // The arguments of a worker. It starts before there is a record, so they are texts.
  std::vector<planned_argument> texts(const placed_json& value) {
    std::vector<planned_argument> all = arguments(value);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (value.items[i].what == placed_json::list || all[i].front().what != argument_piece::text)
        refuse(value.items[i], "a text, or {\"file\": ..}, since a worker is started before a record comes");
    return all;
  }

  // {"gpu0": ["python3", "on_gpu.py"]}: the device, and the worker there.
  void device(const placed_json& value, planned_box& made) {
    if (value.members.size() != 1 || value.members.front().key.empty())
      return refuse(value, "one device and the worker there, {\"gpu0\": [\"python3\", {\"file\": \"on_gpu.py\"}]}");
    made.device = value.members.front().key;
    made.device_arguments = texts(value.members.front().value);
  }

  std::string beside(const std::string& path) const {
    return std::filesystem::path(path).is_absolute() ? path : (folder_ / path).string();
  }

  planned_predictor predictor(const placed_json& value) {
    if (!has_keys(value, keys_of_predictor)) return {};
    planned_predictor made = predictor_form(value, "expected one of value, file_size, length and kind");
    if (const placed_json* const power = value.find("degree")) {
      made.degree = integer(*power, 0, 8);
      if (made.what == planned_predictor::kind) faults_.add(power->begin, "a kind has no degree");
    }
    return made;
  }

  // One, or a list of several.
  std::vector<planned_predictor> predictors(const placed_json& value) {
    if (value.what != placed_json::list) return {predictor(value)};
    constexpr std::size_t least = 2, most = 4;
    if (value.items.size() < least || value.items.size() > most)
      refuse(value, fmt::format("a list of {} to {} predictors", least, most));
    std::vector<planned_predictor> all;
    for (const placed_json& one : value.items) {
      all.push_back(predictor(one));
      if (one.what == placed_json::object && one.find("degree"))
        faults_.add(one.find("degree")->begin, "one of several predictors has no degree: their shape is found");
    }
    return all;
  }

  // By which number: value, file_size, length, or which kind.
  planned_predictor predictor_form(const placed_json& value, const char* expected) {
    planned_predictor made;
    int forms = 0;
    for (const placed_member& m : value.members) {
      if (m.key != "value" && m.key != "file_size" && m.key != "length" && m.key != "kind") continue;
      made.what = m.key == "value"       ? planned_predictor::value
                  : m.key == "file_size" ? planned_predictor::file_size
                  : m.key == "kind"      ? planned_predictor::kind
                                         : planned_predictor::length;
      made.label = label(m.value);
      ++forms;
    }
    if (forms != 1) faults_.add(value.begin, expected);
    return made;
  }

  // A number, or bytes with their unit.
  std::int64_t amount(const placed_json& value, std::int64_t least) {
    const std::optional<std::int64_t> found = value.what == placed_json::integer ? std::optional(value.whole)
                                              : value.what == placed_json::text  ? whole_bytes_in(value.words)
                                                                                 : std::nullopt;
    if (found && *found >= least) return *found;
    refuse(value, fmt::format("an amount: an integer from {} on, or bytes with their unit, \"8 GiB\"", least));
    return least;
  }

  planned_need need(const placed_member& m) {
    planned_need made{m.key, m.place};
    if (m.value.what == placed_json::text && m.value.words == "learnt") {
      made.is_learnt = true;
    } else if (m.value.what != placed_json::object) {
      made.fixed = amount(m.value, 0);
    } else if (has_keys(m.value, keys_of_need)) {
      if (const placed_json* const plus = m.value.find("plus")) made.fixed = amount(*plus, 0);
      if (const placed_json* const times = m.value.find("times")) made.times = factor(*times);
      made.by = predictor_form(m.value, "expected one of value, file_size and length");
    }
    return made;
  }
  double factor(const placed_json& value) {
    const bool is_number = value.what == placed_json::integer || value.what == placed_json::number;
    const double number = value.what == placed_json::integer ? static_cast<double>(value.whole) : value.real;
    if (!is_number || !(number >= 0)) refuse(value, "a number of 0 or more");
    return is_number ? number : 1;
  }

  planned_cores cores(const placed_json& value) {
    if (value.what != placed_json::list) return {1, integer(value, 1, most_cores)};
    if (value.items.size() != 2) {
      refuse(value, "the most cores, or the least and the most: [1, 8]");
      return {};
    }
    planned_cores made{integer(value.items[0], 1, most_cores), integer(value.items[1], 1, most_cores)};
    if (made.least > made.most) refuse(value.items[1], fmt::format("at least {}, the least cores", made.least));
    return made;
  }

  std::chrono::nanoseconds time(const placed_json& value) {
    const auto seconds = value.what == placed_json::text ? seconds_in(value.words) : std::nullopt;
    constexpr double year = 365.0 * 24 * 3600;
    if (!seconds || !(*seconds >= 1e-3) || *seconds > year) {
      refuse(value, "a time from 1 ms to a year, with its unit: \"500 ms\", \"30 s\", \"5 min\", \"2 h\"");
      return std::chrono::seconds(1);
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
  }
  std::uint64_t bytes(const placed_json& value) {
    const auto size = value.what == placed_json::text ? bytes_in(value.words) : std::nullopt;
    constexpr double least = 1e6, most = 1e15;  // less is not enough for any program to start
    if (!size || !(*size >= least) || *size > most) {
      refuse(value, "an amount of memory from 1 MB on, with its unit: \"512 MB\", \"2 GiB\"");
      return 0;
    }
    return static_cast<std::uint64_t>(*size);
  }
  std::vector<int> exit_codes(const placed_json& value) {
    std::vector<int> all;
    if (value.what != placed_json::list || value.items.empty()) {
      refuse(value, "a list of exit codes");
      return all;
    }
    for (const placed_json& item : value.items) all.push_back(integer(item, 0, 255));
    return all;
  }

  planned_box box(const placed_member& m) {
    planned_box made{m.key, m.place};
    if (!is_name(m.key)) faults_.add(m.place, excerpt(m.key) + " is no name of a box: letters, digits and _");
    if (!has_keys(m.value, keys_of_box)) return made;
    std::vector<const placed_member*> forms;
    for (const placed_member& k : m.value.members)
      if (k.key == "command" || k.key == "worker" || k.key == "library") forms.push_back(&k);
    if (forms.size() != 1) {
      faults_.add(forms.empty() ? m.value.begin : forms[1]->place,
                  fmt::format("box {} is one of command, worker and library, found {}", excerpt(m.key),
                              forms.empty() ? "none" : "two"));
      return made;
    }
    made.from = forms[0]->place;
    made.what = forms[0]->key == "command"  ? planned_box::command
                : forms[0]->key == "worker" ? planned_box::worker
                                            : planned_box::of_library;
    for (const placed_member& k : m.value.members)
      if (fits(k, made, m.value)) property(k, made);
    return made;
  }

  // Whether the property is one of boxes of this form.
  bool fits(const placed_member& k, const planned_box& box, const placed_json& whole) {
    const auto is = [&](std::initializer_list<const char*> keys) {
      return std::find(keys.begin(), keys.end(), k.key) != keys.end();
    };
    const placed_json* const isolated = whole.find("isolated");
    const bool is_process = box.what != planned_box::of_library || (isolated && isolated->flag);
    const char* why = nullptr;
    if (box.what != planned_box::command && is({"input", "output", "lines", "succeeds_with"}))
      why = "is of a command";
    else if (box.what != planned_box::worker && is({"restarts_for_cores", "batched", "on"}))
      why = "is of a worker";
    else if (box.what != planned_box::of_library && is({"isolated"}))
      why = "is of a library's box; a command and a worker are processes of their own";
    else if (box.what == planned_box::of_library &&
             is({"predictor", "width", "cores", "blocking", "needs", "priority"}))
      why = "is said in the library, with the box";
    else if (whole.find("blocking") && is({"on"}))
      why = "does not go with \"blocking\", which runs outside the cores";
    else if (whole.find("blocking") && is({"width", "cores"}))
      why = "does not go with \"blocking\", which says how many run at the same time, outside the cores";
    else if (whole.find("output") && is({"lines"}))
      why = "does not go with \"output\": both get the standard output";
    else if (!is_process && is({"within", "memory", "retries"}))
      why = "cannot be held for a box in this process: say \"isolated\": true, too";
    if (why) faults_.add(k.place, fmt::format("{} {}", excerpt(k.key), why));
    return !why;
  }

  void property(const placed_member& k, planned_box& made) {
    if (k.key == "command") made.arguments = arguments(k.value);
    if (k.key == "worker") made.arguments = texts(k.value);
    if (k.key == "library") made.library = beside(text(k.value, "the path of a shared library"));
    if (k.key == "isolated") made.isolated = is_flag(k.value);
    if (k.key == "input") made.input = label(k.value);
    if (k.key == "output") made.output = label(k.value);
    if (k.key == "lines") made.lines = label(k.value);
    if (k.key == "succeeds_with") made.succeeds_with = exit_codes(k.value);
    if (k.key == "restarts_for_cores") made.restarts_for_cores = is_flag(k.value);
    if (k.key == "batched") made.batched = integer(k.value, 1, most_in_batch);
    if (k.key == "on" && is_object(k.value)) device(k.value, made);
    if (k.key == "within") made.within = time(k.value);
    if (k.key == "memory") made.memory = bytes(k.value);
    if (k.key == "retries") made.retries = integer(k.value, 0, most_retries);
    if (k.key == "predictor") made.predictors = predictors(k.value);
    if (k.key == "needs" && is_object(k.value))
      for (const placed_member& n : k.value.members) made.needs.push_back(need(n));
    if (k.key == "priority") priority(k.value, made);
    if (k.key == "width") made.width = integer(k.value, 1, most_lanes);
    if (k.key == "cores") made.cores = cores(k.value);
    if (k.key == "blocking") made.blocking = integer(k.value, 1, most_lanes);
  }

  std::filesystem::path folder_;
  fault_list& faults_;
};

}  // namespace

std::optional<boxes_plan> read_boxes(const source_text& file, fault_list& faults) {
  const std::optional<placed_json> whole = read_json(file, faults);
  if (!whole) return std::nullopt;
  std::optional<boxes_plan> plan = reader(file, faults).file(*whole);
  return faults.empty() ? std::move(plan) : std::nullopt;
}

}  // namespace weir::program
