#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <weir/weir.hpp>

#include <weir/record/pool.hpp>
#include "bench/measurements/sizes/live_bytes.hpp"
#include "bench/measurements/sizes/row.hpp"

namespace weir::sizes {

inline void check(bool holds, const std::string& who, const std::string& what) {
  if (!holds) throw std::runtime_error(who + " gave a wrong answer: " + what);
}

// A network in use: timed from its construction, fed by its own thread, read by the caller.
class trial {
 public:
  trial(std::string what, std::int64_t size, const std::function<weir::network()>& make, weir::options o = {}) {
    row_.what = std::move(what);
    row_.size = size;
    const long long before = live_bytes.load();
    const auto at = std::chrono::steady_clock::now();
    net_ = std::make_unique<weir::network>(make());
    row_.build_seconds = seconds_since(at);
    const auto then = std::chrono::steady_clock::now();
    run_ = std::make_unique<weir::execution>(weir::start(*net_, std::move(o)));
    row_.start_seconds = seconds_since(then);
    row_.made_bytes = live_bytes.load() - before;
  }

  long long made_bytes() const { return row_.made_bytes; }

  // Sends `count` records and reads `expected` results; the row has the time and memory of that.
  template <class Send, class See>
  row pass(const std::string& suffix, std::int64_t count, std::int64_t expected, Send send, See see) {
    row now = row_;
    now.what += suffix;
    now.records = count;
    const long long before = live_bytes.load();
    peak_bytes.store(before);
    const auto at = std::chrono::steady_clock::now();
    std::thread sender([&] {
      for (std::int64_t i = 0; i < count; ++i) send(*run_, i);
    });
    for (std::int64_t i = 0; i < expected; ++i) {
      if (begun_)
        ++results_;
      else
        results_ = run_->begin(), begun_ = true;
      if (results_ == run_->end()) break;
      see(*results_);
    }
    now.seconds = seconds_since(at);
    sender.join();
    now.bytes = peak_bytes.load() - before;
    now.blocks = weir::pool::live();
    return now;
  }

  // Closes the input and checks that no record was lost.
  weir::run_report finish(std::uint64_t still_held) {
    run_->close();
    if (begun_)
      ++results_;
    else
      results_ = run_->begin();
    check(results_ == run_->end(), row_.what, "more results than expected");
    weir::run_report r = run_->report();
    check(r.failed == 0 && r.dropped == 0, row_.what, "records failed or were dropped");
    check(r.held == still_held, row_.what, fmt::format("{} records held at the end", r.held));
    return r;
  }

 private:
  static double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  row row_;
  std::unique_ptr<weir::network> net_;
  std::unique_ptr<weir::execution> run_;
  weir::execution::iterator results_;
  bool begun_ = false;
};

}  // namespace weir::sizes
