#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "runtime/remote/local_ranks.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/run/start_on.hpp"

namespace weir::testing {

// Tells of each message that a rank sends, and loses it where this throws message_lost.
struct message_lost {};
class watched_transport final : public detail::remote::transport {
 public:
  using watcher = std::function<void(int from, int to, detail::remote::topic what)>;
  watched_transport(transport& of, watcher told) : of_(of), told_(std::move(told)) {}
  int rank() const override { return of_.rank(); }
  int size() const override { return of_.size(); }
  void send(int to, detail::remote::message m) override {
    try {
      told_(rank(), to, static_cast<detail::remote::topic>(m.kind & ~detail::remote::with_blobs));
    } catch (const message_lost&) {
      return;
    }
    of_.send(to, std::move(m));
  }
  void open(detail::remote::peer_listener& listener) override { of_.open(listener); }
  void close() override { of_.close(); }

 private:
  transport& of_;
  const watcher told_;
};

// One network on several ranks of this process: rank 0 in the calling thread, each other in a thread of its own.
class several_ranks {
 public:
  using networks = std::function<network(int rank)>;

  several_ranks(int count, const networks& net, const std::function<options(int rank)>& how,
                std::optional<detail::remote::window_limits> limits = {},
                const watched_transport::watcher& told_of_messages = {})
      : all_(count), reports_(static_cast<std::size_t>(count)), errors_(static_cast<std::size_t>(count)) {
    const auto start = [=, this](int rank) {
      std::shared_ptr<detail::remote::transport> over(&all_.rank(rank), [](auto*) {});
      if (told_of_messages) over = std::make_shared<watched_transport>(all_.rank(rank), told_of_messages);
      const options o = how(rank);
      return detail::start_on(over, net(rank), o, limits.value_or(detail::limits_of(o)));
    };
    for (int rank = 1; rank < count; ++rank)
      threads_.emplace_back([=, this] {
        const auto at = static_cast<std::size_t>(rank);
        try {
          reports_[at] = start(rank).report;
        } catch (...) {
          errors_[at] = std::current_exception();
        }
      });
    try {
      run_ = std::move(start(0).run);
    } catch (...) {
      errors_[0] = std::current_exception();
    }
  }
  ~several_ranks() { finish(); }

  // Throws the exception of start() at rank 0.
  execution& run() {
    if (errors_[0]) std::rethrow_exception(errors_[0]);
    return *run_;
  }
  detail::remote::local_ranks& ranks() { return all_; }

  // Destroys the run, and waits for the other ranks.
  void finish() {
    run_.reset();
    for (std::thread& one : threads_) one.join();
    threads_.clear();
  }

  // After finish(): the results of rank r, or its error; "" if it threw nothing.
  const std::optional<run_report>& report_of(int r) const { return reports_[static_cast<std::size_t>(r)]; }
  std::string error_of(int r) const {
    try {
      if (errors_[static_cast<std::size_t>(r)]) std::rethrow_exception(errors_[static_cast<std::size_t>(r)]);
    } catch (const std::exception& thrown) {
      return thrown.what();
    }
    return "";
  }
  bool has_type_error(int r) const {
    try {
      if (errors_[static_cast<std::size_t>(r)]) std::rethrow_exception(errors_[static_cast<std::size_t>(r)]);
    } catch (const type_error&) {
      return true;
    } catch (...) {
    }
    return false;
  }

 private:
  detail::remote::local_ranks all_;
  std::vector<std::optional<run_report>> reports_;
  std::vector<std::exception_ptr> errors_;
  std::optional<execution> run_;
  std::vector<std::thread> threads_;
};

inline options two_cores(int) {
  options o;
  o.machine = machine::synthetic("core:2 pu:1");
  return o;
}

}  // namespace weir::testing
