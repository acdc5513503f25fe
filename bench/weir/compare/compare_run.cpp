#include "bench/weir/compare/compare_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>

#include "bench/support/interruption.hpp"
#include "model/named/estimators.hpp"
#include "runtime/run/execution.hpp"

namespace weir::command {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Decides when records are sent, by objective: as fast as they are taken, one when the last is out, or at random
// (Poisson) at a rate. The sender calls next(), the reader came() and end().
class pace {
 public:
  pace(const objective& goal, std::uint64_t seed) : goal_(goal), random_(seed), due_(now()) {}

  // Waits until the record may be sent; returns the moment from which its latency counts. At a rate, that is the moment
  // when the record was due, even if it is sent later.
  double next(std::size_t index) {
    if (goal_ == objective::throughput) return now();
    std::unique_lock lock(mutex_);
    if (goal_.rate() <= 0) {
      changed_.wait(lock, [&] { return came_ >= index || ended_; });
      return now();
    }
    due_ += std::exponential_distribution<double>(goal_.rate())(random_);
    changed_.wait_for(lock, std::chrono::duration<double>(due_ - now()), [&] { return ended_; });
    return due_;
  }
  void came() {
    const std::lock_guard lock(mutex_);
    ++came_;
    changed_.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }

 private:
  const objective goal_;
  std::mt19937_64 random_;
  double due_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t came_ = 0;
  bool ended_ = false;
};

// Collects times and results. Checks results on request, or when they take too much memory. Element i of the send times
// is written before record i is sent, and read with its result.
class collector {
 public:
  collector(const compared_workload& work, compared_run& into)
      : work_(work), into_(into), sent_(work.records), came_(work.records, false) {
    into.latencies.reserve(work.records);
  }

  void sent(std::size_t index, double at) { sent_[index] = at; }

  void take(record result) {
    last_ = now();
    const std::size_t index = work_.index_of(result);
    if (index >= came_.size() || came_[index])
      throw std::runtime_error(fmt::format("record {} came out twice, or was never sent", index));
    came_[index] = true;
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

  const compared_workload& work_;
  compared_run& into_;
  std::vector<double> sent_;
  std::vector<bool> came_;
  double last_ = 0;  // when the last result came
  std::vector<record> kept_;
  std::size_t bytes_ = 0;
};

// Says when each input of a run is taken, and whether it is: until there are no more, or the user interrupts. Called by
// one thread at a time.
class input_count {
 public:
  input_count(const compare_plan& plan, collector& into) : plan_(plan), into_(into) {}
  input_count(const input_count&) = delete;

  bool operator()(std::size_t index) {
    if (index == plan_.work.records || interruption::asked()) return false;
    into_.sent(index, now());
    ++count_;
    return true;
  }
  std::size_t count() const { return count_; }

 private:
  const compare_plan& plan_;
  collector& into_;
  std::size_t count_ = 0;
};

void run_in_weir(const compare_plan& plan, const policy& rule, const std::optional<tracer>& trace,
                 compared_run& measured, const std::function<void()>& on_result) {
  options how;
  how.policy = rule;
  how.machine = plan.machine;
  how.estimator = plan.estimator;
  how.trace = trace;
  how.on_observation = [&](std::string_view, const observation& o) { measured.observations.push_back(o); };
  collector into(plan.work, measured);
  const auto report = [&](const execution& run, std::size_t sent) {
    measured.report = run.report();
    const auto models = run.models();
    for (const std::string& name : measured.report.names) measured.degrees.push_back(models.at(name).degree);
    into.finish(sent);
  };

  std::size_t wanted = plan.work.records;
  if (plan.work.closed && plan.goal == objective::throughput) {
    input_count sent(plan, into);
    execution run = start(plan.work.closed(std::ref(sent),
                                           [&](record r) {
                                             into.take(std::move(r));
                                             on_result();
                                           }),
                          how);
    run.wait();
    return report(run, sent.count());
  }

  execution run = start(plan.work.net, how);
  pace next(plan.goal, plan.seed);
  std::exception_ptr unsent;
  std::thread sender([&] {
    try {
      for (std::size_t i = 0; i < wanted; ++i) {
        if (interruption::asked()) {
          wanted = i;
          break;
        }
        record r = plan.work.input(i);
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
      next.came();
      on_result();
    }
  } catch (...) {
    next.end();
    run.stop();
    sender.join();
    throw;
  }
  sender.join();
  if (unsent) std::rethrow_exception(unsent);
  report(run, wanted);
}

}  // namespace

int compared_run::moves() const {
  return static_cast<int>(std::count_if(report.decisions.begin(), report.decisions.end(),
                                        [](const decision& d) { return !d.from.components.empty(); }));
}

double compared_run::cores_used() const { return mean_cores(report.decisions, seconds); }

compared_run run_compared(const compare_plan& plan, const compared_policy& chosen, const std::optional<tracer>& trace,
                          const std::function<void()>& on_result) {
  compared_run measured;
  measured.name = chosen.name;
  measured.text = chosen.text;
  if (chosen.rule) {
    run_in_weir(plan, *chosen.rule, trace, measured, on_result);
    return measured;
  }
  collector into(plan.work, measured);
  input_count sent(plan, into);
  plan.work.free_for_all(plan.machine.size(), std::ref(sent), [&](record result) {
    into.take(std::move(result));
    on_result();
  });
  into.finish(sent.count());
  return measured;
}

std::vector<double> foresight_errors(const compare_plan& plan, const compared_run& run) {
  std::vector<std::unique_ptr<estimator>> models;
  for (const int k : run.degrees) models.push_back(make_estimator(plan.estimator, degree{k}));
  const measured_time learnt_from = options().learn_from;  // as in the run
  std::vector<double> errors;
  for (const observation& o : run.observations) {
    if (!is_usable(o)) continue;
    observation learnt = o;
    learnt.seconds = cost_of(o, learnt_from);
    const double error =
        100 * std::abs(models[o.component]->predict(o.x, o.cores).mean - learnt.seconds) / learnt.seconds;
    if (std::isfinite(error)) errors.push_back(error);
    models[o.component]->observe(learnt);
  }
  return errors;
}

}  // namespace weir::command
