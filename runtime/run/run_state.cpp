#include "runtime/run/run_state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/entities/endings.hpp"
#include "runtime/entities/order_entities.hpp"
#include "runtime/machine/float_state.hpp"
#include "runtime/network/node.hpp"
#include "runtime/placed/call_entity.hpp"
#include "runtime/ranks/rank_report.hpp"
#include "runtime/record/cut_text.hpp"
#include "runtime/run/report_parts.hpp"
#include "runtime/run/resource_totals.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

run_state::run_state(const network& net, options o, std::unique_ptr<ranks> others)
    : written_(net),
      options_((o.validate(), std::move(o))),
      plan_(plan_of(options_, others ? others->rank() : 0)),
      env_(*this, on(), plan_.settings, options_.max_failures_kept, options_.max_failed_records_kept,
           {failure_kind::out_of_memory, "", written_.get().root()->name(), "", "there was no memory to go on"}),
      others_(std::move(others)),
      messages_(env_.life, *this, options_.on_observation, options_.watchdog.on_hang, env_.platform),
      notes_(messages_),
      results_(env_.monitor, env_.in_flight, plan_.results.records,
               !plan_.results.is_automatic && env_.platform.has_threads()),
      network_(unfold(env_, written_.get(), results_, plan_.streams.records, others_ ? &others_->session() : nullptr)),
      reader_(env_, results_, callers_, !plan_.results.is_automatic, !network_.sources.empty()),
      placing_(env_, network_, options_, plan_.streams.is_automatic),
      input_(env_, written_.get(), {plan_.results.is_automatic, options_.inline_send}, results_, callers_,
             *network_.entry, placing_.shared()),
      learning_(env_, network_, options_, messages_),
      control_(env_, network_, options_.policy, on(), learning_, placing_, input_),
      watches_(env_, network_, options_, is_first_rank(), input_, results_, placing_, control_, learning_, messages_),
      link_(std::make_shared<run_link>(
          run_link::questions{[this] { return report(); }, [this] { return env_.life.is_over(); }})),
      in_process_(*this, env_.cores.ledger()) {
  if (others_ && !env_.platform.has_threads())
    throw std::invalid_argument("option machine: several ranks need threads, and this machine has none");
  for (const auto& c : network_.components)
    if (c->spec->code->check_at_start) c->spec->code->check_at_start(*c->spec);
  env_.outermost = network_.outermost.get();
  for (hosted_entry_entity* const part : network_.hosted) part->make_scopes();
  env_.observers.assign(network_.observers.begin(), network_.observers.end());
  if (env_.platform.has_threads()) env_.workers.caller().in_group = &placing_.shared();
  const std::vector<std::string> limits = on().notes();
  if (!limits.empty() && on().is_first_to_say())
    for (const std::string& one : limits) note(one);
  else
    notes_.add_unlogged(limits);
  if (!plan_.note.empty()) note(plan_.note);
  for (const std::string& one : learning_.notes()) note(one);
  for (const std::string& name : open_resources(network_.components, options_.resources, on().resources()))
    if (network_.elsewhere.empty()) note("option resources: no box needs " + visible_text(name, false));
  if (network_.elsewhere.empty())
    for (const std::string& one : placing_.devices().notes()) note(one);
  // Before the run joins: from then on the controller's thread starts the messenger if a message waits, and only one
  // thread may start it.
  if (options_.on_observation || options_.watchdog.on_hang) messages_.start();
  on().join(*this);
  try {
    step();
    if (others_) {
      others_->ready(*this);
      if (is_first_rank())
        for (const std::string& one : others_->session().plan().notes()) note(one);
    }
    start_sources();
    env_.life.begin();
    if (written_.get().root()->is_closed() && is_first_rank()) close();
    // A step may have been wanted, and messages put, before the run had joined and begun.
    if (control_.is_step_requested() || messages_.has_untold()) on().wake_controller(*this);
    on().work_begins();  // a run may also wait before it has worked
    on_stop_.emplace(options_.stop, [this] { stop(); });
    messages_.tell_here();
  } catch (...) {
    wind_up();
    throw;
  }
}

run_state::~run_state() { wind_up(); }

// Initialisers run once, on a record without labels. In ordered networks its position is before all others.
void run_state::start_sources() {
  for (const source_place& source : network_.sources) {
    owned_body nothing(make_body(shape::empty()));
    if (env_.in_flight.is_on()) nothing->order = env_.in_flight.starting_place(!source.within.empty());
    source.start(std::move(nothing));
  }
}

void run_state::close() {
  env_.life.close();
  env_.in_flight.wake();
}

bool run_state::is_first_rank() const { return !others_ || others_->rank() == 0; }

void run_state::drained() noexcept {
  results_.wake();
  if (others_) others_->drained();
}

bool run_state::finish_more() noexcept {
  try {
    return endings::finish_next(*network_.outermost, nullptr, 0);
  } catch (const std::bad_alloc&) {
    env_.out_of_memory();
    return false;
  }
}

std::shared_ptr<reading> run_state::begin_reading() {
  refuse_own_threads(env_, "iteration");
  return callers_.begin_reading(*this);
}

// ---- steps and callbacks ----

void run_state::step() {
  const standard_floats own;
  control_.clear_request();
  if (!env_.errors.has_ended()) {
    control_.step();
    return watches_.keep_history();
  }
  // The controller's thread calls no function of the user's: the messenger's thread does.
  if (!wake_all()) return;
  try {
    messages_.put(messenger::stopping{});
  } catch (const std::bad_alloc&) {
    env_.life.boxes().request_stop();
  }
}

bool run_state::watch(const process_threads& threads) {
  placing_.wake_others_where_unsure();
  return watches_.check(threads, [this] { return numbers(); });
}

void run_state::step_or_end() noexcept {
  try {
    step();
  } catch (const std::bad_alloc&) {
    env_.out_of_memory();
  }
}

double run_state::seconds_to_look() const {
  const double at = control_.look_at();
  return std::isinf(at) ? at : at - env_.life.since_start();
}

void run_state::step_if_overdue() noexcept {
  if (control_.look()) step_or_end();
}

void run_state::set_partition(core_set cores) noexcept {
  control_.set_partition(std::move(cores));
  on().wake_controller(*this);
}

void run_state::observe(worker& by, const observation& o) noexcept {
  learning_.observe(by, o);
  if (control_.is_due(o.start + o.seconds) && env_.platform.has_threads()) on().wake_controller(*this);
}

void run_state::request_layout() noexcept {
  control_.request_layout();
  if (env_.platform.has_threads()) on().wake_controller(*this);
}

// Regions time each record until a step configures them for the entities that are fused now.
void run_state::complete_fusion() noexcept {
  if (!placing_.complete_fusion()) return;
  control_.request_step();
  if (env_.platform.has_threads()) on().wake_controller(*this);
}

void run_state::note(const std::string& sentence) {
  if (notes_.add(visible_text(sentence, true))) on().wake_controller(*this);
}

void run_state::see_to_messages() noexcept {
  if (messages_.has_untold() && !messages_.start()) messages_.tell_here();
}

// Returns once callbacks have heard all that happened so far.
void run_state::tell_all() {
  if (options_.on_observation) {
    const lock_guard lock(learning_.lock());
    learning_.absorb_all();
  }
  messages_.tell_all();
}

bool run_state::help() {
  if (is_step_requested()) step_or_end();
  messages_.tell_here();
  if (env_.life.is_over()) return false;
  return placing_.run_one(env_.workers.caller()) || env_.life.is_over();
}

run_report run_state::report() {
  const telling afterwards(*this);
  run_report r = numbers();
  r.graph = written_.graph();
  if (others_) {
    const auto all = others_->reports();
    const auto links = others_->links();
    const run_report nothing;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const int number = static_cast<int>(rank);
      const run_report& of = number == others_->rank() ? r : all[rank] ? *all[rank] : nothing;
      r.ranks.push_back(rank_of(number, of, links[rank]));
    }
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (all[rank]) add_rank(r, static_cast<int>(rank), *all[rank]);
    if (is_first_rank() && env_.life.is_stopping() && r.away > 0)
      r.dropped += static_cast<std::uint64_t>(std::exchange(r.away, 0));
  }
  return r;
}

run_report run_state::numbers() {
  return report_of({on(), env_, network_, input_, results_, placing_, learning_, control_, watches_, notes_,
                    joined_.load(std::memory_order_acquire) == joined});
}

prediction run_state::predict(const std::string& component, std::span<const double> values, int cores) {
  const telling afterwards(*this);
  return learning_.predict(component, values, cores);
}

std::map<std::string, saved_model> run_state::models() {
  const telling afterwards(*this);
  std::map<std::string, saved_model> all = learning_.models();
  if (others_)
    for (component_report& c : report().components)
      if (!c.learnt.estimator.empty()) all[c.name] = std::move(c.learnt);
  return all;
}

// ---- the end ----

void run_state::wait() {
  refuse_own_threads(env_, "wait");
  if (plan_.results.is_automatic) results_.set_bounded(false);  // no thread reads meanwhile
  if (!env_.platform.has_threads())
    while (!env_.life.is_over() && help()) {
    }
  {
    const off_cores meanwhile;
    env_.life.wait_until_over();
  }
  this_process::refuse_in_child("wait");
  this_process::hold_others();
  wind_down();
  env_.errors.throw_if_ended();
}

void run_state::stop() noexcept {
  if (!wake_all()) return;
  check_no_locks("boxes are told to stop");
  env_.life.boxes().request_stop();
}

std::stop_source run_state::freeze() noexcept {
  env_.life.freeze();
  return env_.life.boxes();
}

// A run that began while the process was ending goes on.
void run_state::thaw() noexcept {
  if (env_.life.is_stopping()) wake_all();
}

void run_state::end_by(failure f) noexcept {
  env_.errors.end_by(std::move(f));
  end_soon();
}

void run_state::end_soon() noexcept {
  env_.life.begin_to_stop();
  control_.request_step();
  on().wake_controller(*this);
}

// The thread that ended the run may have left it to the controller to wake the sleepers, which may take a while.
void run_state::wind_down() {
  if (env_.life.is_stopping()) {
    stop();
    join_workers();
  }
  tell_all();
}

// Makes the run stopping and wakes all sleepers. False: they were woken before.
bool run_state::wake_all() noexcept {
  if (!env_.life.begin_to_wake()) return false;
  if (others_) others_->stopping(env_.errors.ended_by());
  results_.wake();
  messages_.wake();
  for (observer* o : network_.observers) o->wake();
  results_.space.notify_now();
  env_.in_flight.wake();
  placing_.wake_all();
  on().resources().wake();
  env_.cores.ledger().recheck();
  return true;
}

// After stop(): no invocation runs any more, and none will. One of several callers joins, and the others wait for it.
void run_state::join_workers() noexcept {
  int before = not_joined;
  if (!joined_.compare_exchange_strong(before, joining, std::memory_order_acquire)) {
    const off_cores meanwhile;
    joined_.wait(joining, std::memory_order_acquire);
  }
  env_.workers.join();
  placing_.devices().end();
  watches_.forget_hangs();
  joined_.store(joined, std::memory_order_release);
  joined_.notify_all();
}

void run_state::wind_up() noexcept {
  on_stop_.reset();
  stop();
  join_workers();
  if (others_) others_->finish();
  on().leave(*this);
  learning_.tell_later_runs();
  if (has_views() || options_.on_observation) {
    const lock_guard lock(learning_.lock());
    learning_.absorb_all();  // so that on_observation and the last report have seen every one
  }
  {
    const off_cores meanwhile;
    messages_.finish();
  }
  link_->end(has_views());  // the last report already counts the records that are dropped next
  drop_all();
  reader_.drop_all();
}

// Whether a view was made and is not gone.
bool run_state::has_views() const { return link_.use_count() > 1; }

// Dropping one record may let out others that waited for it; and a scope that ends by it drops the records in its
// synchrocells.
void run_state::drop_all() noexcept {
  bool dropped = true;
  while (dropped) {
    dropped = false;
    for (auto& s : network_.entities)
      if (s->own_region && s->own_region->drop_all() > 0) dropped = true;
    for (order_exit_entity* const exit : network_.order_exits)
      if (exit->drop_all()) dropped = true;
    for (call_entity* const call : network_.calls)
      if (call->drop_all()) dropped = true;
  }
  network_.outermost.reset();
}

}  // namespace weir::detail
