#include "runtime/devices/device_choice.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "runtime/engine/run_environment.hpp"
#include "runtime/streams/stream.hpp"

namespace weir::detail {
namespace {

// A waiting record looks at this interval whether the run is stopping, and whether what runs takes longer than
// expected.
constexpr auto look_interval = std::chrono::milliseconds(20);

// Seconds for which a box leaves a device alone after an error, doubled by each further one in a row.
constexpr double first_leave = 0.1, longest_leave = 30;

// Learning where an implementation is slower may cost this part of all seconds, for one record in `explored_one_in` of
// an octave of predictor values at most.
constexpr double explored_part = 0.02;
constexpr std::uint32_t explored_one_in = 32;

// A record that was passed by this number of later ones is next where it is faster.
constexpr int most_passed = 16;

int in_flight(const run_environment& run, const box_spec& box, int slots) {
  constexpr int most = 256, ahead = 16;
  return std::min({most, 2 * run.outside.cores()->size() + 4 * slots + ahead, box.max_width});
}

}  // namespace

device_choice::device_choice(run_environment& run, device_slots& on, const box_spec& box, std::size_t component,
                             const std::function<std::unique_ptr<estimator>()>& fresh)
    : run_(run),
      device_(on),
      box_(box),
      component_(component),
      most_in_flight_(in_flight(run, box, on.device().slots())),
      cores_model_(fresh()),
      device_model_(fresh()) {}

bool device_choice::wait(waiting_record& r) {
  using state = waiting_record::state;
  unique_lock lock(device_.lock());
  if (run_.life.is_stopping()) return false;
  const std::size_t all = waiting_.size() + on_cores_.size() + on_device_.size() + 1;
  for (auto* const list : {&waiting_, &on_cores_, &on_device_}) list->reserve(all);  // nothing later asks for memory
  r.of = this;
  r.is = state::waits;
  r.has_failed = false;
  waiting_.push_back(&r);
  expect(r, run_.life.now());
  device_.dispatch();
  while (r.is == state::waits || r.is == state::on_device) {
    if (r.is == state::waits && run_.life.is_stopping()) {
      remove(waiting_, r);
      return false;
    }
    if (!r.wake.wait_until(lock, threads::clock::now() + look_interval)) device_.dispatch();
  }
  return true;
}

void device_choice::remove(std::vector<waiting_record*>& from, const waiting_record& r) const {
  from.erase(std::find(from.begin(), from.end(), &r));
}

std::uint32_t& device_choice::since(side on, double x) {
  const int octave = x > 0 && std::isfinite(x) ? std::ilogb(x) : -static_cast<int>(octaves);
  const int middle = static_cast<int>(octaves) / 2;
  return since_[on == side::device][static_cast<std::size_t>(std::clamp(octave, -middle, middle - 1) + middle)];
}

// Writes the record's expected times, and whether it is to run where it is slower.
void device_choice::expect(waiting_record& r, double now) {
  const int p = lanes_.count() ? std::max(1, lanes_.front()->cores.size()) : 1;
  r.on_cores = cores_model_.expected(r.x, p, 1);
  r.on_device = device_model_.expected(r.x, 1, std::min(device_.in_use() + 1, device_.device().slots()));
  r.explores = false;
  if (r.cores_only || box_.on->from || is_left_alone(now) || !cores_model_.is_known() || !device_model_.is_known())
    return;
  const side slower = r.on_cores > r.on_device ? side::cores : side::device;
  const double costs = std::abs(r.on_cores - r.on_device);
  for (const side s : {side::cores, side::device}) ++since(s, r.x);
  if (since(slower, r.x) < explored_one_in || explored_seconds_ + costs > explored_part * spent_) return;
  since(slower, r.x) = 0;
  r.explores = true;
  explored_seconds_ += costs;
  ++explored_;
}

device_choice::side device_choice::wanted(const waiting_record& r, double now) const {
  if (r.cores_only || is_left_alone(now)) return side::cores;
  if (box_.on->from) return r.x >= *box_.on->from ? side::device : side::cores;
  if (!r.explores && r.passed < most_passed) return side::either;
  return (r.on_cores > r.on_device) == r.explores ? side::cores : side::device;
}

// The record that this side is to run next; null: none.
waiting_record* device_choice::pick(side to, double now) const {
  const auto gain = [](const waiting_record* r) { return r->on_cores / std::max(r->on_device, 1e-12); };
  waiting_record* best = nullptr;
  for (waiting_record* const r : waiting_) {
    const side wants = wanted(*r, now);
    if (wants == to) return r;
    if (wants != side::either) continue;
    if (!best || (to == side::cores ? gain(r) < gain(best) : gain(r) > gain(best))) best = r;
  }
  if (!best) return nullptr;
  const bool is_sooner = to == side::cores ? is_sooner_on_cores(*best, now) : is_sooner_on_device(*best, now);
  return is_sooner ? best : nullptr;
}

// Against the device, if it had all other waiting records before this one.
bool device_choice::is_sooner_on_cores(const waiting_record& r, double now) const {
  if (!device_model_.is_known()) return true;
  const double others = device_.seconds_waiting() - r.on_device +
                        static_cast<double>(r.behind ? r.behind->size() : 0) * device_model_.mean_seconds();
  return r.on_cores <= device_.seconds_until_free(now) + others / device_.device().slots() + r.on_device;
}

bool device_choice::is_sooner_on_device(const waiting_record& r, double now) const {
  if (!device_model_.is_known()) return on_device_.empty();  // one by one
  double others = static_cast<double>(r.behind ? r.behind->size() : 0) * cores_model_.mean_seconds();
  for (const waiting_record* const one : waiting_) others += one == &r ? 0 : one->on_cores;
  return r.on_device <= seconds_until_lane(now) + others / std::max(1, lanes()) + r.on_cores;
}

double device_choice::seconds_until_lane(double now) const {
  if (lanes_.any_free([](int) { return true; })) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const waiting_record* const r : on_cores_) least = std::min(least, r->seconds_left(now));
  return on_cores_.empty() ? 0 : least;
}

double device_choice::seconds_for_device() const {
  double sum = 0;
  for (const waiting_record* const r : waiting_) sum += r->cores_only ? 0 : r->on_device;
  return sum;
}

// The device gets a record first while its time is not known, and that of cores is.
bool device_choice::begin_one() noexcept {
  if (waiting_.empty() || run_.life.is_stopping()) return false;
  const double now = run_.life.now();
  const bool tries_device = cores_model_.is_known() && !device_model_.is_known();
  return tries_device ? begin_on_device(now) || begin_on_cores(now) : begin_on_cores(now) || begin_on_device(now);
}

bool device_choice::begin_on_cores(double now) noexcept {
  if (!lanes_.any_free([](int) { return true; })) return false;
  waiting_record* const r = pick(side::cores, now);
  if (!r) return false;
  r->lane = lanes_.use_free(-1);
  begins(*r, side::cores, now);
  r->wake.notify_one();
  return true;
}

bool device_choice::begin_on_device(double now) noexcept {
  if (!device_.is_free()) return false;
  waiting_record* const r = pick(side::device, now);
  if (!r) return false;
  try {
    device_.start(*r);
  } catch (const std::exception&) {  // the system gives no thread
    alone_until_ = now + longest_leave;
    return true;
  }
  begins(*r, side::device, now);
  return true;
}

void device_choice::begins(waiting_record& r, side on, double now) {
  constexpr double window = 64, least = 1 / window;
  for (waiting_record* const older : waiting_) {
    if (older == &r) break;
    ++older->passed;
  }
  remove(waiting_, r);
  r.is = on == side::cores ? waiting_record::state::on_cores : waiting_record::state::on_device;
  (on == side::cores ? on_cores_ : on_device_).push_back(&r);
  r.began = now;
  r.expected = on == side::cores ? r.on_cores : r.on_device;
  since(on, r.x) = 0;
  const double part = part_on_cores_.load(std::memory_order_relaxed);
  part_on_cores_.store(std::max(least, part + ((on == side::cores ? 1 : 0) - part) / window),
                       std::memory_order_relaxed);
}

void device_choice::left_cores(waiting_record& r) noexcept {
  const lock_guard lock(device_.lock());
  spent_ += run_.life.now() - r.began;
  lanes_.leave(r.lane);
  remove(on_cores_, r);
  device_.dispatch();
}

void device_choice::ended_on_device(waiting_record& r) noexcept {
  remove(on_device_, r);
  if (r.was_not_admitted) {
    r.cores_only = true;
  } else if (r.has_failed) {
    r.is_first_error = ++errors_ == 1;
    // Invocations that ran together fail together: that is one error.
    if (r.began >= erred_at_) pause_ = std::clamp(2 * pause_, first_leave, longest_leave);
    erred_at_ = run_.life.now();
    alone_until_ = erred_at_ + pause_;
    r.cores_only = true;
  } else {
    if (r.began >= erred_at_) pause_ = 0;
    spent_ += r.seconds;
    device_model_.observe(r.x, 1, r.in_use, r.seconds);
  }
  r.is = waiting_record::state::done;
  r.wake.notify_one();
}

void device_choice::observe_on_cores(const observation& o) noexcept {
  if (o.after_move) return;
  const lock_guard lock(device_.lock());
  cores_model_.observe(o.x, o.cores, 1, o.seconds);
}

void device_choice::set_lanes(const std::vector<core_set>& lanes, const core_set& beside) {
  std::vector<group_leases::lease> gone;
  {
    const lock_guard lock(device_.lock());
    gone = lanes_.set(run_.cores, lanes, beside);
    lane_count_.store(std::max(1, static_cast<int>(lanes_.count())), std::memory_order_relaxed);
    device_.dispatch();
  }
  if (!gone.empty()) run_.cores.ledger().recheck();
}

device_choice::numbers device_choice::read() const {
  const lock_guard lock(device_.lock());
  numbers n;
  n.invocations = device_model_.seen() + errors_;
  n.errors = errors_;
  n.explored = explored_;
  n.mean_seconds = device_model_.mean_seconds();
  n.total_seconds = device_model_.total_seconds();
  const int p = lanes_.count() ? std::max(1, lanes_.front()->cores.size()) : 1;
  n.crossing = crossing_point(cores_model_, p, device_model_);
  n.pause = is_left_alone(run_.life.now()) ? alone_until_ - run_.life.now() : 0;
  n.peak = device_.peak();
  return n;
}

}  // namespace weir::detail
