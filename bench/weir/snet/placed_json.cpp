#include "bench/weir/snet/placed_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "bench/support/readable.hpp"

namespace weir::program {
namespace {

using detail::snet::fault_list;
using detail::snet::offset;
using detail::snet::source_text;

// Walks over the tokens of a text that the library has found to be JSON up to here.
class token_walk {
 public:
  explicit token_walk(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  struct token {
    offset begin, end;
  };
  token next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,:", at_), text_.size());
    const std::size_t from = at_;
    if (at_ < text_.size()) ++at_;
    const char first = from < text_.size() ? text_[from] : ' ';
    if (first == '"') {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
    } else if (first != '{' && first != '}' && first != '[' && first != ']') {
      at_ = std::min(text_.find_first_of(" \t\r\n,:]}", at_), text_.size());
    }
    return {static_cast<offset>(from), static_cast<offset>(at_)};
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Gets the tokens from the library and makes the tree.
class tree_maker {
 public:
  tree_maker(const source_text& text, fault_list& faults) : walk_(text.text()), faults_(faults) {}

  bool null() { return add({}); }
  bool boolean(bool value) {
    placed_json made = of(placed_json::truth);
    made.flag = value;
    return add(std::move(made));
  }
  bool number_integer(std::int64_t value) {
    placed_json made = of(placed_json::integer);
    made.whole = value;
    made.real = static_cast<double>(value);
    return add(std::move(made));
  }
  bool number_unsigned(std::uint64_t value) {
    return value <= INT64_MAX ? number_integer(static_cast<std::int64_t>(value))
                              : number(static_cast<double>(value), std::to_string(value));
  }
  // Others are given back from their value: a list of a million numbers is to keep no text of each.
  bool number_float(double value, const std::string& given) {
    constexpr std::size_t is_short = 15;
    const bool keeps = given.size() <= is_short || given.find_first_of(".eE") == std::string::npos;
    return number(value, keeps ? given : std::string());
  }
  bool string(std::string& value) {
    placed_json made = of(placed_json::text);
    made.words = std::move(value);
    return add(std::move(made));
  }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // no text has it

  bool start_object(std::size_t) { return open(of(placed_json::object)); }
  bool start_array(std::size_t) { return open(of(placed_json::list)); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    const token_walk::token here = walk_.next();
    level& in = open_.back();
    const auto [first, fresh] = in.keys.try_emplace(name, here.begin);
    if (!fresh) {
      faults_.add(here.begin, "key " + excerpt(name) + " stands twice", {{first->second, "it stands here, too"}});
      is_well_ = false;
    }
    in.value.members.push_back({std::move(name), here.begin, {}});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& thrown) {
    std::string why = in_short(thrown);
    if (const std::size_t colon = why.find(": "); why.starts_with("invalid JSON at ") && colon != std::string::npos)
      why = "invalid JSON" + why.substr(colon);
    return refuse(static_cast<offset>(position > 0 ? position - 1 : 0), why);
  }

  std::optional<placed_json> take() { return is_well_ ? std::optional(std::move(top_)) : std::nullopt; }

 private:
  static constexpr std::size_t deepest = 100;

  static placed_json of(placed_json::form what) {
    placed_json made;
    made.what = what;
    return made;
  }
  bool number(double value, std::string given) {
    placed_json made = of(placed_json::number);
    made.real = value;
    made.words = std::move(given);
    return add(std::move(made));
  }

  struct level {
    placed_json value;
    std::unordered_map<std::string, offset> keys;
  };

  bool refuse(offset place, const std::string& why) {
    faults_.add(place, why);
    return is_well_ = false;
  }
  bool open(placed_json value) {
    value.begin = walk_.next().begin;
    if (open_.size() >= deepest) return refuse(value.begin, "nested deeper than 100 levels");
    open_.push_back({std::move(value), {}});
    return true;
  }
  bool close() {
    placed_json value = std::move(open_.back().value);
    value.end = walk_.next().end;
    open_.pop_back();
    return put(std::move(value));
  }
  bool add(placed_json value) {
    const token_walk::token here = walk_.next();
    value.begin = here.begin, value.end = here.end;
    return put(std::move(value));
  }
  bool put(placed_json value) {
    if (open_.empty())
      top_ = std::move(value);
    else if (placed_json& in = open_.back().value; in.what == placed_json::list)
      in.items.push_back(std::move(value));
    else
      in.members.back().value = std::move(value);
    return true;
  }

  token_walk walk_;
  fault_list& faults_;
  std::vector<level> open_;
  placed_json top_;
  bool is_well_ = true;
};

}  // namespace

const placed_json* placed_json::find(std::string_view key) const {
  const auto at = std::find_if(members.begin(), members.end(), [&](const placed_member& m) { return m.key == key; });
  return at == members.end() ? nullptr : &at->value;
}

std::string found_words(const placed_json& value) {
  switch (value.what) {
    case placed_json::null:
      return "null";
    case placed_json::truth:
      return value.flag ? "true" : "false";
    case placed_json::integer:
      return std::to_string(value.whole);
    case placed_json::number:
      return "the number " + (value.words.empty() ? nlohmann::json(value.real).dump() : in_short(value.words));
    case placed_json::text:
      return "the text " + excerpt(value.words);
    case placed_json::list:
      return value.items.empty() ? "an empty list" : "a list";
    case placed_json::object:
      break;
  }
  return value.members.empty() ? "an empty object" : "an object";
}

std::optional<placed_json> read_json(const source_text& text, fault_list& faults) {
  if (const std::size_t zero = text.text().find('\0'); zero != std::string_view::npos) {  // the library ends there
    faults.add(static_cast<offset>(zero), "a byte 0, which JSON does not have");
    return std::nullopt;
  }
  tree_maker maker(text, faults);
  nlohmann::json::sax_parse(text.text(), &maker);
  return maker.take();
}

}  // namespace weir::program
