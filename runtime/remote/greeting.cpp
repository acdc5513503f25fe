#include "runtime/remote/greeting.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>

#include <weir/record/errors.hpp>

namespace weir::detail::remote {

namespace {

std::string named(std::size_t rank) { return "rank " + std::to_string(rank); }

// The first line in which two texts differ, of each.
std::string first_difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const auto line = [at](const std::string& text) {
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    constexpr std::size_t most = 200;
    return text.substr(begin, std::min(most, text.find('\n', begin) - begin));
  };
  return "`" + line(a) + "` and `" + line(b) + "`";
}

std::string name_of(bool reassigns) { return reassigns ? "reassign" : "stop"; }

template <class Number>
bool read(const std::string& text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<std::string> texts_of(const greeting& g) {
  return {g.version,
          g.network,
          std::to_string(g.limits.cores),
          std::to_string(g.limits.records),
          std::to_string(g.limits.bytes),
          name_of(g.limits.reassigns)};
}

std::optional<greeting> greeting_of(const std::vector<std::string>& texts) {
  if (texts.size() != 6) return std::nullopt;
  greeting g{texts[0], texts[1], {}};
  g.limits.reassigns = texts[5] == name_of(true);
  if (!read(texts[2], g.limits.cores) || !read(texts[3], g.limits.records) || !read(texts[4], g.limits.bytes) ||
      texts[5] != name_of(g.limits.reassigns))
    return std::nullopt;
  return g;
}

window_limits agreed(const std::vector<std::optional<greeting>>& all, int self) {
  const auto own = static_cast<std::size_t>(self);
  const greeting& mine = *all[own];
  window_limits limits = mine.limits;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r == own) continue;
    const std::size_t low = std::min(own, r), high = std::max(own, r);
    if (!all[r] || all[r]->version != mine.version)
      throw type_error(named(low) + " and " + named(high) + " run different versions of weir" +
                       (all[r] ? ": " + all[low]->version + " and " + all[high]->version : ""));
    if (all[r]->network != mine.network)
      throw type_error(named(low) + " and " + named(high) +
                       " run different networks: " + first_difference(all[low]->network, all[high]->network));
    if (all[r]->limits.reassigns != mine.limits.reassigns)
      throw std::invalid_argument("option on_failure is " + name_of(all[low]->limits.reassigns) + " at " + named(low) +
                                  " and " + name_of(all[high]->limits.reassigns) + " at " + named(high) +
                                  "; it must be the same on all ranks");
    limits.records = std::min(limits.records, all[r]->limits.records);
    limits.bytes = std::min(limits.bytes, all[r]->limits.bytes);
  }
  return limits;
}

}  // namespace weir::detail::remote
