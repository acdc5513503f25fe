#include "scheduler/devices/device_rule.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

// Seconds for which a box leaves a device alone after an error, doubled by each further one in a row.
constexpr double first_leave = 0.1, longest_leave = 30;

// Learning where an implementation is slower may cost this part of all seconds, for one record in `explored_one_in` of
// an octave of predictor values at most.
constexpr double explored_part = 0.02;
constexpr std::uint32_t explored_one_in = 32;

// A record that was passed by this number of later ones is next where it is done first.
constexpr int most_passed = 16;

bool is_overdue(const device_record& r) { return r.passed >= most_passed; }

void erase(std::vector<device_record*>& from, const device_record& r) {
  from.erase(std::find(from.begin(), from.end(), &r));
}

}  // namespace

int most_at_device(int cores, int slots, int max_width) {
  constexpr int most = 256, ahead = 16;
  return std::min({most, 2 * cores + 4 * slots + ahead, max_width});
}

int most_batches_at_device(int lanes, int slots, int max_width) { return std::min(lanes + slots + 2, max_width); }

device_rule::device_rule(const device_state& device, std::optional<double> from,
                         const std::function<std::unique_ptr<estimator>()>& fresh, std::size_t most_in_batch,
                         double longest)
    : device_(device),
      from_(from),
      cores_model_(fresh(), most_in_batch, longest),
      device_model_(fresh(), most_in_batch, longest) {}

void device_rule::add(device_record& r, double now) {
  const std::size_t all = waiting_.size() + on_cores_.size() + on_device_.size() + 1;
  for (auto* const list : {&waiting_, &on_cores_, &on_device_}) list->reserve(all);  // nothing later asks for memory
  waiting_.push_back(&r);
  expect(r, now);
}

void device_rule::remove(const device_record& r) { erase(waiting_, r); }

std::uint32_t& device_rule::since(side on, double x) {
  const int octave = x > 0 && std::isfinite(x) ? std::ilogb(x) : -static_cast<int>(octaves);
  const int middle = static_cast<int>(octaves) / 2;
  return since_[on == side::device][static_cast<std::size_t>(std::clamp(octave, -middle, middle - 1) + middle)];
}

// Writes the record's expected times, and whether it is to run where it is slower.
void device_rule::expect(device_record& r, double now) {
  r.on_cores = cores_model_.expected(r.x, lane_cores_, 1, r.records);
  r.on_device = device_model_.expected(r.x, 1, std::min(device_.in_use() + 1, device_.slots()), r.records);
  r.explores = false;
  if (r.cores_only || from_ || r.planned != side::either || is_left_alone(now)) return;
  if (!cores_model_.is_known() || !device_model_.is_known()) return;
  r.explores = explores(r.on_cores > r.on_device ? side::cores : side::device, std::abs(r.on_cores - r.on_device), r.x);
}

// Whether an invocation is to run where it is slower, at this cost in seconds. Since results keep their order, all
// lanes and slots may wait for it, and all their seconds count. To be asked once for each.
bool device_rule::explores(side slower, double costs, double x) {
  for (const side s : {side::cores, side::device}) ++since(s, x);
  const double all = costs * (lanes_ + device_.slots());
  if (since(slower, x) < explored_one_in || explored_seconds_ + all > explored_part * spent_) return false;
  since(slower, x) = 0;
  explored_seconds_ += all;
  ++explored_;
  return true;
}

device_rule::planned_batch device_rule::plan(std::size_t waiting, double now) {
  cores_model_.sizes().note_waiting(waiting);
  device_model_.sizes().note_waiting(waiting);
  const side to = from_ ? (last_x() >= *from_ ? side::device : side::cores) : side_for(waiting, now);
  ++planned_on(to);
  return {(to == side::device ? device_model_ : cores_model_).sizes().take(waiting), to};
}

// Where the next batch goes, of the size that is preferred there. A side refuses it if the other one is expected to
// complete all that waits, in batches of its own size, before this batch would be done here. At most one of both
// refuses. Else it goes where it begins first, then where a record takes less.
device_rule::side device_rule::side_for(std::size_t waiting, double now) {
  if (is_left_alone(now)) return side::cores;
  const double until_lane = seconds_until_planned(side::cores, now);
  if (!device_model_.is_known() || device_model_.is_searching()) {  // when it is idle
    const bool is_idle = on_device_.empty() && planned_on(side::device) == 0 && seconds_for_device() == 0;
    if (is_idle && (cores_model_.is_known() || until_lane > 0)) return side::device;
  }
  if (!device_model_.is_known() || !cores_model_.is_known()) return side::cores;
  const double until_slot = seconds_until_planned(side::device, now), x = last_x();
  const std::size_t on_cores = cores_model_.sizes().size_for(waiting),
                    on_device = device_model_.sizes().size_for(waiting);
  const double by_cores = cores_model_.expected(x, lane_cores_, 1, on_cores),
               by_device = device_model_.expected(x, 1, std::min(device_.in_use() + 1, device_.slots()), on_device),
               record_on_cores = by_cores / static_cast<double>(on_cores),
               record_on_device = by_device / static_cast<double>(on_device);
  const bool is_device_slower = record_on_device > record_on_cores;
  const double costs = is_device_slower ? by_device - record_on_cores * static_cast<double>(on_device)
                                        : by_cores - record_on_device * static_cast<double>(on_cores);
  const side slower = is_device_slower ? side::device : side::cores;
  if (explores(slower, costs, x)) return slower;
  const auto others = [&](std::size_t taken) { return static_cast<double>(waiting - std::min(waiting, taken)); };
  const double end_on_cores = until_lane + by_cores, end_on_device = until_slot + by_device;
  const bool cores_may = end_on_cores <= end_on_device + others(on_device) * record_on_device / device_.slots();
  const bool device_may = end_on_device <= end_on_cores + others(on_cores) * record_on_cores / lanes_;
  if (cores_may != device_may) return cores_may ? side::cores : side::device;
  if (until_lane != until_slot) return until_lane < until_slot ? side::cores : side::device;
  return is_device_slower ? side::cores : side::device;
}

// Until a batch that is planned now can begin there.
double device_rule::seconds_until_planned(side on, double now) const {
  int ahead = planned_on(on);
  double waits = 0;
  for (const device_record* const r : waiting_) {
    if (r->planned != on) continue;
    ++ahead;
    if (on == side::cores) waits += r->on_cores;
  }
  const implementation_model& model = on == side::cores ? cores_model_ : device_model_;
  const std::size_t size = model.sizes().preferred();
  waits += planned_on(on) * model.expected(last_x(), on == side::cores ? lane_cores_ : 1, 1, size);
  if (on == side::cores) {
    if (static_cast<int>(on_cores_.size()) + ahead < lanes_) return 0;
    return seconds_until_lane(now, false) + waits / lanes_;
  }
  if (device_.in_use() + ahead < device_.slots()) return 0;
  return device_.seconds_until_free(now) + (waits + device_.seconds_waiting()) / device_.slots();
}

device_rule::side device_rule::wanted(const device_record& r, double now) const {
  if (r.cores_only || is_left_alone(now)) return side::cores;
  if (from_) return r.x >= *from_ ? side::device : side::cores;
  if (r.planned != side::either) return r.planned;
  if (!r.explores) return side::either;
  return r.on_cores > r.on_device ? side::cores : side::device;
}

// The record that wants this side, or else a passed one that is done first here, or the one that gains most by it;
// null: none. A lane or a slot of this side is free.
device_record* device_rule::pick(side to, double now, bool is_lane_free) const {
  const auto gain = [](const device_record* r) { return r->on_cores / std::max(r->on_device, 1e-12); };
  device_record* best = nullptr;
  for (device_record* const r : waiting_) {
    const side wants = wanted(*r, now);
    if (wants == to) return r;
    if (wants != side::either) continue;
    if (is_overdue(*r)) {
      const double on_cores = seconds_until_lane(now, is_lane_free) + r->on_cores,
                   on_device = device_.seconds_until_free(now) + r->on_device;
      if ((on_cores <= on_device) == (to == side::cores)) return r;
      continue;
    }
    if (!best || (to == side::cores ? gain(r) < gain(best) : gain(r) > gain(best))) best = r;
  }
  return best;
}

device_record* device_rule::next_on_cores(double now) const {
  device_record* const best = pick(side::cores, now, true);
  const auto may = [&] { return is_overdue(*best) || wanted(*best, now) == side::cores; };
  return best && (may() || is_sooner_on_cores(*best, now)) ? best : nullptr;
}

device_record* device_rule::next_on_device(double now, bool is_lane_free) const {
  device_record* const best = pick(side::device, now, is_lane_free);
  const auto may = [&] { return is_overdue(*best) || wanted(*best, now) == side::device; };
  return best && (may() || is_sooner_on_device(*best, now, is_lane_free)) ? best : nullptr;
}

// Against the device, if it had all other waiting records before this one.
bool device_rule::is_sooner_on_cores(const device_record& r, double now) const {
  if (!device_model_.is_known()) return true;
  const double others =
      device_.seconds_waiting() - r.on_device + static_cast<double>(r.behind()) * device_model_.mean_seconds();
  return r.on_cores <= device_.seconds_until_free(now) + others / device_.slots() + r.on_device;
}

bool device_rule::is_sooner_on_device(const device_record& r, double now, bool is_lane_free) const {
  if (!device_model_.is_known()) return on_device_.empty();  // one by one
  double others = static_cast<double>(r.behind()) * cores_model_.mean_seconds();
  for (const device_record* const one : waiting_) others += one == &r ? 0 : one->on_cores;
  return r.on_device <= seconds_until_lane(now, is_lane_free) + others / lanes_ + r.on_cores;
}

double device_rule::seconds_until_lane(double now, bool is_lane_free) const {
  if (is_lane_free || on_cores_.empty()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const device_record* const r : on_cores_) least = std::min(least, r->seconds_left(now));
  return least;
}

double device_rule::seconds_for_device() const {
  double sum = 0;
  for (const device_record* const r : waiting_) sum += r->cores_only || r->planned == side::cores ? 0 : r->on_device;
  return sum;
}

void device_rule::begin_on_cores(device_record& r, double now) {
  begins(r, side::cores, now);
  on_cores_.push_back(&r);
  r.expected = r.on_cores;
}

void device_rule::begin_on_device(device_record& r, double now) {
  begins(r, side::device, now);
  on_device_.push_back(&r);
  r.expected = r.on_device;
}

void device_rule::begins(device_record& r, side on, double now) {
  for (device_record* const older : waiting_) {
    if (older == &r) break;
    ++older->passed;
  }
  erase(waiting_, r);
  r.began = now;
  last_x_[begun_++ % last_x_.size()] = r.x;
  since(on, r.x) = 0;
  const auto records = static_cast<double>(r.records);
  records_.all += (records - records_.all) / recent;
  records_.on_cores += ((on == side::cores ? records : 0) - records_.on_cores) / recent;
}

void device_rule::left_cores(const device_record& r, double now) {
  spent_ += now - r.began;
  erase(on_cores_, r);
}

void device_rule::done_on_device(const device_record& r, double seconds) {
  erase(on_device_, r);
  if (r.began >= erred_.at) erred_.pause = 0;
  spent_ += seconds;
  device_model_.observe(r.x, 1, r.in_use, seconds, r.records);
}

bool device_rule::failed_on_device(device_record& r, double now) {
  erase(on_device_, r);
  // Invocations that ran together fail together: that is one error.
  if (r.began >= erred_.at) erred_.pause = std::clamp(2 * erred_.pause, first_leave, longest_leave);
  erred_.at = now;
  erred_.alone_until = erred_.at + erred_.pause;
  r.cores_only = true;
  return ++errors_ == 1;
}

void device_rule::not_begun_on_device(device_record& r) {
  erase(on_device_, r);
  r.cores_only = true;
}

void device_rule::leave_alone(double now) { erred_.alone_until = now + longest_leave; }

std::vector<device_numbers::input> device_rule::inputs() const {
  constexpr std::size_t most = 16;
  if (!cores_model_.is_known() || !device_model_.is_known()) return {};
  std::vector<double> xs;
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(begun_, last_x_.size()));
  for (std::size_t i = 0; i < known; ++i)
    if (std::isfinite(last_x_[i])) xs.push_back(last_x_[i]);
  std::sort(xs.begin(), xs.end());
  std::vector<device_numbers::input> made;
  for (std::size_t i = 0, n = std::min(most, xs.size()); i < n; ++i) {
    const double x = xs[(2 * i + 1) * xs.size() / (2 * n)];  // the middle of the i-th part
    const auto of_a_record = [x](const implementation_model& m, int cores, int in_use) {
      const std::size_t size = m.sizes().preferred();
      return m.expected(x, cores, in_use, size) / static_cast<double>(size);
    };
    made.push_back({x, of_a_record(cores_model_, lane_cores_, 1), of_a_record(device_model_, 1, 1),
                    of_a_record(device_model_, 1, device_.slots())});
  }
  return made;
}

device_numbers device_rule::read(double now) const {
  device_numbers n;
  n.invocations = device_model_.seen() + errors_;
  n.errors = errors_;
  n.explored = explored_;
  n.records = device_model_.records_seen();
  n.size_on_cores = cores_model_.sizes().preferred();
  n.size_on_device = device_model_.sizes().preferred();
  n.mean_seconds = device_model_.mean_seconds();
  n.total_seconds = device_model_.total_seconds();
  n.crossing = crossing_point(cores_model_, lane_cores_, device_model_);
  n.pause = is_left_alone(now) ? erred_.alone_until - now : 0;
  n.peak = device_.peak();
  n.inputs = inputs();
  return n;
}

}  // namespace weir
