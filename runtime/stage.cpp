#include "runtime/stage.hpp"

#include <new>

#include "runtime/box_stage.hpp"
#include "runtime/run_state.hpp"
#include "runtime/spread_samples.hpp"

namespace weir::detail {

// ---- context ----

context::context(run_state& r, worker& w, region& f, std::uint64_t t, std::uint64_t e, std::uint64_t first)
    : run(r),
      by(w),
      from(f),
      ticket(t),
      epoch(e),
      out(w.take_buffer()),
      number_(first),
      timed_next_(r.traces() ? 0 : next_chosen(first, f.timed_one_in())) {}

context::~context() { by.keep_buffer(std::move(out)); }

void context::drive(stage* at, record_body* r) noexcept {
  if (++depth_ == 1) rounds_ = 0;
  if (by.hops_epoch != epoch) {
    by.hops.clear();
    by.hops_epoch = epoch;
  }
  const bool hops = !sampling;
  std::size_t k = 0;
  while (at) {
    if (hops && k < by.hops.size() && by.hops[k].at == at && by.hops[k].of == r->shape) {
      at = run_hop(by.hops[k++], r);
      continue;
    }
    const shape* const of = r->shape;
    stage* const here = at;
    if (!(at = here->step_or_fail(r, *this))) break;
    const bool goes_on = at->is_fused_for(epoch);
    if (hops && goes_on && k == by.hops.size() && here->remember(of, by.hops)) ++k;
    if (goes_on || goes_round(at)) continue;
    put_out(*at, r);
    break;
  }
  --depth_;
}

inline stage* context::run_hop(const hop& h, record_body* r) noexcept {
  slot_word words[max_given];
  invocation i{r, h.take, words, 0, &by.sitting->granted, nullptr};
  const int slot = h.slot;  // the box may send to its own run and so come by here
  stage* const next = h.next;
  box_stage* const box = h.box;
  by.doing.enter(*box);
  try {
    h.call(h.callable, i);
  } catch (...) {
    box->threw(r, i);
    return nullptr;
  }
  r->slots()[slot] = words[0];
  return next;
}

void context::drive_all(stage* at, std::span<record_body*> batch) noexcept {
  ++depth_;
  while (!batch.empty() && (at = at->step_all(batch, *this))) {
    if (at->is_fused_for(epoch)) continue;
    for (record_body* const r : batch) put_out(*at, r);
    break;
  }
  --depth_;
}

void context::send_on(stage* to, record_body* r) noexcept {
  if (to->is_fused_for(epoch)) return drive(to, r);
  const unbounded_inlet* const round = from.unbounded();
  sent_round_ = sent_round_ || (round && &round->entry() == to);
  put_out(*to, r);
}

inline void context::put_out(stage& to, record_body* r) noexcept {
  try {
    out.push_back({&to.inlet(), r});
  } catch (const std::bad_alloc&) {
    to.lacks_memory(r);
  }
}

// A record on its way round a star or feedback whose region this is goes on at once when none is before it on that way,
// in the inlet, among what this batch put out, or among what it has yet to drive: that was on the way already.
// Only so often: others wait, too. But once one had to queue up, those behind it do, and each round of them is a
// batch's: where a whole way is short, a record does all of it. Regions with a way round run one activation at a time.
bool context::goes_round(const stage* at) {
  constexpr int few = 64;
  const int most = from.is_brief() ? 1024 : few;
  const unbounded_inlet* const round = from.unbounded();
  if (!round || &round->entry() != at || depth_ != 1) {
    sent_round_ = sent_round_ || (round && &round->entry() == at);
    return false;
  }
  const auto may_stay = [&] { return !run.is_stopping() && !(by.home && by.home->is_to_leave(by)); };
  if (!sent_round_ && !others_round && round->is_idle() && rounds_ < most && (rounds_ < few || may_stay())) {
    ++rounds_;
    return true;
  }
  sent_round_ = true;
  return false;
}

void context::pass_on(const stage& box, const record_body& input) {
  if (run.is_stopping()) throw stopped{};
  if (out.empty()) return;
  if (!from.has_turn(ticket)) {
    if (out.size() < region::largest_batch) return;
    run.wait_off_seat(by, box, input, "records before its own were not through", [&] { from.wait_for_turn(ticket); });
    if (run.is_stopping()) throw stopped{};
  }
  while (!from.flush(out)) {
    // Without threads whoever makes room may be the one who waits for this box to return: then it may keep as many.
    if (!run.has_threads() && out.size() < region::largest_batch) return;
    channel& full = *out.front().to;
    run.wait_for_room(by, full, box, input);
    if (run.is_stopping()) throw stopped{};
  }
}

void context::between_records(const stage& box, const record_body& input) {
  if (from.is_held()) from.rest(*this, box, input);
  epoch = run.epoch();
  sampling = times_next();
}

bool context::times_chosen() {
  if (run.traces()) return true;
  const std::uint32_t in_a_row = from.timed_one_in();
  timed_next_ = next_chosen(number_, in_a_row);
  return in_a_row < region::seldom || run.may_time_short(by);
}

// ---- stage ----

stage* stage::step_all(std::span<record_body*>& batch, context& c) noexcept {
  for (record_body* const r : batch) c.drive(this, r);
  return nullptr;
}

std::uint64_t stage::sent_to(const stage&, std::uint64_t arrived) const {
  const std::uint64_t ended = failed.load(std::memory_order_relaxed) + (own_region ? own_region->inlet().size() : 0);
  return arrived > ended ? arrived - ended : 0;
}

void stage::fail(failure_kind kind, record_body* r, std::string_view cause) noexcept {
  failed.fetch_add(1, std::memory_order_relaxed);
  run_.record_failed(kind, *this, r, cause);
}

void stage::lacks_memory(record_body* r) noexcept {
  fail(failure_kind::out_of_memory, r, "there was no memory for what is to be done with it here");
}

}  // namespace weir::detail
