#include "runtime/run/resource_totals.hpp"

#include <cstdint>
#include <map>
#include <stdexcept>

#include "scheduler/machine/memory_limit.hpp"

namespace weir::detail {
namespace {

// A total, and the words for where it comes from.
struct known_total {
  std::int64_t total;
  std::string from;
};

void learn(std::map<std::string, known_total>& totals, const resource& one, const std::string& from) {
  if (!one.total()) return;
  const auto [at, is_new] = totals.try_emplace(one.name(), known_total{*one.total(), from});
  if (is_new || at->second.total == *one.total()) return;
  throw std::invalid_argument("resource " + one.name() + ": its total is " + std::to_string(at->second.total) + " by " +
                              at->second.from + " and " + std::to_string(*one.total()) + " by " + from +
                              ", expected one total");
}

}  // namespace

std::vector<std::string> open_resources(const std::vector<std::unique_ptr<component_state>>& components,
                                        const std::vector<resource>& given, resource_ledger& ledger) {
  std::map<std::string, known_total> by_option, by_box;
  for (const resource& one : given) {
    if (!one.total())
      throw std::invalid_argument("options.resources: " + one.name() + " has no total, expected resource{\"" +
                                  one.name() + "\", total}");
    learn(by_option, one, "option resources");
  }
  for (const auto& c : components)
    for (const resource_need& n : c->spec->needs)
      if (!by_option.contains(n.of.name())) learn(by_box, n.of, "box " + c->spec->name);
  std::map<std::string, known_total> unused = by_option;
  for (const auto& c : components) {
    if (c->spec->needs.empty()) continue;
    c->admission()->open(ledger, [&](const resource& of) {
      unused.erase(of.name());
      for (const auto* totals : {&by_option, &by_box})
        if (const auto at = totals->find(of.name()); at != totals->end()) return at->second.total;
      if (of.name() == "memory") return memory_limit();
      throw std::invalid_argument("resource " + of.name() + ", which box " + c->spec->name +
                                  " needs, has no total: expected one in option resources or where it is made");
    });
  }
  std::vector<std::string> names;
  for (const auto& [name, total] : unused) names.push_back(name);
  return names;
}

}  // namespace weir::detail
