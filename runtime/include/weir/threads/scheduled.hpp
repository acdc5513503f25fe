#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

// Stand-ins for the standard types of primitives.hpp, for tests of schedules (tests/schedules). One thread runs at a
// time of those that the tests' scheduler knows, and in front of each operation here the scheduler may let another go
// on. So explored schedules are sequentially consistent: orders of memory mean nothing. Time is virtual. A thread that
// the scheduler does not know is alone, and nothing waits.
namespace [[gnu::visibility("default")]] weir {
namespace detail::scheduled {

enum class operation { load, store, change, fence, lock, unlock, wait, notify, start, join, spin };

// Implemented by the tests. `at`: the object that the operation is on.
void point(operation what, const void* at) noexcept;
constexpr double forever = 1e300;  // seconds
// Waits until a wake function is called for the same object, or until then, in virtual seconds. False: time is up.
bool wait_on(operation what, const void* at, double until) noexcept;
void wake_one(const void* at) noexcept;
void wake_all(const void* at) noexcept;
inline void notify(const void* at, void (*wake)(const void*) noexcept) noexcept {
  point(operation::notify, at);
  wake(at);
}
double now() noexcept;  // seconds

struct clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept {
    return time_point(std::chrono::duration_cast<duration>(std::chrono::duration<double>(scheduled::now())));
  }
};

inline void pause() { point(operation::spin, nullptr); }
inline void yield() { point(operation::spin, nullptr); }
inline void sleep(std::chrono::nanoseconds) { point(operation::spin, nullptr); }
inline void atomic_thread_fence(std::memory_order) { point(operation::fence, nullptr); }

template <class T>
class atomic {
 public:
  using value_type = T;
  constexpr atomic() noexcept = default;
  constexpr atomic(T value) noexcept : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
    point(operation::load, this);
    return value_;
  }
  void store(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::store, this);
    value_ = value;
  }
  operator T() const noexcept { return load(); }
  T operator=(T value) noexcept {
    store(value);
    return value;
  }
  T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    return std::exchange(value_, value);
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order = std::memory_order_seq_cst,
                               std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    if (value_ == expected) {
      value_ = wanted;
      return true;
    }
    expected = value_;
    return false;
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order = std::memory_order_seq_cst,
                             std::memory_order = std::memory_order_seq_cst) noexcept {
    return compare_exchange_strong(expected, wanted);
  }
  template <class D>
  T fetch_add(D by, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    return std::exchange(value_, static_cast<T>(value_ + by));
  }
  template <class D>
  T fetch_sub(D by, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    return std::exchange(value_, static_cast<T>(value_ - by));
  }
  T fetch_or(T with, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    return std::exchange(value_, static_cast<T>(value_ | with));
  }
  T fetch_and(T with, std::memory_order = std::memory_order_seq_cst) noexcept {
    point(operation::change, this);
    return std::exchange(value_, static_cast<T>(value_ & with));
  }
  T operator++() noexcept { return fetch_add(1) + 1; }
  T operator--() noexcept { return fetch_sub(1) - 1; }
  T operator++(int) noexcept { return fetch_add(1); }
  T operator--(int) noexcept { return fetch_sub(1); }
  template <class D>
  T operator+=(D by) noexcept {
    return fetch_add(by) + by;
  }
  template <class D>
  T operator-=(D by) noexcept {
    return fetch_sub(by) - by;
  }
  void wait(T old, std::memory_order = std::memory_order_seq_cst) const noexcept {
    point(operation::load, this);
    while (value_ == old) wait_on(operation::wait, this, forever);
  }
  void notify_one() noexcept { notify(this, wake_one); }
  void notify_all() noexcept { notify(this, wake_all); }

 private:
  T value_{};
};

class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  void lock() {
    point(operation::lock, this);
    while (held_) wait_on(operation::lock, this, forever);
    held_ = true;
  }
  bool try_lock() {
    point(operation::lock, this);
    return !std::exchange(held_, true);
  }
  void unlock() {
    point(operation::unlock, this);
    held_ = false;
    wake_all(this);
  }

 private:
  bool held_ = false;
  friend class condition_variable;
};

class condition_variable {
 public:
  void wait(std::unique_lock<mutex>& lock) { wait_for_call(lock, forever); }
  template <class Duration>
  std::cv_status wait_until(std::unique_lock<mutex>& lock, const std::chrono::time_point<clock, Duration>& until) {
    const double seconds = std::chrono::duration<double>(until.time_since_epoch()).count();
    return wait_for_call(lock, seconds) ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  void notify_one() noexcept { notify(this, wake_one); }
  void notify_all() noexcept { notify(this, wake_all); }

 private:
  // Leaving the lock and beginning to wait are one step, as for the real one.
  bool wait_for_call(std::unique_lock<mutex>& lock, double until) {
    point(operation::wait, this);
    lock.mutex()->held_ = false;
    wake_all(lock.mutex());
    const bool called = wait_on(operation::wait, this, until);
    mutex& m = *lock.mutex();
    while (m.held_) wait_on(operation::lock, &m, forever);
    m.held_ = true;
    return called;
  }
};

// A thread that the scheduler knows from its start to its end. Throws std::system_error as std::thread does.
class thread {
 public:
  thread() noexcept = default;
  explicit thread(std::function<void()> body);
  thread(thread&& other) noexcept { swap(other); }
  thread& operator=(thread&& other) noexcept {
    if (joinable()) std::terminate();
    swap(other);
    return *this;
  }
  ~thread() {
    if (joinable()) std::terminate();
  }
  bool joinable() const noexcept { return state_ != nullptr; }
  void join();
  void detach();
  void swap(thread& other) noexcept { std::swap(state_, other.state_); }

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace detail::scheduled
}  // namespace weir
