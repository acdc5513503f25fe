#include "runtime/network/node.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/network/notation_text.hpp"
#include "runtime/threads/stack_room.hpp"

namespace weir::detail {
namespace {

// The most answers that a node remembers: no network has more variants.
constexpr std::size_t most_known = most_variants;

constexpr std::size_t bytes_of_a_level = 512;              // to destroy it
constexpr std::size_t stack_kept = std::size_t{32} << 10;  // from one level to the next less than 4 kB is taken

}  // namespace

void check_stack(std::size_t more) {
  if (!stack_room::has(stack_kept + more))
    throw type_error(
        "the network is nested deeper than the stack of this thread allows; use a thread with a larger one");
}

std::size_t variants_of(const signature& s) {
  std::size_t variants = 0;
  for (const signature::rule& r : s.rules) variants += std::max<std::size_t>(1, r.out.size());
  return variants;
}

type_error too_many_variants(const std::string& name) {
  return type_error(name + ": more than " + std::to_string(most_variants) +
                    " variants; close a part of it with .as(name, takes(..), gives(..))");
}

void check_variants(const node& n) {
  if (variants_of(n.type) > most_variants) throw too_many_variants(n.name());
}

std::vector<network> node::chain() const { return {}; }
std::vector<network> node::children() const { return {}; }

void node::write_within(notation_text& to, binding around) const {
  if (to.is_full()) return;
  const bool is_looser = binds() < around;
  if (is_looser) to.add("(");
  write(to);
  if (is_looser) to.add(")");
}

std::string node::notation() const {
  notation_text text(std::numeric_limits<std::size_t>::max());
  write(text);
  return std::move(text).take();
}

std::string node::name() const {
  constexpr std::size_t longest = 60;  // characters: the name has to fit in a line of a message
  notation_text written(longest);
  write(written);
  std::string text = std::move(written).take();
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return binds() == binding::closed ? text : "(" + text + ")";
}

type_transfer node::transfer(const variant_type& have) const {
  if (nested == 0) return answer(have);  // as fast as a look-up
  check_stack();
  labels_known key(have.labels().begin(), have.labels().end());
  {
    const lock_guard lock(mutex_);
    if (const auto at = known_.find(key); at != known_.end()) return at->second;
  }
  type_transfer made = answer(have);
  const lock_guard lock(mutex_);
  if (known_.size() < most_known) known_.try_emplace(std::move(key), made);
  return made;
}

bool node::knows(const variant_type& have) const {
  const labels_known key(have.labels().begin(), have.labels().end());
  const lock_guard lock(mutex_);
  return known_.count(key) > 0;
}

bool node::is_open() const {
  return std::any_of(type.rules.begin(), type.rules.end(), [](const signature::rule& r) { return r.open; });
}

bool node::has_source() const {
  return std::any_of(type.rules.begin(), type.rules.end(), [](const signature::rule& r) { return r.at_start; });
}

bool node::is_closed() const {
  return !type.rules.empty() &&
         std::all_of(type.rules.begin(), type.rules.end(), [](const auto& r) { return r.at_start; });
}

void node::take_in(const network& part, bool same_depth) {
  const node& inner = *part.root();
  if (nested == 0) entities = 0;  // the first part: only the parts' entities count
  nested = std::max(nested, inner.nested + (same_depth ? 0 : 1));
  chains_inside = std::max(chains_inside, inner.chains_inside);
  entities += inner.entities;
  if (nested > most_nested)
    throw type_error("combinators nested " + std::to_string(nested) + " deep, expected at most " +
                     std::to_string(most_nested) + "; the outermost is around " + inner.name());
  check_stack(bytes_of_a_level * nested);
  if (entities > most_entities)
    throw type_error("a network of more than " + std::to_string(most_entities) +
                     " boxes, filters and others, each counted as often as it stands in it; a part of it is " +
                     inner.name());
}

}  // namespace weir::detail
