#include "bench/weir/snet/json_notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "bench/support/readable.hpp"
#include "bench/weir/snet/json_values.hpp"
#include "bench/weir/snet/label_text.hpp"
#include "bench/weir/snet/placed_json.hpp"
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/record_notation.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::program {
namespace {

using detail::snet::record_fault;

// With `only` at most the value of this label.
std::vector<std::pair<const detail::label_info*, std::string>> values_of(const record& r, std::string_view only = {}) {
  std::vector<std::pair<const detail::label_info*, std::string>> all;
  if (!r.body()) return all;
  const detail::shape& shape = *r.body()->shape;
  for (int i = 0; i < shape.size(); ++i) {
    const detail::label_info& label = shape[i];
    if (only.empty() || weir::to_string(label) == only) all.emplace_back(&label, json_of(label, r.body()->slots()[i]));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first->kind, std::string_view(a.first->name)) <
           std::pair(b.first->kind, std::string_view(b.first->name));
  });
  return all;
}

// Control characters of the JSON itself are escaped already; these are above ASCII's first 32, and no terminal is to
// get them. In JSON they stand in texts only.
std::string without_controls(const std::string& line) {
  std::string made;
  made.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < line.size() ? static_cast<unsigned char>(line[at]) : 0U; };
    const bool is_above_ascii = byte(i) == 0xC2 && byte(i + 1) < 0xA0;  // U+0080 to U+009F
    if (!is_above_ascii && byte(i) != 0x7F)
      made += line[i];
    else
      made += fmt::format("\\u{:04x}", is_above_ascii ? byte(++i) : byte(i));
  }
  return made;
}

}  // namespace

record json_notation::read(std::string_view line, std::string_view only) const {
  constexpr std::size_t longest = std::size_t{1} << 30;  // offsets have 32 bits
  if (line.size() > longest) throw record_fault(1, "the line has more than 1 GiB");
  const detail::snet::source_text text("", std::string(line));
  detail::snet::fault_list faults;
  const std::optional<placed_json> whole = read_json(text, faults);
  if (!whole) {
    const detail::snet::fault& first = faults.kept().front();
    throw record_fault(first.what.place + 1, first.what.words);
  }
  if (whole->what != placed_json::object)
    throw record_fault(whole->begin + 1, fmt::format("found {}, expected an object", found_words(*whole)));
  if (whole->members.size() > detail::snet::most_labels)
    throw record_fault(1, fmt::format("more than {} labels in one record", detail::snet::most_labels));
  detail::snet::record_words words;
  words.all.reserve(whole->members.size());
  for (const placed_member& m : whole->members) {
    if (!only.empty() && m.key != only) continue;
    const auto parts = parse_label(m.key);
    if (!parts)
      throw record_fault(m.place + 1, fmt::format("{} is no label: a field's name, or <n> for a tag", excerpt(m.key)));
    const auto [kind, name] = *parts;
    const char* const kept = detail::kept_name(name);
    detail::labelled_word w{kept, detail::label_key(kept, kind), kind, nullptr, 0};
    const placed_json& value = m.value;
    if (kind != label_kind::field) {
      if (value.what != placed_json::integer)
        throw record_fault(value.begin + 1,
                           fmt::format("found {}, expected an integer of 64 bits for a tag", found_words(value)));
      w.word = static_cast<detail::slot_word>(value.whole);
    } else if (const auto known = fields_.find(name); known != fields_.end()) {
      w.type = known->second;
      try {
        w.word = word_of(value, *w.type, known_);
      } catch (const std::exception& e) {
        throw record_fault(value.begin + 1, fmt::format("field {}: {}", name, e.what()));
      }
    } else if (value.what == placed_json::text) {
      w.type = detail::type_of<std::string>();
      w.word = detail::make_word<std::string>(value.words);
    } else if (value.what == placed_json::integer) {
      w.type = detail::type_of<std::int64_t>();
      w.word = detail::make_word<std::int64_t>(value.whole);
    } else {
      w.type = detail::type_of<kept_json>();
      w.word = detail::make_word<kept_json>(
          kept_json{std::string(text.text().substr(value.begin, value.end - value.begin))});
    }
    words.all.push_back(w);
  }
  return std::move(words).take();
}

std::string json_notation::written(const record& r) const {
  std::string line = "{";
  for (const auto& [label, value] : values_of(r))
    line += fmt::format("{}\"{}\": {}", line.size() > 1 ? ", " : "", weir::to_string(*label), value);
  return without_controls(line + "}");
}

std::string json_notation::value_of(const record& r, std::string_view label) {
  const auto found = values_of(r, label);
  return found.empty() ? "" : found.front().second;
}

}  // namespace weir::program
