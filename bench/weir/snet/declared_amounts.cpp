#include "bench/weir/snet/declared_amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <system_error>

#include "bench/support/bad_input.hpp"
#include "bench/support/readable.hpp"
#include "bench/weir/snet/quantities.hpp"

namespace weir::program {
namespace {

// "NAME=AMOUNT".
resource resource_in(const std::string& text) {
  const std::size_t at = text.rfind('=');
  const auto refuse = [&] {
    throw bad_input(fmt::format("--resource: {} is not NAME=AMOUNT, such as memory=8GiB or licence=2", excerpt(text)));
  };
  if (at == text.npos || at == 0) refuse();
  const std::string amount = text.substr(at + 1);
  std::int64_t total = 0;
  if (const auto bytes = whole_bytes_in(amount))
    total = *bytes;
  else if (const auto [end, error] = std::from_chars(amount.data(), amount.data() + amount.size(), total);
           error != std::errc() || end != amount.data() + amount.size())
    refuse();
  if (total < 1) refuse();
  return {text.substr(0, at), total};
}

// "NAME=SLOTS".
device device_in(const std::string& text) {
  const std::size_t at = text.rfind('=');
  int slots = 0;
  const char* const end = text.data() + text.size();
  const bool is_well = at != text.npos && at > 0 && [&] {
    const auto [last, error] = std::from_chars(text.data() + at + 1, end, slots);
    return error == std::errc() && last == end;
  }();
  if (!is_well || slots < 1 || slots > 1024)
    throw bad_input(fmt::format("--device: {} is not NAME=SLOTS, such as gpu0=2, with 1 to 1024 slots", excerpt(text)));
  return device(text.substr(0, at), slots);
}

// The amounts of the options, as `parse` reads them, and behind them those of the files, which `given` finds.
template <typename One, typename Given>
std::vector<One> all_of(const char* option, const std::vector<std::string>& asked, One (*parse)(const std::string&),
                        const std::deque<bound_boxes>& files, Given given, const char* of) {
  std::vector<One> all;
  for (const std::string& text : asked) {
    all.push_back(parse(text));
    if (std::ranges::count(all, all.back().name(), &One::name) > 1)
      throw bad_input(fmt::format("{}: {} is given twice", option, excerpt(all.back().name())));
  }
  const std::vector<One> by_option = all;
  std::map<std::string_view, const bound_boxes*> first_with;
  for (const bound_boxes& file : files)
    for (const auto& [name, number] : given(file)) {
      if (std::ranges::find(by_option, name, &One::name) != by_option.end()) continue;
      const auto [at, is_new] = first_with.try_emplace(name, &file);
      if (is_new)
        all.emplace_back(name, number);
      else if (const auto first = given(*at->second).find(name)->second; first != number)
        throw bad_input(fmt::format("--boxes: {} has {} {}{}, and {} {}; expected was one number, or {}",
                                    excerpt(file.file()), number, of, excerpt(name), excerpt(at->second->file()), first,
                                    option));
    }
  return all;
}

}  // namespace

std::vector<resource> resources_of(const std::vector<std::string>& asked, const std::deque<bound_boxes>& files) {
  return all_of(
      "--resource", asked, resource_in, files, [](const bound_boxes& file) -> const auto& { return file.resources(); },
      "of ");
}

std::vector<device> devices_of(const std::vector<std::string>& asked, const std::deque<bound_boxes>& files) {
  return all_of(
      "--device", asked, device_in, files, [](const bound_boxes& file) -> const auto& { return file.devices(); },
      "slots of ");
}

}  // namespace weir::program
