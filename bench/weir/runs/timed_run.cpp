#include "bench/weir/runs/timed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/support/interruption.hpp"

namespace weir::program {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Decides when records are sent: at the times of the workload if it has some. Else the objective says: as fast as they
// are taken, one when the last is out, or at random (Poisson) at a rate. The sender calls next(), the reader arrived()
// and stop().
class pace {
 public:
  pace(const workload& work, const objective& goal, std::uint64_t seed)
      : times_(work.due), goal_(goal), random_(seed), began_(now()), due_(began_) {}

  // Waits until the record may be sent; returns the moment from which its latency counts. At a rate, that is the moment
  // when the record was due, even if it is sent later.
  double next(std::size_t index) {
    if (times_.empty() && goal_ == objective::throughput) return now();
    std::unique_lock lock(mutex_);
    if (times_.empty() && goal_.rate() <= 0) {
      changed_.wait(lock, [&] { return arrived_ >= index || stopped_; });
      return now();
    }
    if (times_.empty())
      due_ += std::exponential_distribution<double>(goal_.rate())(random_);
    else
      due_ = began_ + times_[index];
    changed_.wait_for(lock, std::chrono::duration<double>(due_ - now()), [&] { return stopped_; });
    return due_;
  }
  void arrived() {
    if (goal_ == objective::throughput) return;
    const std::lock_guard lock(mutex_);
    ++arrived_;
    changed_.notify_one();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }

 private:
  const std::vector<double>& times_;
  const objective goal_;
  std::mt19937_64 random_;
  const double began_;
  double due_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  bool stopped_ = false;
};

// Collects times and results. Checks results on request, or when they take too much memory. Element i of the send times
// is written before record i is sent, and read with its result.
class collector {
 public:
  collector(const workload& work, timed_run& into)
      : work_(work), into_(into), sent_(work.records), arrived_(work.records, false) {
    into.latencies.reserve(work.records);
  }

  void sent(std::size_t index, double at) { sent_[index] = at; }

  // The same for an input that is taken now: false if there are no more, or the user interrupted.
  bool takes(std::size_t index) {
    if (index == work_.records || interruption::asked()) return false;
    sent(index, now());
    taken_ = index + 1;
    return true;
  }
  std::size_t taken() const { return taken_; }

  void take(record result) {
    last_ = now();
    const std::size_t index = work_.index_of(result);
    if (index >= arrived_.size() || arrived_[index])
      throw std::runtime_error(fmt::format("record {} came out twice, or was never sent", index));
    if (work_.in_order && index != into_.latencies.size())
      throw std::runtime_error(fmt::format("result {} is of record {}", into_.latencies.size(), index));
    arrived_[index] = true;
    into_.latencies.push_back(last_ - sent_[index]);
    if (!work_.is_right) return;
    kept_.push_back(std::move(result));
    bytes_ += work_.result_bytes(index);
    if (bytes_ > most_bytes) check();
  }

  void finish(std::size_t sent) {
    if (into_.latencies.size() != sent)
      throw std::runtime_error(fmt::format("{} records went in and {} came out", sent, into_.latencies.size()));
    if (sent == 0) return;
    into_.seconds = std::max(last_ - sent_.front(), 1e-9);
    check();
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

  void check() {
    for (const record& r : kept_) {
      ++into_.checked;
      if (!work_.is_right(r, work_.index_of(r))) ++into_.wrong;
    }
    kept_.clear();
    bytes_ = 0;
  }

  const workload& work_;
  timed_run& into_;
  std::vector<double> sent_;
  std::vector<bool> arrived_;
  std::size_t taken_ = 0;
  double last_ = 0;  // when the last result arrived
  std::vector<record> kept_;
  std::size_t bytes_ = 0;
};

// Sends from a thread of its own and reads here. Returns the number of records that were sent.
std::size_t send_and_read(const workload& work, execution& run, pace& next, collector& into,
                          const std::function<void()>& on_result) {
  std::size_t wanted = work.records;
  std::exception_ptr unsent;
  std::thread sender([&] {
    try {
      for (std::size_t i = 0; i < wanted; ++i) {
        if (interruption::asked()) {
          wanted = i;
          break;
        }
        record r = work.input(i);
        into.sent(i, next.next(i));
        run.send(std::move(r));
      }
      run.close();
    } catch (...) {
      unsent = std::current_exception();  // if the run ended early, the reader reports the reason
      run.stop();
    }
  });
  try {
    for (const record& r : run) {
      into.take(r);
      next.arrived();
      on_result();
    }
  } catch (...) {
    next.stop();
    run.stop();
    sender.join();
    throw;
  }
  sender.join();
  if (unsent) std::rethrow_exception(unsent);
  return wanted;
}

}  // namespace

double timed_run::mean_latency() const {
  return std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(latencies.size());
}

int timed_run::moves() const {
  return static_cast<int>(std::count_if(report.decisions.begin(), report.decisions.end(),
                                        [](const decision& d) { return !d.from.components.empty(); }));
}

double timed_run::cores_used() const { return mean_cores(report.decisions, seconds); }

timed_run time_in_weir(const workload& work, options how, const objective& goal, std::uint64_t seed,
                       const run_watchers& watchers, const rank_runs& ranks) {
  timed_run measured;
  collector into(work, measured);
  how.trace = watchers.trace;
  how.on_observation = [&](std::string_view, const observation& o) { measured.observations.push_back(o); };
  const auto take = [&](record r) {
    into.take(std::move(r));
    watchers.on_result();
  };
  const bool is_closed = work.closed && goal == objective::throughput;
  const network net = is_closed ? work.closed([&](std::size_t i) { return into.takes(i); }, take) : work.net;
  std::optional<execution> run = ranks.start(net, std::move(how));
  if (!run) return measured;
  if (watchers.on_start) watchers.on_start(*run);
  pace next(work, goal, seed);
  if (is_closed) run->wait();
  const std::size_t sent = is_closed ? into.taken() : send_and_read(work, *run, next, into, watchers.on_result);
  measured.report = run->report();
  measured.models = run->models();
  into.finish(sent);
  return measured;
}

timed_run time_without_weir(const workload& work, const work_without_weir& run_all,
                            const std::function<void()>& on_result) {
  timed_run measured;
  collector into(work, measured);
  run_all([&](std::size_t i) { return into.takes(i); },
          [&](record result) {
            into.take(std::move(result));
            on_result();
          });
  into.finish(into.taken());
  return measured;
}

std::set<std::string> notes_of(const std::vector<timed_run>& runs) {
  std::set<std::string> notes;
  for (const timed_run& r : runs) notes.insert(r.report.notes.begin(), r.report.notes.end());
  return notes;
}

std::vector<double> foreign_loads_of(const std::vector<timed_run>& runs) {
  std::vector<double> loads;
  for (const timed_run& r : runs) loads.push_back(r.report.foreign_load);
  return loads;
}

}  // namespace weir::program
