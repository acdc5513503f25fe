#include "runtime/record/type_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::detail {
namespace {

void remove_all(std::string& from, std::string_view what) {
  for (std::size_t at = 0; (at = from.find(what, at)) != std::string::npos;) from.erase(at, what.size());
}

// Whether this is a default argument of a template of the standard library, whose first argument is `first`.
bool is_default(const std::string& argument, const std::string& first) {
  for (const std::string_view of_first : {"std::less<", "std::equal_to<", "std::hash<", "std::default_delete<"})
    if (argument == std::string(of_first) + first + ">") return true;
  return argument.starts_with("std::allocator<") || argument.starts_with("std::char_traits<");
}

// Turns `char const*` into `const char*`.
std::string with_const_first(std::string type) {
  constexpr std::string_view is_const = " const";
  const std::size_t at = type.find(is_const);
  if (at == std::string::npos || type.find_first_of("*&(") < at) return type;
  return "const " + type.erase(at, is_const.size());
}

class type_text {
 public:
  explicit type_text(std::string_view text) : text_(text) {}

  // One type, up to the comma or bracket that ends an argument of a template or function.
  std::string type() {
    std::string out;
    while (at_ < text_.size() && !is_end(text_[at_])) {
      if (text_[at_] == '<')
        out = with_arguments(std::move(out));
      else if (text_[at_] == '(')
        out += "(" + joined(list()) + ")";
      else if (text_[at_] == '{')
        take_whole(out);
      else
        out += text_[at_++];
    }
    while (out.ends_with(' ')) out.pop_back();
    return with_const_first(std::move(out));
  }

  bool is_done() const { return at_ == text_.size(); }

 private:
  static bool is_end(char c) { return c == ',' || c == '>' || c == ')'; }

  static std::string joined(const std::vector<std::string>& types) {
    std::string all;
    for (const std::string& one : types) all += (&one == &types.front() ? "" : ", ") + one;
    return all;
  }

  // The types of a list in brackets. Reads both brackets.
  std::vector<std::string> list() {
    std::vector<std::string> types;
    do {
      ++at_;  // the bracket, or a comma
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      types.push_back(type());
    } while (at_ < text_.size() && text_[at_] == ',');
    at_ = std::min(at_ + 1, text_.size());
    return types;
  }

  std::string with_arguments(std::string name) {
    std::vector<std::string> arguments = list();
    while (arguments.size() > 1 && is_default(arguments.back(), arguments.front())) arguments.pop_back();
    name += "<" + joined(arguments) + ">";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> short_names{
        {{"std::basic_string<char>", "std::string"},
         {"std::basic_string<wchar_t>", "std::wstring"},
         {"std::basic_string_view<char>", "std::string_view"}}};
    for (const auto& [whole, alias] : short_names)
      if (name.ends_with(whole)) name.replace(name.size() - whole.size(), whole.size(), alias);
    return name;
  }

  // Copies a lambda's name, `{lambda(int)#1}`, up to the closing brace.
  void take_whole(std::string& out) {
    int depth = 0;
    do {
      const char c = text_[at_++];
      depth += c == '{';
      depth -= c == '}';
      out += c;
    } while (depth > 0 && at_ < text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string written_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                        std::free);
  if (status != 0) return type.name();
  std::string whole = readable.get();
  for (const std::string_view hidden : {"(anonymous namespace)::", "__cxx11::", "__1::"}) remove_all(whole, hidden);
  type_text text(whole);
  std::string written = text.type();
  return text.is_done() ? written : whole;  // the name of an operator may contain unpaired brackets
}

}  // namespace weir::detail
