#include "runtime/unfolding/unfold.hpp"

#include <algorithm>

#include <weir/record/errors.hpp>
#include <weir/threads/primitives.hpp>
#include "runtime/engine/entity_positions.hpp"
#include "runtime/entities/batched_device_entity.hpp"
#include "runtime/entities/batched_entity.hpp"
#include "runtime/entities/choice_entity.hpp"
#include "runtime/entities/device_entity.hpp"
#include "runtime/entities/feedback_entities.hpp"
#include "runtime/entities/filter_entity.hpp"
#include "runtime/entities/gather_entity.hpp"
#include "runtime/entities/lane_entity.hpp"
#include "runtime/entities/observe_entity.hpp"
#include "runtime/entities/split_entities.hpp"
#include "runtime/entities/star_entities.hpp"
#include "runtime/entities/sync_entity.hpp"
#include "runtime/network/nodes.hpp"
#include "runtime/placed/at_entities.hpp"
#include "runtime/placed/call_entity.hpp"
#include "runtime/unfolding/census.hpp"

namespace weir::detail {
namespace {

// Where the network's output leaves it.
class exit_entity final : public entity {
 public:
  exit_entity(run_environment& run, results& to) : entity(run, ""), to_(to) {}
  std::string name() const override { return "output"; }
  entity* step(record_body*&, context&) override { return nullptr; }  // never fused: records leave through inlet()
  channel& inlet() override { return to_; }
  std::vector<entity*> successors() const override { return {}; }

 private:
  results& to_;
};

// A network without the groups and placements around it, which do nothing while it runs.
network bare(network net) {
  for (;;) {
    const auto* wrapped = as<wrapped_node>(net);
    if (!wrapped || as<ordered_node>(net) || as<observed_node>(net)) return net;
    net = network(wrapped->inner);
  }
}

bool is_stateless(const network& net) {
  if (net.root()->has_state() || as<observed_node>(net)) return false;
  const std::vector<network> parts = net.root()->children();
  return std::all_of(parts.begin(), parts.end(), is_stateless);
}

// The second walk, from the end of the stream to its beginning, since an entity knows the one behind it.
class unfolder {
 public:
  unfolder(run_environment& run, census& all, unfolded& into, this_rank here)
      : run_(run), census_(all), into_(into), here_(here) {
    open_level();
  }

  // Lays out the parts that this rank runs for others.
  void lay_hosted(std::size_t number) {
    const remote::cut& c = here_.ranks->plan().cuts()[number];
    level& outer = *level_;
    level& inside = open_level();
    auto* const exit = made<hosted_exit_entity>(nullptr, c.parts.back().at, *here_.ranks);
    around_ = c.around;
    const std::vector<source_place> before = std::exchange(into_.sources, {});
    base_ = c.path;
    entity* first = exit;
    for (std::size_t i = c.parts.size(); i-- > 0;) first = lay(c.parts[i].inner, c.parts[i].at, first);
    close_level(outer);
    auto* const entry =
        made<hosted_entry_entity>(first, c.parts.front().at, *here_.ranks, number, inside, outer.states.size(), *exit);
    remembered(entry);
    entry->sources = std::exchange(into_.sources, before);
    std::reverse(entry->sources.begin(), entry->sources.end());
    into_.hosted.push_back(entry);
  }

  entity* lay(const network& net, const std::string& path, entity* next) {
    return visit(net, overloads{
                          [&](const box_node& n) { return lay_box(n, path, next); },
                          [&](const filter_node& n) -> entity* { return made<filter_entity>(next, path, n.spec); },
                          [&](const bypass_node&) { return next; },
                          [&](const serial_node& n) { return lay_chain(n, path, next); },
                          [&](const choice_node& n) { return lay_choice(n, path, next); },
                          [&](const star_node& n) { return lay_star(n, path, next); },
                          [&](const split_node& n) { return lay_split(n, path, next); },
                          [&](const feedback_node& n) { return lay_feedback(n, path, next); },
                          [&](const sync_node& n) {
                            return remembered(made<sync_entity>(next, path, n.patterns, level_->states.size()));
                          },
                          [&](const observed_node& n) {
                            into_.observers.push_back(n.by.get());
                            return lay(n.inner, path, made<observe_entity>(next, path, n.by));
                          },
                          [&](const ordered_node& n) { return lay_ordered(n, path, next); },
                          [&](const placed_node& n) { return lay_placed(n, path, next); },
                          [&](const wrapped_node& n) { return lay(n.inner, path, next); },
                      });
  }

 private:
  template <class Stage, class... A>
  Stage* made(entity* next, const std::string& path, A&&... a) {
    auto owned = std::make_unique<Stage>(run_, path, std::forward<A>(a)...);
    Stage* const s = owned.get();
    s->next = next;
    into_.entities.push_back(std::move(owned));
    return s;
  }

  entity* remembered(entity* s) {
    level_->add(s, dynamic_cast<finishing*>(s));
    return s;
  }

  void close_level(level& outer) {
    if (level_->may_finish) outer.may_finish = true;
    level_ = &outer;
  }

  level& open_level() {
    into_.levels.push_back(std::make_unique<level>());
    return *(level_ = into_.levels.back().get());
  }

  entity* lay_box(const box_node& box, const std::string& path, entity* next) {
    component_state& component = census_.of(*box.spec);
    if (box.spec->is_fold()) return lay_fold(*box.spec, component, path, next);
    if (component.batches) return lay_batched(component, path, next);
    box_entity* const s = box.spec->on      ? lay_box_on_device(box, path, component, next)
                          : box.spec->keeps ? made<lane_entity>(next, path, component)
                                            : made<box_entity>(next, path, component);
    into_.boxes.push_back(s);
    if (box.spec->initialiser) into_.sources.push_back({s, within_});
    return s;
  }

  entity* lay_batched(component_state& component, const std::string& path, entity* next) {
    batched_entity* const s = component.spec->on ? made<batched_device_entity>(next, path, component)
                                                 : made<batched_entity>(next, path, component);
    into_.boxes.push_back(s);
    if (!component.spec->batch_is_fixed) return s;
    return remembered(made<gather_entity>(s, path, *s, level_->states.size(), around_.branches_end, within_));
  }

  box_entity* lay_box_on_device(const box_node& box, const std::string& path, component_state& component,
                                entity* next) {
    if (box.spec->keeps) return made<device_entity<lane_entity>>(next, path, component);
    return made<device_entity<box_entity>>(next, path, component);
  }

  entity* lay_fold(const box_spec& spec, component_state& component, const std::string& path, entity* next) {
    auto* const end = spec.keeps->finish ? made<fold_end_entity>(next, path, component) : nullptr;
    auto* const s = made<fold_entity>(next, path, component, end, level_->states.size(), around_, within_);
    into_.boxes.push_back(s);
    into_.folds.push_back(s);
    return remembered(s);
  }

  entity* lay_chain(const serial_node& chain, const std::string& path, entity* next) {
    const std::vector<network> parts = chain.flat();
    const auto step = [&](std::size_t i) { return path + ":S" + std::to_string(i + 1); };
    for (std::size_t i = parts.size(); i-- > 0;)
      if (i == 0 || !here_.ranks || !comes_from_before(parts[i - 1], step(i - 1), parts[i], step(i)))
        next = lay(parts[i], step(i), next);
    return next;
  }

  // Whether records come to a part from the rank of the part in front of it, and not from here.
  bool comes_from_before(const network& before, const std::string& before_at, const network& part,
                         const std::string& at) const {
    const auto cut_of = [&](const network& net, const std::string& where) {
      const auto* const placed = as<placed_node>(net);
      return placed && !placed->by && here_.ranks ? here_.ranks->plan().find(*placed, base_ + where) : -1;
    };
    const int from = cut_of(before, before_at), to = cut_of(part, at);
    if (from < 0 || to < 0) return false;
    const remote::cut_plan& plan = here_.ranks->plan();
    if (plan.cuts()[static_cast<std::size_t>(from)].is_far(here_.rank())) return false;
    return from == to || plan.next_for(static_cast<std::size_t>(from), here_.rank()) == to;
  }

  entity* lay_choice(const choice_node& choice, const std::string& path, entity* next) {
    std::vector<choice_entity::branch> branches;
    const std::vector<network> parts = choice.flat();
    for (std::size_t i = parts.size(); i-- > 0;) {
      const network& b = parts[i];
      entity* const entry = lay(b, path + ":P" + std::to_string(i + 1), next);
      const auto& rules = b.signature().rules;
      const bool takes_any = std::any_of(rules.begin(), rules.end(), [](const auto& r) { return !r.at_start; });
      if (takes_any) branches.push_back({rules, entry, b.root()->name(), entry == next});
    }
    std::reverse(branches.begin(), branches.end());
    return made<choice_entity>(next, path, std::move(branches));
  }

  entity* lay_star(const star_node& star, const std::string& path, entity* next) {
    level* const outer = level_;
    level& inside = open_level();
    // The way back is listed before the body, since the body leads to it; the entry is listed behind the body.
    auto entry = std::make_unique<star_entry_entity>(run_, path, star.exits, inside, outer->states.size());
    outer->add(entry.get(), nullptr);
    auto* const back = made<star_return_entity>(next, path + ":R*", *entry);
    entry->next = next;
    entry->back = back;
    back->entered_with = entry.get();
    entry->body = lay_within(star.body, path + ":R*", back, inside_loop());
    close_level(*outer);
    make_chain(*entry, star.body);
    entity* const first = entry.get();
    into_.entities.push_back(std::move(entry));
    return first;
  }

  // Makes the star a chain of cells if its body is a synchrocell, or one and a choice without state behind it.
  void make_chain(star_entry_entity& star, const network& body) {
    const network inner = bare(body);
    std::vector<network> parts{inner};
    if (const auto* serial = as<serial_node>(inner)) parts = serial->flat();
    for (network& p : parts) p = bare(p);
    if (parts.size() > 2 || !as<sync_node>(parts[0])) return;
    if (parts.size() == 2 && !(as<choice_node>(parts[1]) && is_stateless(parts[1]))) return;
    auto* const cell = dynamic_cast<sync_entity*>(star.body);
    auto* const rest = cell ? dynamic_cast<choice_entity*>(cell->next) : nullptr;
    if (!cell || (parts.size() == 2 && !rest)) return;  // they are on another rank
    star.chain_cell = cell;
    cell->chain = &star;
    if (parts.size() == 2) star.chain_rest = rest;
  }

  entity* lay_split(const split_node& split, const std::string& path, entity* next) {
    level* const outer = level_;
    level& inside = open_level();
    entity* const exit = made<split_exit_entity>(next, path, split.last.has_value());
    const placed_node* const placed = std::exchange(places_bodies_, nullptr);
    entity* const body = placed ? lay_cut(*placed, split.body, path + ":I*", exit, inside_of(split))
                                : lay_within(split.body, path + ":I*", exit, inside_of(split));
    close_level(*outer);
    return remembered(made<split_entry_entity>(body, path, split.by, split.last ? &*split.last : nullptr, inside,
                                               outer->states.size(), within_.size()));
  }

  // Only what `at` puts on another rank than this is laid out otherwise.
  entity* lay_placed(const placed_node& placed, const std::string& path, entity* next) {
    if (!here_.ranks) return lay(placed.inner, path, next);
    const remote::cut_plan& plan = here_.ranks->plan();
    if (plan.find(placed, base_ + path) >= 0) return lay_cut(placed, placed.inner, path, next, around_);
    if (placed.by && plan.find(placed, base_ + path + ":I*") >= 0) places_bodies_ = &placed;
    return lay(placed.inner, path, next);
  }

  entity* lay_cut(const placed_node& placed, const network& inner, const std::string& path, entity* next,
                  surroundings around) {
    const remote::cut& c = here_.cut_of(placed, base_ + path);
    const bool may_stay = c.is_far(here_.rank());
    const bool spreads = may_stay && c.by && here_.ranks->limits().spreads;
    auto* const exit = spreads ? made<at_exit_entity>(next, path) : nullptr;
    if (exit) next = exit;
    entity* here = nullptr;
    if (may_stay) {
      const surroundings before = std::exchange(around_, around);
      here = lay(inner, path, next);
      around_ = before;
      if (c.fars.size() == 1) return here;
    }
    const auto number = static_cast<std::size_t>(here_.ranks->plan().find(placed, base_ + path));
    auto* const call = made<call_entity>(next, path, *here_.ranks, number, level_->states.size(), within_);
    into_.calls.push_back(call);
    if (c.has_state || call->spreads()) remembered(call);
    if (c.has_source) into_.sources.push_back({call, within_});
    if (!here) return call;
    call->set_here(*here);
    if (exit) exit->counts = call;
    return made<at_entity>(call, path, c.name, here_.rank(), *here, *call, exit);
  }

  surroundings inside_loop() const {
    surroundings all = around_;
    all.in_loop = true;
    return all;
  }

  surroundings inside_of(const split_node& split) const {
    surroundings all = around_;
    all.in_split = true;
    all.branches_end = all.branches_end || split.last;
    return all;
  }

  entity* lay_within(const network& body, const std::string& path, entity* next, const surroundings& around) {
    const surroundings before = std::exchange(around_, around);
    entity* const first = lay(body, path, next);
    around_ = before;
    return first;
  }

  entity* lay_feedback(const feedback_node& feedback, const std::string& path, entity* next) {
    auto entry = std::make_unique<feedback_entry_entity>(run_, path);
    auto again = std::make_unique<feedback_again_entity>(run_, path, *entry);
    entry->again = again.get();
    again->entered_with = entry.get();
    entity* const exit = made<feedback_exit_entity>(next, path, feedback.back, *again);
    entry->next = again->next = lay_within(feedback.body, path, exit, inside_loop());
    entity* const first = entry.get();
    into_.entities.push_back(std::move(again));
    into_.entities.push_back(std::move(entry));
    return first;
  }

  entity* lay_ordered(const ordered_node& order, const std::string& path, entity* next) {
    auto* const exit = made<order_exit_entity>(next, path);
    within_.push_back(exit);
    entity* const body = lay(order.inner, path, exit);
    within_.pop_back();
    auto* const entry = made<order_entry_entity>(body, path, *exit);
    exit->entry = entry;
    into_.order_exits.push_back(exit);
    return entry;
  }

  run_environment& run_;
  census& census_;
  unfolded& into_;
  level* level_ = nullptr;
  surroundings around_;
  std::vector<order_exit_entity*> within_;
  const this_rank here_;
  std::string base_;                            // where the part is that is laid out for another rank
  const placed_node* places_bodies_ = nullptr;  // the tag that places the bodies of the split that comes next
};

}  // namespace

unfolded unfold(run_environment& run, const network& net, results& out, std::size_t capacity, remote::session* ranks) {
  unfolded result;
  result.exit = std::make_unique<exit_entity>(run, out);
  const this_rank here{ranks};
  census all(net.root()->entities, here);
  all.walk(net, "", {}, here.rank() == 0);
  unfolder places(run, all, result, here);
  result.entry = here.rank() == 0 ? places.lay(net, "", result.exit.get()) : result.exit.get();
  if (ranks)
    for (std::size_t i = 0; i < ranks->plan().cuts().size(); ++i)
      if (here.hosts(ranks->plan().cuts()[i])) places.lay_hosted(i);
  if (ranks) result.elsewhere = all.elsewhere();
  result.components = std::move(all.components);
  static threads::atomic<unsigned> runs{0};  // so that the threads of several runs are told apart
  const unsigned number = runs.fetch_add(1, std::memory_order_relaxed) % 1000;
  for (const auto& c : result.components) c->run = number;
  std::reverse(result.entities.begin(), result.entities.end());
  std::reverse(result.sources.begin(), result.sources.end());
  std::reverse(result.boxes.begin(), result.boxes.end());
  for (std::size_t i = 0; i < result.entities.size(); ++i) result.entities[i]->index = i;
  result.box_at.assign(result.entities.size(), nullptr);
  for (box_entity* const box : result.boxes) result.box_at[box->index] = box;
  for (const fold_entity* const fold : result.folds)
    if (fold->end) result.box_at[fold->end->index] = fold->end;
  for (const auto& s : result.entities)
    for (entity* to : s->successors()) to->previous.push_back(s.get());
  set_positions(result.entities);
  // An entity that is reached in several ways may be fused to several regions.
  std::vector<bool> several(result.entities.size(), false);
  for (const auto& s : result.entities) {
    const auto before = [&](const entity* p) { return p->index < s->index && several[p->index]; };
    several[s->index] = s->previous.size() > 1 || std::any_of(s->previous.begin(), s->previous.end(), before);
    if (box_entity* const box = result.box_at[s->index]; box && several[s->index]) box->may_stand_in_several();
  }
  result.outermost.reset(scope::make_outermost(*result.levels.front()));
  result.capacity = capacity;
  for (const auto& s : result.entities)
    if (s->has_region_from_start() || s->previous.empty()) s->make_region(capacity);
  return result;
}

}  // namespace weir::detail
