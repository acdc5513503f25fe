#include "runtime/live/update_feed.hpp"

#include <system_error>
#include <utility>

#include "runtime/live/own_threads.hpp"

namespace weir::detail {

update_feed::update_feed(const std::string& of, std::function<std::string()> make, std::chrono::milliseconds interval,
                         int most_listeners)
    : make_(std::move(make)), interval_(interval), most_(most_listeners) {
  try {
    thread_ = std::thread([this] {
      begin_live_thread();
      make_texts();
    });
  } catch (const std::system_error& e) {
    throw std::system_error(e.code(), of + ": there is no thread to make its updates on");
  }
}

update_feed::~update_feed() {
  stop();
  thread_.join();
}

std::unique_ptr<update_feed::listener> update_feed::listen() {
  const lock_guard lock(mutex_);
  if (listeners_ >= most_ || is_stopped_) return nullptr;
  std::unique_ptr<listener> made(new listener(*this));
  ++listeners_;
  changed_.notify_all();
  return made;
}

update_feed::listener::~listener() {
  const lock_guard lock(feed_.mutex_);
  if (--feed_.listeners_ == 0) feed_.text_ = nullptr;
}

std::shared_ptr<const std::string> update_feed::listener::next(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  unique_lock lock(feed_.mutex_);
  for (;;) {
    if (feed_.is_stopped_) return nullptr;
    if (feed_.text_ && feed_.number_ > had_) {
      had_ = feed_.number_;
      return feed_.text_;
    }
    if (!feed_.changed_.wait_until(lock, until)) return nullptr;
  }
}

bool update_feed::listener::is_over() const {
  const lock_guard lock(feed_.mutex_);
  return feed_.is_stopped_;
}

void update_feed::stop() noexcept {
  const lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

void update_feed::make_texts() noexcept {
  unique_lock lock(mutex_);
  for (;;) {
    while (listeners_ == 0 && !is_stopped_) changed_.wait(lock);
    if (is_stopped_) return;
    lock.unlock();
    const auto next = std::chrono::steady_clock::now() + interval_;
    std::shared_ptr<const std::string> made;
    try {
      made = std::make_shared<const std::string>(make_());
    } catch (...) {  // no memory: perhaps there is some a second later
    }
    lock.lock();
    if (made && listeners_ > 0) {
      text_ = std::move(made);
      ++number_;
      changed_.notify_all();
    }
    while (!is_stopped_ && changed_.wait_until(lock, next)) {
    }
  }
}

}  // namespace weir::detail
