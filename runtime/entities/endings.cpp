#include "runtime/entities/endings.hpp"

#include <algorithm>

#include "runtime/entities/star_entities.hpp"
#include "runtime/entities/sync_entity.hpp"
#include "runtime/streams/order.hpp"

namespace weir::detail {

bool endings::finish_next(scope& in, order_slot* at, std::size_t outer) {
  search s;
  find(in, s);
  std::sort(s.all.begin(), s.all.end(), [](const instance& a, const instance& b) { return a.made_as < b.made_as; });
  for (const instance& i : s.all) i.what->finish(*i.in, at ? at->listener().another(*at) : nullptr, outer);
  return !s.all.empty();
}

void endings::leave_behind(scope& ended) noexcept {
  for (std::size_t i = 0; i < ended.of().states.size(); ++i) {
    const auto& state = ended.state(i);
    if (!state) continue;
    if (const std::size_t held = state->held())
      if (auto* const sync = dynamic_cast<sync_entity*>(ended.of().states[i])) sync->leave_behind(held);
    if (finishing* const last = ended.of().finishes[i]) last->leave_behind(ended);
    state->each_scope([](scope& inner) { leave_behind(inner); });
  }
}

void endings::find(scope& in, search& s) {
  if (!in.of().may_finish) return;
  for (std::size_t i = 0; i < in.of().states.size(); ++i) {
    if (finishing* const last = in.of().finishes[i]) {
      if (!last->finishes() || !last->is_to_finish(in)) continue;
      s.here.push_back(last->place());
      if (s.all.empty() || s.here < s.found) {
        s.found = s.here;
        s.all.clear();
      }
      if (s.here == s.found) s.all.push_back({last, &in, last->made_as(in)});
      s.here.pop_back();
    } else if (const auto& state = in.state(i); state && !state->is_of_other_ranks()) {  // those say when
      const auto* const star = dynamic_cast<const star_entry_entity*>(in.of().states[i]);
      state->each_scope([&](scope& inner) {
        if (star) s.here.insert(s.here.end(), {static_cast<std::int64_t>(star->index), inner.value()});
        if (s.all.empty() || s.here < s.found) find(inner, s);  // else all in there comes later
        if (star) s.here.resize(s.here.size() - 2);
      });
    }
  }
}

}  // namespace weir::detail
