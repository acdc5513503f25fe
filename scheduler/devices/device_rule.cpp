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

// A record that was passed by this number of later ones is next where it is faster.
constexpr int most_passed = 16;

void erase(std::vector<device_record*>& from, const device_record& r) {
  from.erase(std::find(from.begin(), from.end(), &r));
}

}  // namespace

int most_at_device(int cores, int slots, int max_width) {
  constexpr int most = 256, ahead = 16;
  return std::min({most, 2 * cores + 4 * slots + ahead, max_width});
}

device_rule::device_rule(const device_state& device, std::optional<double> from,
                         const std::function<std::unique_ptr<estimator>()>& fresh)
    : device_(device), from_(from), cores_model_(fresh()), device_model_(fresh()) {}

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
  r.on_cores = cores_model_.expected(r.x, lane_cores_, 1);
  r.on_device = device_model_.expected(r.x, 1, std::min(device_.in_use() + 1, device_.slots()));
  r.explores = false;
  if (r.cores_only || from_ || is_left_alone(now) || !cores_model_.is_known() || !device_model_.is_known()) return;
  const side slower = r.on_cores > r.on_device ? side::cores : side::device;
  const double costs = std::abs(r.on_cores - r.on_device);
  for (const side s : {side::cores, side::device}) ++since(s, r.x);
  if (since(slower, r.x) < explored_one_in || explored_seconds_ + costs > explored_part * spent_) return;
  since(slower, r.x) = 0;
  r.explores = true;
  explored_seconds_ += costs;
  ++explored_;
}

device_rule::side device_rule::wanted(const device_record& r, double now) const {
  if (r.cores_only || is_left_alone(now)) return side::cores;
  if (from_) return r.x >= *from_ ? side::device : side::cores;
  if (!r.explores && r.passed < most_passed) return side::either;
  return (r.on_cores > r.on_device) == r.explores ? side::cores : side::device;
}

// The record that wants this side, or the one that gains most by it; null: none.
device_record* device_rule::pick(side to, double now) const {
  const auto gain = [](const device_record* r) { return r->on_cores / std::max(r->on_device, 1e-12); };
  device_record* best = nullptr;
  for (device_record* const r : waiting_) {
    const side wants = wanted(*r, now);
    if (wants == to) return r;
    if (wants != side::either) continue;
    if (!best || (to == side::cores ? gain(r) < gain(best) : gain(r) > gain(best))) best = r;
  }
  return best;
}

device_record* device_rule::next_on_cores(double now) const {
  device_record* const best = pick(side::cores, now);
  return best && (wanted(*best, now) == side::cores || is_sooner_on_cores(*best, now)) ? best : nullptr;
}

device_record* device_rule::next_on_device(double now, bool is_lane_free) const {
  device_record* const best = pick(side::device, now);
  return best && (wanted(*best, now) == side::device || is_sooner_on_device(*best, now, is_lane_free)) ? best : nullptr;
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
  for (const device_record* const r : waiting_) sum += r->cores_only ? 0 : r->on_device;
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
  constexpr double window = 64, least = 1 / window;
  for (device_record* const older : waiting_) {
    if (older == &r) break;
    ++older->passed;
  }
  erase(waiting_, r);
  r.began = now;
  last_x_[begun_++ % last_x_.size()] = r.x;
  since(on, r.x) = 0;
  part_on_cores_ = std::max(least, part_on_cores_ + ((on == side::cores ? 1 : 0) - part_on_cores_) / window);
}

void device_rule::left_cores(const device_record& r, double now) {
  spent_ += now - r.began;
  erase(on_cores_, r);
}

void device_rule::done_on_device(const device_record& r, double seconds) {
  erase(on_device_, r);
  if (r.began >= erred_at_) pause_ = 0;
  spent_ += seconds;
  device_model_.observe(r.x, 1, r.in_use, seconds);
}

bool device_rule::failed_on_device(device_record& r, double now) {
  erase(on_device_, r);
  // Invocations that ran together fail together: that is one error.
  if (r.began >= erred_at_) pause_ = std::clamp(2 * pause_, first_leave, longest_leave);
  erred_at_ = now;
  alone_until_ = erred_at_ + pause_;
  r.cores_only = true;
  return ++errors_ == 1;
}

void device_rule::not_begun_on_device(device_record& r) {
  erase(on_device_, r);
  r.cores_only = true;
}

void device_rule::leave_alone(double now) { alone_until_ = now + longest_leave; }

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
    made.push_back({x, cores_model_.expected(x, lane_cores_, 1), device_model_.expected(x, 1, 1),
                    device_model_.expected(x, 1, device_.slots())});
  }
  return made;
}

device_numbers device_rule::read(double now) const {
  device_numbers n;
  n.invocations = device_model_.seen() + errors_;
  n.errors = errors_;
  n.explored = explored_;
  n.mean_seconds = device_model_.mean_seconds();
  n.total_seconds = device_model_.total_seconds();
  n.crossing = crossing_point(cores_model_, lane_cores_, device_model_);
  n.pause = is_left_alone(now) ? alone_until_ - now : 0;
  n.peak = device_.peak();
  n.inputs = inputs();
  return n;
}

}  // namespace weir
