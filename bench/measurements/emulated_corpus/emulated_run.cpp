#include "bench/measurements/emulated_corpus/emulated_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include <weir/weir.hpp>

#include "bench/support/host.hpp"
#include "bench/support/quantile.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::emulated_corpus {
namespace {

using clock = std::chrono::steady_clock;

clock::duration seconds_of(double s) {
  return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(s));
}

// Stops the run when its time is over, unless this object goes first.
class time_limit {
 public:
  time_limit(execution& run, double seconds)
      : thread_([this, &run, seconds] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, seconds_of(seconds), [&] { return over_; })) return;
          run.stop();
        }) {}
  ~time_limit() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  time_limit(const time_limit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

// Sends all documents without waiting, or each at its arrival time. Returns early when the run is stopped.
void send_all(execution& run, const trial& t, clock::time_point begin) {
  double due = 0;
  const std::size_t count = t.documents->size();
  for (std::size_t i = 0; i < count; ++i) {
    clock::time_point at{};
    if (t.rate > 0) {
      due -= std::log(weir::uniform(weir::mix(t.seed, i))) / t.rate;
      at = begin + seconds_of(due);
      std::this_thread::sleep_until(at);
    }
    run.send(number = static_cast<std::int64_t>(i), arrived = std::int64_t{at.time_since_epoch().count()});
  }
  run.close();
}

}  // namespace

int outcome::moves() const {
  return static_cast<int>(std::count_if(report.decisions.begin(), report.decisions.end(),
                                        [](const decision& d) { return !d.from.components.empty(); }));
}

outcome run_once(const trial& t, const std::string& name, const policy& rule) {
  page_log log;
  options how;
  how.policy = rule;
  how.machine = program::parse_machine(t.machine);
  execution run = start(documents_to_text(t.documents, t.how, log), how);
  const auto begin = clock::now();
  {
    const time_limit limit(run, t.most_seconds);
    std::thread sender([&] {
      try {
        send_all(run, t, begin);
      } catch (const send_error&) {  // it was stopped
      } catch (const run_error&) {   // the reader reports it
      }
    });
    std::exception_ptr failed;
    try {
      for (const record& shard : run) (void)shard;
    } catch (...) {
      failed = std::current_exception();
    }
    sender.join();
    if (failed) std::rethrow_exception(failed);
  }
  outcome o;
  o.policy = name;
  o.seconds = std::chrono::duration<double>(clock::now() - begin).count();
  o.pages = log.latencies.size();
  o.stopped = o.pages < pages_in(*t.documents);
  o.report = run.report();
  o.right =
      log.in_order && static_cast<std::size_t>(log.last + 1) == o.pages && (!o.stopped || o.seconds >= t.most_seconds);
  o.mean = std::accumulate(log.latencies.begin(), log.latencies.end(), 0.0) / static_cast<double>(o.pages);
  o.p50 = program::quantile(log.latencies, 0.5);
  o.p99 = program::quantile(log.latencies, 0.99);
  return o;
}

}  // namespace weir::emulated_corpus
