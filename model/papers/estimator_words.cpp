#include "model/papers/estimator_words.hpp"

#include <algorithm>
#include <stdexcept>

namespace weir {
namespace {

[[noreturn]] void refuse(std::string_view given, std::span<const word_option> options, const std::string& reason) {
  std::string message = "estimator '" + std::string(given) + "': " + reason;
  if (options.empty()) message += "; it takes no words";
  const char* separator = "; there are ";
  for (const word_option& option : options) {
    for (const std::string_view word : option) {
      message += separator + std::string(word);
      separator = "|";
    }
    separator = ", ";
  }
  throw std::invalid_argument(message);
}

}  // namespace

std::string_view plain_name(std::string_view given) { return given.substr(0, given.find(':')); }

std::vector<int> read_words(std::string_view given, std::span<const word_option> options) {
  std::vector<std::string_view> chosen(options.size());
  std::vector<int> out(options.size(), 0);
  for (auto colon = given.find(':'); colon != given.npos;) {
    const auto next = given.find(':', colon + 1);
    const std::string_view word = given.substr(colon + 1, next == given.npos ? next : next - colon - 1);
    const auto option =
        std::ranges::find_if(options, [&](const word_option& o) { return std::ranges::find(o, word) != o.end(); });
    if (option == options.end()) refuse(given, options, "unknown word '" + std::string(word) + "'");
    const auto index = static_cast<std::size_t>(option - options.begin());
    if (!chosen[index].empty())
      refuse(given, options,
             "'" + std::string(chosen[index]) + "' and '" + std::string(word) + "' choose the same option");
    chosen[index] = word;
    out[index] = static_cast<int>(std::ranges::find(*option, word) - option->begin());
    colon = next;
  }
  return out;
}

std::string canonical_name(std::string_view plain, std::span<const word_option> options, std::span<const int> chosen) {
  std::string out(plain);
  for (std::size_t i = 0; i < options.size(); ++i)
    if (chosen[i] > 0) out += ":" + std::string(options[i][static_cast<std::size_t>(chosen[i])]);
  return out;
}

}  // namespace weir
