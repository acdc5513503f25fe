#include "runtime/network/row_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>

#include <weir/threads/primitives.hpp>
#include "runtime/network/notation_text.hpp"
#include "runtime/network/typing.hpp"

namespace weir::detail {
namespace {

// The most chains as right sides of `>>`, each within the one before, that serial_node::answer() recurses into. It
// takes deeper ones apart. `net = net >> net` in a loop, whose halves are shared, never gets deeper, since it would
// exceed most_entities.
constexpr std::uint32_t most_chains_inside = 24;
static_assert(std::uint64_t{1} << most_chains_inside >= most_entities);

void write_row(const row_node& row, notation_text& to, std::string_view separator) {
  bool is_first = true;
  row.each([&](const network& n) {
    if (!is_first) to.add(separator);
    is_first = false;
    n.root()->write_within(to, node::binding::serial);
    return !to.is_full();
  });
}

}  // namespace

// ---- chain and choice ----

void row_node::take_in_row(const network& part) {
  const row_node* const row = row_in(part);
  take_in(part, row);
  elements += row ? row->elements : 1;
}

const row_node* row_node::row_in(const network& part) const {
  if (binds() == binding::serial) return as<serial_node>(part);
  return as<choice_node>(part);
}

// Destroys the parts one by one, since by default the destructors of nested rows would recurse.
row_node::~row_node() {
  std::vector<network> open = std::move(parts);
  while (!open.empty()) {
    const network last = std::move(open.back());
    open.pop_back();
    if (last.is_moved_from() || last.root().use_count() > 1) continue;
    // Pairs with the release of a holder on another thread, which read the parts before it let go.
    threads::atomic_thread_fence(std::memory_order_acquire);
    const row_node* row = as<serial_node>(last);
    if (!row) row = as<choice_node>(last);
    if (row) {
      auto& mine = const_cast<row_node&>(*row).parts;  // `last` is the only holder
      try {
        open.insert(open.end(), std::make_move_iterator(mine.begin()), std::make_move_iterator(mine.end()));
        mine.clear();
      } catch (const std::bad_alloc&) {  // then the row destroys them itself
      }
    }
  }
}

std::vector<network> row_node::flat() const {
  std::vector<network> all;
  all.reserve(elements);
  each([&](const network& n) {
    all.push_back(n);
    return true;
  });
  return all;
}

const node& row_node::end(bool last) const {
  const row_node* at = this;
  for (;;) {
    const network& next = last ? at->parts.back() : at->parts.front();
    const row_node* const deeper = row_in(next);
    if (!deeper) return *next.root();
    at = deeper;
  }
}

// ---- chain ----

serial_node::serial_node(const network& left, const network& right) : row_node({left, right}) {
  take_in_row(left);
  take_in_row(right);
  if (row_in(right)) chains_inside = std::max(chains_inside, right.root()->chains_inside + 1);
  type = compose(left, *right.root());
}

void serial_node::write(notation_text& to) const { write_row(*this, to, " .. "); }

std::string serial_node::name() const {
  constexpr std::uint64_t shown = 6;  // elements: the name has to fit in a line of a message
  if (elements <= shown) return node::name();
  return "(" + end(false).name() + " .. " + std::to_string(elements - 2) + " more .. " + end(true).name() + ")";
}

// Asks part by part. A part that is a chain answers as a whole if it remembers all the answers. A right operand with
// few `chains_inside` also answers as a whole: the chains that share it then ask it once each. Other chains are taken
// apart, since long ones must not recurse.
type_transfer serial_node::answer(const variant_type& have) const {
  std::vector<signature::outcome> now{unchanged()};
  std::optional<std::vector<type_mismatch>> first_mismatches;
  struct part {
    const network* net;
    bool is_left;
  };
  std::vector<part> open{{&parts[1], false}, {&parts[0], true}};
  while (!open.empty()) {
    const part next = open.back();
    open.pop_back();
    const node& one = *next.net->root();
    const auto known = [&](const signature::outcome& o) { return one.knows(after(have, o)); };
    if (const row_node* const chain = row_in(*next.net); chain &&
                                                         (next.is_left || chain->chains_inside > most_chains_inside) &&
                                                         !std::all_of(now.begin(), now.end(), known)) {
      open.insert(open.end(), {{&chain->parts[1], false}, {&chain->parts[0], true}});
      continue;
    }
    std::vector<signature::outcome> on;
    for (const signature::outcome& o : now) {
      variant_type arriving = after(have, o);
      type_transfer r = transfer_behind(one, o, arriving);
      if (!r.matches && o.maybe) continue;
      if (!r.matches) return {false, {}, as_met_inside(std::move(r.mismatches), o)};
      if (!first_mismatches) first_mismatches = std::move(r.mismatches);
      for (const signature::outcome& more : r.out) add(on, then(o, more));
    }
    if (!first_mismatches) first_mismatches.emplace();
    now = std::move(on);
  }
  return {true, std::move(now), std::move(*first_mismatches)};
}

// ---- choice ----

choice_node::choice_node(std::vector<network> branches) : row_node(std::move(branches)) {
  for (const network& part : parts) {
    take_in_row(part);
    if (row_in(part) && &part == &parts.front()) {  // a growing choice: its own rules differ from each other
      type = part.signature();
      continue;
    }
    // If two branches have the same input variant, the left one gets the record.
    for (const signature::rule& rule : part.signature().rules)
      if (rule.at_start || std::none_of(type.rules.begin(), type.rules.end(), [&](const signature::rule& mine) {
            return !mine.at_start && mine.in == rule.in && (mine.open || !rule.open);
          }))
        type.rules.push_back(rule);
    check_variants(*this);
  }
}

void choice_node::write_joined(notation_text& to, std::string_view separator) const { write_row(*this, to, separator); }

type_transfer choice_node::answer(const variant_type& have) const {
  const std::vector<network> branches = flat();
  const network* best_branch = nullptr;
  const signature::rule* best = nullptr;
  for (const network& b : branches) {
    const signature::rule* r = best_rule(b.signature().rules, have);
    if (r && (!best || r->in.size() > best->in.size())) best = r, best_branch = &b;
  }
  type_transfer answer;
  if (best_branch) answer = best_branch->root()->transfer(have);
  for (const network& b : branches)
    for (const signature::rule& r : b.signature().rules)
      if (!r.at_start && (!best || r.in.size() > best->in.size()))
        answer.mismatches.push_back(mismatch_of(*b.root(), r.in, r.open, have));
  return answer;
}

}  // namespace weir::detail
