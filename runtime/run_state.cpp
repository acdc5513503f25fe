#include "runtime/run_state.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <system_error>

#include "runtime/errors.hpp"
#include "runtime/node.hpp"
#include "runtime/pause.hpp"
#include "runtime/thrown.hpp"
#include "runtime/unfold.hpp"
#include "runtime/words.hpp"

namespace weir::detail {

namespace {

// Where the network's output leaves it.
class exit_stage final : public stage {
 public:
  exit_stage(run_state& run, results& to) : stage(run, ""), to_(to) {}
  std::string name() const override { return "output"; }
  stage* step(record_body*&, context&) override { return nullptr; }  // never fused: records leave through inlet()
  channel& inlet() override { return to_; }
  std::vector<stage*> successors() const override { return {}; }

 private:
  results& to_;
};

// Why records of a shape are none that a rule takes; "" when they are.
std::string unfit(const shape& s, const signature::rule& rule) {
  for (const label_info* need : rule.in.labels()) {
    const int at = s.find(need->key);
    if (at < 0) return "it lacks " + weir::to_string(*need);
    if (&s[at] != need)
      return "its field '" + need->name + "' is " + a_type(*s[at].type->type) + ", expected was " +
             a_type(*need->type->type);
  }
  for (int i = s.first_binding_tag(); i < s.size() && !rule.open; ++i)
    if (!rule.in.find(s[i].key)) return "it has the binding tag " + weir::to_string(s[i]) + ", which is not taken";
  return "";
}

// Holds a flag for as long as this exists, if nobody else does.
struct only_guest {
  explicit only_guest(std::atomic<bool>& taken)
      : flag(taken), is_in(!taken.exchange(true, std::memory_order_acquire)) {}
  ~only_guest() {
    if (!is_in) return;
    flag.store(false, std::memory_order_release);
    flag.notify_all();
  }
  only_guest(const only_guest&) = delete;
  std::atomic<bool>& flag;
  const bool is_in;
};

// What a stream holds at most when the user names no capacity; see learn_costs for the limit in force.
constexpr std::size_t automatic_capacity = 1024;

}  // namespace

run_state::run_state(const network& net, options o)
    : net_(net),
      options_((o.validate(), std::move(o))),
      machine_(options_.machine.state()),
      platform_(machine_->platform()),
      started_at_(platform_.now()),
      failures_(options_.max_failures_kept,
                {failure_kind::out_of_memory, "", net_.root()->name(), "", "there was no memory to go on"}),
      results_(*this,
               options_.results_capacity ? options_.results_capacity
               : options_.capacity       ? options_.capacity
                                         : automatic_capacity,
               options_.results_capacity != 0 && platform_.has_threads()),
      messages_(*this, options_, platform_) {
  build();
  for (const auto& prior : options_.prior_models)
    if (std::none_of(components_.begin(), components_.end(), [&](auto& c) { return c->spec->name == prior.first; }))
      throw std::invalid_argument("options.prior_models: no component is named '" + prior.first + "'");
  make_models();
  shared_ = std::make_unique<group>(*this, "the shared group", true);
  owners_.resize(components_.size());
  for (const auto& c : components_)
    if (c->is_blocking()) {
      owners_[c->index] = std::make_unique<group>(*this, c->spec->name, false);
      owners_[c->index]->set_coreless_seats(c->spec->max_width);
    }
  controller_.emplace(options_.policy);
  helper_ = std::make_unique<worker>(*this);
  if (has_threads()) {
    helper_->home = shared_.get();
  } else {
    whole_seat_ = std::make_shared<seat>(machine_->cores()->all(), 0, grant_over(machine_->cores()->all()), seated_);
  }
  const std::vector<std::string>& limits = machine_->cores()->notes();
  if (!limits.empty() && machine_->is_first_to_say())
    for (const std::string& one : limits) note(one);
  else
    notes_ = limits;
  machine_->join(*this);
  if (options_.on_observation || options_.watchdog.on_hang) messages_.start();
  try {
    step();
    start_sources();
    started_.store(true);
    if (wants_step_.load()) machine_->wake_controller();  // it may have come too early
    on_stop_.emplace(options_.stop, [this] { stop(); });
    messages_.tell_here();
  } catch (...) {
    wind_up();
    throw;
  }
}

void run_state::build() {
  exit_ = std::make_unique<exit_stage>(*this, results_);
  net_stages_ = unfold(*this, net_, *exit_);
  outermost_.reset(scope::make_outermost(*net_stages_.levels.front()));
  max_depth_ =
      options_.max_depth ? static_cast<std::int64_t>(options_.max_depth) : std::numeric_limits<std::int64_t>::max();
  max_branches_ = options_.max_branches ? options_.max_branches : std::numeric_limits<std::size_t>::max();
  const std::size_t capacity = options_.capacity ? options_.capacity : automatic_capacity;
  for (auto& s : stages_) {
    s->make_region(capacity);
    if (auto* const box = dynamic_cast<box_stage*>(s.get())) boxes_.push_back(box);
  }
  traffic_.emplace(stages_, net_stages_.entry == exit_.get() ? nullptr : net_stages_.entry);
}

// Initialisers run once, on a record without labels, which has a position before all others in ordered networks.
void run_state::start_sources() {
  for (const source_place& source : net_stages_.sources) {
    owned_body nothing{make_body(shape::empty())};
    for (order_exit_stage* exit : source.within) nothing->order = exit->open(nothing->order);
    record_body* const starting = nothing.get();
    if (source.box->own_region->push(&starting, 1) == 1) nothing.release();
  }
}

void run_state::unfolded(const stage& at, const scope& fresh, const char* mark) {
  unfolded_.fetch_add(1, std::memory_order_relaxed);
  if (traces())
    trace([&]() -> trace_event {
      return {trace_kind::unfold,
              now() - started_at_,
              0,
              core_here(),
              0,
              0,
              0,
              at.name(),
              fresh.path(at.path_pattern() + mark),
              ""};
    });
}

void run_state::removed(const stage& at, const scope& gone, const char* mark) {
  removed_.fetch_add(1, std::memory_order_relaxed);
  if (traces())
    trace([&]() -> trace_event {
      return {trace_kind::remove,
              now() - started_at_,
              0,
              core_here(),
              0,
              0,
              0,
              at.name(),
              gone.path(at.path_pattern() + mark),
              ""};
    });
}

// ---- input ----

void run_state::check_fits(const record& r) {
  const shape& s = r.shape();
  const auto& rules = net_.signature().rules;
  const auto fits = [&] {
    const bool any = std::any_of(rules.begin(), rules.end(),
                                 [&](const signature::rule& rule) { return !rule.at_start && unfit(s, rule).empty(); });
    return any ? std::make_unique<bool>(true) : nullptr;
  };
  if (accepted_.find(&s, fits)) return;
  std::string why = "it takes no input";
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& rule : rules) {  // the variant that is nearest
    if (rule.at_start) continue;
    const auto lacks = static_cast<std::size_t>(
        std::count_if(rule.in.labels().begin(), rule.in.labels().end(), [&](auto* l) { return s.find(l->key) < 0; }));
    if (lacks < least) least = lacks, why = unfit(s, rule);
  }
  throw send_error({failure_kind::not_accepted, "", net_.root()->name(), weir::to_string(r),
                    "the record does not fit the input " + weir::to_string(net_.signature()) + ": " + why});
}

void run_state::note_sender() {
  if (const auto last = last_sender_.load(std::memory_order_relaxed); last > 0 && last == thread_identity::known)
    return;
  const thread_identity& me = thread_identity::mine();
  bool reads;
  {
    const lock_guard lock(state_mutex_);
    senders_.add(me);
    reads = reader_ == me.number;
    last_sender_.store(me.number, std::memory_order_relaxed);
  }
  if (reads && options_.results_capacity == 0) results_.set_bounded(false);
}

// Takes the record when there is room. Throws, without taking it, when the input is closed or the run is over.
bool run_state::try_push(record_body* body) {
  struct working {  // the run cannot drain between the look at closed_ and the push
    run_state& run;
    explicit working(run_state& r) : run(r) { run.begin_work(); }
    ~working() { run.finish_work(); }
  } const at_work(*this);
  if (closed_.load(std::memory_order_seq_cst) || stopping_.load()) {
    process::hold_others();
    failures_.throw_if_ended();
    throw send_error({failure_kind::closed, "", net_.root()->name(), to_string(*body),
                      closed_.load() ? "send after close" : "send after stop"});
  }
  if (latency_.wants(sent_.load(std::memory_order_relaxed))) body->order = latency_.follow();
  sent_.fetch_add(1, std::memory_order_relaxed);  // before: whoever is woken may be through with it when push returns
  const auto not_taken = [&] {
    sent_.fetch_sub(1, std::memory_order_relaxed);
    if (body->order) latency_probe::forget(*body->order);
    leave_context(*body);
    return false;
  };
  try {
    if (net_stages_.entry->inlet().push(&body, 1) == 0) return not_taken();
  } catch (...) {
    not_taken();
    throw;
  }
  return true;
}

// Option inline_send: false when a worker is to take the record, and nothing was done.
bool run_state::visit(owned_body& mine) {
  const region* const first = net_stages_.entry->own_region.get();
  if (!first || !first->lets_senders_in() || first->is_attended() || inside_call::any()) return false;
  const only_guest guest(visited_);
  if (!guest.is_in || !shared_->is_seldom(now())) return false;
  {
    const group::returning soon(shared_.get(), false);
    if (!try_push(mine.get())) return false;
  }
  mine.release();
  {
    const inside_call now(this);
    const working_as it(*helper_);
    shared_->visit(*helper_);
  }
  shared_->sender_came(now());
  return true;
}

void run_state::send(record r) {
  check_fits(r);
  note_sender();
  owned_body mine(std::move(r).release());
  if (options_.inline_send && has_threads() && visit(mine)) return;
  channel& in = net_stages_.entry->inlet();
  while (!try_push(mine.get())) {
    if (!has_threads()) {
      const blocked_writer me(*this, in);
      if (!help()) throw std::logic_error("send: the network is full and nothing in it can run");
      continue;
    }
    for (int i = 0; i < 64 && !in.has_room(); ++i) pause();
    if (in.has_room()) continue;
    refuse_own_threads("send into a full network");
    const off_cores meanwhile;
    const blocked_writer me(*this, in);
    in.room.wait([&] { return in.has_room() || is_over(); });
  }
  mine.release();
}

bool run_state::try_send(const record& r) {
  check_fits(r);
  note_sender();
  owned_body mine(record(r).release());
  if (!try_push(mine.get())) return false;
  mine.release();
  return true;
}

void run_state::close() {
  begin_work();
  closed_.store(true, std::memory_order_seq_cst);
  finish_work();
}

double run_state::bytes_of(record_body* r) noexcept {
  if (r->shape->size() == 0) return 0;  // what starts an initialiser
  check_no_locks("a size function is called");
  const lent_record it(r);
  try {
    try {
      return static_cast<double>(options_.record_bytes(it.shown));
    } catch (...) {
      const std::string how = thrown_by("options.record_bytes");
      if (!size_function_threw_.exchange(true)) note(how + ": the bytes of streams where it did are not known");
    }
  } catch (const std::bad_alloc&) {  // it is not said
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// ---- results ----

// For each batch, and where another thread goes on with what is left of one.
void run_state::note_reader(bool takes_more) {
  if (!takes_more && reads_ == thread_identity::known) return;
  const thread_identity& me = thread_identity::mine();
  reads_ = me.number;
  bool sends;
  {
    const lock_guard lock(state_mutex_);
    sends = senders_.contains(me);
    reader_ = me.number;
  }
  results_.set_bounded(has_threads() && (!sends || closed_.load()));  // who runs it must not wait for itself
}

bool run_state::next(record& into) {
  refuse_own_threads("iteration");
  const bool is_empty = batch_at_ == batch_.size();
  if (options_.results_capacity == 0) note_reader(is_empty);
  if (is_empty) {
    batch_at_ = 0;
    for (int spins = 0;; ++spins) {
      if (!results_.is_idle()) {
        results_.take(batch_);
        break;
      }
      if (is_over()) {
        process::hold_others();
        if (is_stopping()) end_workers();  // what still comes out meanwhile is read, too
        results_.take(batch_);             // what came between the two looks
        if (!batch_.empty()) break;
        tell_all();
        failures_.throw_once();
        return false;
      }
      if (!has_threads()) {
        if (!help()) throw std::logic_error("iteration: nothing is left to run and the input is not closed");
      } else if (spins < 64) {  // a few microseconds, less than a sleep and a wake-up
        pause();
      } else {
        const off_cores meanwhile;
        results_.wait([&] { return is_over(); });
      }
    }
    results_.room.ring();
  }
  into = record::adopt(batch_[batch_at_++]);
  return true;
}

void run_state::wait() {
  refuse_own_threads("wait");
  if (options_.results_capacity == 0) results_.set_bounded(false);  // nobody reads meanwhile
  if (!has_threads())
    while (!is_over() && help()) {
    }
  {
    const off_cores meanwhile;
    unique_lock lock(state_mutex_);
    over_.wait(lock, [&] { return is_over(); });
  }
  process::hold_others();
  if (is_stopping()) end_workers();
  tell_all();
  failures_.throw_if_ended();
}

bool run_state::help() {
  if (wants_step()) step_or_end();
  messages_.tell_here();
  if (is_over()) return false;
  if (shared_->run_one(*helper_)) return true;
  for (auto& g : owners_)
    if (g && g->run_one(*helper_)) return true;
  return is_over();
}

}  // namespace weir::detail
