#include "tests/soak/rounds.hpp"

namespace weir::testing {

namespace {

constexpr auto period = std::chrono::milliseconds(100);

}  // namespace

void round::say(const std::string& about) {
  const std::lock_guard lock(mutex_);
  about_ = about;
}

std::string round::about() const {
  const std::lock_guard lock(mutex_);
  return "soak --program " + name_ + " --seed " + std::to_string(seed_) + ": " + about_;
}

void round::expect(bool holds, const std::string& what) {
  if (!holds) violations_.add(about() + "\n" + what);
}

void round::note_arrival(std::uint64_t results) {
  results_ += results;
  last_ = std::chrono::steady_clock::now();
}

rounds::rounds(std::string name, std::function<void(round&)> body, std::uint64_t first, bool synthetic, violations& to)
    : name_(std::move(name)), body_(std::move(body)), violations_(to) {
  thread_ = std::thread([this, first, synthetic] { work(first, synthetic); });
}

void rounds::work(std::uint64_t first, bool synthetic) {
  auto next = std::chrono::steady_clock::now();
  for (std::uint64_t seed = first; !over_; ++seed) {
    round one(name_, seed, synthetic, over_, violations_);
    {
      const std::lock_guard lock(mutex_);
      now_ = &one;
    }
    try {
      body_(one);
    } catch (const std::exception& e) {
      one.expect(false, std::string("it threw: ") + e.what());
    }
    {
      const std::lock_guard lock(mutex_);
      now_ = nullptr;
      ++numbers_.rounds;
      numbers_.results += one.results();
    }
    next = std::max(next + period, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(next);
  }
}

std::string rounds::stalled() {
  const std::lock_guard lock(mutex_);
  return now_ && now_->is_stalled() ? now_->about() : "";
}

void rounds::finish() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

rounds::numbers rounds::so_far() const {
  const std::lock_guard lock(mutex_);
  numbers n = numbers_;
  if (now_) n.results += now_->results();
  return n;
}

}  // namespace weir::testing
