#include "bench/weir/matmul/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <thread>

#include "bench/support/interruption.hpp"

namespace weir::command {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Keeps results and checks them on request, or when they take too much memory.
class checker {
 public:
  checker(const workload& work, const std::vector<std::int64_t>& inputs, measured_run& into)
      : work_(work), inputs_(inputs), into_(into), is_there_(inputs.size()) {}

  // Gives the index of the record that the result is of.
  std::size_t take(const record& result) {
    const std::int64_t index = work_.index_of(result);
    if (!work_.mixes_order && index != static_cast<std::int64_t>(seen_))
      throw std::runtime_error(fmt::format("result {} is of record {}", seen_, index));
    if (is_there_.at(static_cast<std::size_t>(index)))
      throw std::runtime_error(fmt::format("record {} has two results", index));
    is_there_[static_cast<std::size_t>(index)] = true;
    ++seen_;
    if (!work_.is_right) return static_cast<std::size_t>(index);
    kept_.push_back(result);
    bytes_ += work_.result_bytes(size_of(index));
    if (bytes_ > most_bytes) check();
    return static_cast<std::size_t>(index);
  }

  void check() {
    for (const record& r : kept_) {
      const std::int64_t index = work_.index_of(r);
      ++into_.products;
      if (!work_.is_right(r, size_of(index), index)) ++into_.wrong;
    }
    kept_.clear();
    bytes_ = 0;
  }

  std::size_t seen() const { return seen_; }

 private:
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;

  std::int64_t size_of(std::int64_t index) const { return inputs_[static_cast<std::size_t>(index)]; }

  const workload& work_;
  const std::vector<std::int64_t>& inputs_;
  measured_run& into_;
  std::vector<bool> is_there_;  // a result of each record
  std::vector<record> kept_;
  std::size_t bytes_ = 0;
  std::size_t seen_ = 0;
};

}  // namespace

measured_run measure(const workload& work, const matmul_plan& plan, const named_policy& chosen,
                     const std::map<std::string, saved_model>& prior, const run_watchers& watchers,
                     const rank_runs& ranks) {
  measured_run measured;
  measured.policy = chosen.text;
  measured.latencies.reserve(plan.inputs.size());
  std::vector<double> sent(plan.inputs.size());  // element i is written before record i is sent, and read with its
                                                 // result
  checker results(work, plan.inputs, measured);

  options how;
  how.policy = chosen.rule;
  how.machine = plan.machine;
  how.estimator = plan.estimator;
  how.prior_models = prior;
  how.learn_from = measured.learnt_from = plan.time;
  how.on_observation = [&](std::string_view, const observation& o) { measured.observations.push_back(o); };
  how.trace = watchers.trace;
  std::optional<execution> started = ranks.start(work.net, how);
  if (!started) return measured;
  execution& run = *started;
  if (watchers.on_start) watchers.on_start(run);

  std::exception_ptr unsent;
  std::size_t wanted = plan.inputs.size();
  std::thread sender([&] {
    try {
      for (std::size_t i = 0; i < wanted; ++i) {
        if (interruption::asked()) {
          wanted = i;
          break;
        }
        record r = work.input(plan.inputs[i], static_cast<std::int64_t>(i));
        sent[i] = now();
        run.send(std::move(r));
      }
      run.close();
    } catch (...) {
      unsent = std::current_exception();  // if the run ended early, the reader reports the reason
      run.stop();
    }
  });
  double last = 0;
  try {
    for (const record& r : run) {
      last = now();
      measured.latencies.push_back(last - sent[results.take(r)]);
      watchers.on_result();
    }
  } catch (...) {
    run.stop();
    sender.join();
    throw;
  }
  sender.join();
  if (unsent) std::rethrow_exception(unsent);
  if (results.seen() != wanted)
    throw std::runtime_error(fmt::format("{} records went in and {} came out", wanted, results.seen()));
  measured.seconds = std::max(last - sent.front(), 1e-9);
  measured.report = run.report();
  measured.models = run.models();
  results.check();
  return measured;
}

}  // namespace weir::command
