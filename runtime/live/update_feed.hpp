#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "runtime/threads/locks.hpp"

namespace weir::detail {

// One text, made anew at regular intervals while somebody listens, on a thread of its own. All listeners share it, so
// one that is slow misses some and costs no memory. Thread-safe.
class update_feed {
 public:
  // `make` is called on the feed's thread, while no lock is held. An exception of it is not passed on: there is no text
  // then. Throws std::system_error, which begins with `of`, without a thread.
  update_feed(const std::string& of, std::function<std::string()> make, std::chrono::milliseconds interval,
              int most_listeners);
  ~update_feed();  // REQUIRES: no listener is left

  class listener {
   public:
    ~listener();
    listener(const listener&) = delete;

    // Waits for a text that it has not had. Null: none came in time, or the feed was stopped.
    std::shared_ptr<const std::string> next(std::chrono::milliseconds at_most);
    bool is_over() const;  // the feed was stopped

   private:
    friend class update_feed;
    explicit listener(update_feed& f) : feed_(f) {}
    update_feed& feed_;
    std::uint64_t had_ = 0;
  };

  std::unique_ptr<listener> listen();  // null: there are as many as may be

  void stop() noexcept;  // ends all waits, for good

 private:
  void make_texts() noexcept;

  const std::function<std::string()> make_;
  const std::chrono::milliseconds interval_;
  const int most_;
  mutable WEIR_LOCK(live) mutex_;
  condition changed_;                                                // a new text, the first listener, the stop
  std::shared_ptr<const std::string> text_ WEIR_GUARDED_BY(mutex_);  // null without listeners
  std::uint64_t number_ WEIR_GUARDED_BY(mutex_) = 0;                 // of the text, from 1
  int listeners_ WEIR_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::detail
