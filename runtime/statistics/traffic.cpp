#include "runtime/statistics/traffic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/entities/box_entity.hpp"

namespace weir::detail {

namespace {

// Records after which a count weighs 1/e. Parts of one half are then known to 3 %, as well as times are. A change of
// routing is followed within about ten times as many records as a move has to pay for itself.
constexpr double memory_of_records = 1000;
constexpr double memory_of_rates = 1;  // seconds: longer than bursts that the streams even out

// Where records enter that are not sent. box: the entity; null: it is none.
bool is_source(const entity& s, const box_entity* box) {
  return s.is_input() || (box && box->component.spec->initialiser);
}

// -1: the network's input.
int component_of(const box_entity* source) { return source ? static_cast<int>(source->component.index) : -1; }

double ratio(double sent, double of, double until_known) { return of > 0 ? sent / of : until_known; }

// For the records at some place: the components that they came through last, ascending, and how many came from each.
using came_through = boost::container::small_vector<std::pair<int, double>, 1>;

void add(came_through& to, int component, double records) {
  auto at = std::ranges::lower_bound(to, component, {}, &came_through::value_type::first);
  if (at == to.end() || at->first != component) at = to.insert(at, {component, 0});
  at->second += records;
}

}  // namespace

ends_count ends_of(const unfolded& net) {
  ends_count all;
  for (const box_entity* box : net.boxes) all.emitted += box->emitted(), all.ended += box->ended();
  return all;
}

std::string writers_of(const entity& to) {
  std::vector<std::string> names;
  for (const entity* p : to.previous)
    if (std::string name = p->name(); std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return fmt::format("{}", fmt::join(names, " | "));
}

double held_back(const unfolded& net, const run_environment& run) {
  if (!run.monitor.watches()) return std::numeric_limits<double>::quiet_NaN();
  const double now = run.monitor.time();
  double longest = run.in_flight.blocked.seconds(now);
  std::vector<entity*> open{net.entry};
  for (const source_place& source : net.sources) open.push_back(source.what->next);
  while (!open.empty()) {  // ends: fused entities lead to one that is not
    entity* const at = open.back();
    open.pop_back();
    if (at->is_fused())
      for (entity* to : at->successors()) open.push_back(to);
    else if (at == net.exit.get() || at->own_region)
      longest = std::max(longest, at->inlet().blocked.seconds(now));
  }
  return longest;
}

void traffic::aged::take(const flow_count& now) {
  const auto more_sent = static_cast<double>(now.sent - sent), more = static_cast<double>(now.of - of);
  const double kept = std::exp(-more / memory_of_records);
  recent_sent = recent_sent * kept + more_sent;
  recent_of = recent_of * kept + more;
  sent = now.sent;
  of = now.of;
}

traffic::traffic(const unfolded& net) : net_(net), entities_(net.entities), entry_(net.first()) {
  edges_.reserve(entities_.size());
  for (const auto& s : entities_)
    for (const entity* p : s->previous)
      edges_.push_back({p->index,
                        s->index,
                        p->loop_left_to(*s),
                        p->index >= s->index,
                        is_source(*p, net.box_at[p->index]),
                        {},
                        {},
                        1,
                        1});
}

std::uint64_t traffic::entered(std::uint64_t sent) const {
  for (const edge& e : edges_)
    if (e.from_source) sent += entities_[e.from]->passed_to(*entities_[e.to]).sent;
  return sent;
}

std::vector<std::uint64_t> traffic::invocations(std::uint64_t sent) const {
  std::vector<std::uint64_t> by_component(net_.components.size(), 0), arrived(entities_.size(), 0);
  if (entry_) arrived[entry_->index] = sent;
  for (const source_place& source : net_.sources) arrived[source.what->index] = 1;
  for (const auto& s : entities_)
    for (const entity* p : s->previous) arrived[s->index] += p->sent_to(*s, arrived[p->index]);
  for (const box_entity* box : net_.boxes) by_component[box->component.index] += box->invocations(arrived[box->index]);
  return by_component;
}

void traffic::update(double now, std::uint64_t sent) {
  const std::uint64_t all_entered = entered(sent);
  for (edge& e : edges_) {
    const entity &from = *entities_[e.from], &to = *entities_[e.to];
    flow_count all = from.passed_to(to), once = from.passed_once_to(to);
    if (e.from_source) all.of = once.of = all_entered;  // a part of all that enters: its one invocation is no measure
    e.all_until_known = all.until_known;
    e.once_until_known = once.until_known;
    e.all.take(all);
    e.once.take(once);
  }
  const std::uint64_t before = sent_.of;
  sent_.take({sent, all_entered});
  if (looked_ && now > looked_at_) {
    const double passed = now - looked_at_, rate = static_cast<double>(all_entered - before) / passed;
    const double kept = arrival_rate_ > 0 ? std::exp(-passed / memory_of_rates) : 0;
    arrival_rate_ = arrival_rate_ * kept + rate * (1 - kept);
  }
  looked_at_ = now;
  looked_ = true;
  find_visits();
  find_links();
}

void traffic::find_visits() {
  visits_.assign(entities_.size(), 0);
  const double enter = ratio(sent_.recent_sent, sent_.recent_of, 1);
  if (entry_) visits_[entry_->index] = enter;
  for (const edge& e : edges_) {
    if (e.from_source)
      visits_[e.to] += ratio(e.all.recent_sent, sent_.recent_of, entry_ ? 0 : 1);
    else if (!e.is_back)
      visits_[e.to] += visits_[e.from] * ratio(e.all.recent_sent, e.all.recent_of, e.all_until_known);
  }
}

void traffic::find_links() {
  std::vector<came_through> came(entities_.size()), goes(entities_.size());
  std::vector<double> once(entities_.size(), 0);
  std::vector<link> found;  // not sorted; some ends several times
  const auto leave = [&](const entity& s) {
    if (const box_entity* const box = net_.box_at[s.index]) {
      const int component = component_of(box);
      for (const auto& [from, records] : came[s.index]) found.push_back({from, component, records});
      goes[s.index] = {{component, once[s.index]}};
    } else {
      goes[s.index] = std::move(came[s.index]);
    }
  };
  if (entry_) {
    once[entry_->index] = visits_[entry_->index];
    came[entry_->index] = {{-1, once[entry_->index]}};
  }
  auto e = edges_.begin();
  for (const auto& s : entities_) {
    for (; e != edges_.end() && e->to == s->index; ++e) {
      if (e->is_back) continue;
      const double gain = ratio(e->once.recent_sent, e->once.recent_of, e->once_until_known);
      double records = (e->loop ? once[e->loop->index] : once[e->from]) * gain;
      if (e->from_source) records = ratio(e->all.recent_sent, sent_.recent_of, entry_ ? 0 : 1);
      if (!(records > 0)) continue;
      once[s->index] += records;
      double sum = 0;
      for (const auto& [component, part] : goes[e->from]) sum += part;
      if (e->from_source)
        add(came[s->index], component_of(net_.box_at[e->from]), records);
      else if (sum > 0)
        for (const auto& [component, part] : goes[e->from]) add(came[s->index], component, part * (records / sum));
    }
    leave(*s);
  }
  links_.clear();
  const auto ends = [](const link& l) { return std::pair(l.from, l.to); };
  std::ranges::stable_sort(found, {}, ends);
  for (const link& l : found)
    if (!links_.empty() && ends(links_.back()) == ends(l))
      links_.back().records += l.records;
    else
      links_.push_back(l);
}

}  // namespace weir::detail
