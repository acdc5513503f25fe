#include "runtime/ranks/ranks.hpp"

#include <charconv>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "runtime/ranks/rank_report.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

using remote::topic;

namespace {

// Why this rank does not start: the exception that is handled, or about to be.
std::string why_not() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
  }
  return "it could not start";
}

failure of_lost_rank(std::string entity, std::string cause) {
  return {failure_kind::rank_lost, "", std::move(entity), "", std::move(cause)};
}

}  // namespace

ranks::ranks(std::shared_ptr<remote::transport> over, const network& net, std::string version,
             const remote::window_limits& limits)
    : over_(std::move(over)),
      session_(std::make_unique<remote::session>(*over_, net, std::move(version), limits)),
      others_(static_cast<std::size_t>(session_->ranks())) {}

ranks::~ranks() {
  if (!is_ready_) session_->refuse("it could not start");
  session_->close();
}

void ranks::ready(run_of_rank& of) {
  run_ = &of;
  session_->attach(*this);
  session_->ready();
  const lock_guard lock(mutex_);
  is_ready_ = true;
}

void ranks::drained() noexcept {
  if (rank() == 0) session_->tell_all(topic::drained);
  const lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void ranks::stopping(const std::optional<failure>& by) noexcept {
  bool was_told;
  {
    const lock_guard lock(mutex_);
    was_told = is_told_to_stop_ || !is_ready_ || run_->has_drained();
  }
  try {
    if (rank() == 0) {
      if (by && by->kind == failure_kind::rank_lost)
        session_->tell_all(topic::stopped, {by->entity, by->cause});
      else
        session_->tell_all(topic::stopped);
    } else if (by) {
      session_->tell(0, topic::broken, {by->path, by->entity, by->cause, std::to_string(by->rank)},
                     static_cast<std::uint64_t>(by->kind) + 1);
    } else if (!was_told) {  // by its own options
      session_->tell(0, topic::broken, {"", "rank " + std::to_string(rank()), "it was stopped", std::to_string(rank())},
                     static_cast<std::uint64_t>(failure_kind::rank_lost) + 1);
    }
  } catch (const std::bad_alloc&) {
  }
  const lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

void ranks::finish() noexcept {
  if (!is_ready_) session_->refuse(why_not());
  if (is_ready_ && rank() == 0) {
    const off_cores meanwhile;
    unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      for (std::size_t r = 1; r < others_.size(); ++r)
        if (!others_[r].has_ended && !others_[r].is_lost) return false;
      return true;
    });
  }
  session_->close();
}

void ranks::serve() {
  for (;;) {
    {
      unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_over_ || is_asked_ || is_told_to_stop_; });
      if (is_over_ || is_told_to_stop_) break;
      is_asked_ = false;
    }
    session_->tell(0, topic::report, {text_of(run_->report())});
  }
  if (!run_->has_drained()) run_->stop();
  run_->wind_down();
  session_->tell(0, topic::ended, {text_of(run_->report())});
}

std::vector<remote::link_cost> ranks::links() const {
  std::vector<remote::link_cost> all = over_->links();
  all.resize(others_.size());
  return all;
}

std::vector<std::optional<run_report>> ranks::reports() {
  constexpr auto patience = std::chrono::milliseconds(500);
  constexpr auto until_ended = std::chrono::seconds(5);  // after draining they have nothing left to do
  std::vector<std::optional<run_report>> all;
  const off_cores meanwhile;  // before the lock: a thread that leaves its cores runs what boxes left to oneTBB
  unique_lock lock(mutex_);
  if (rank() == 0 && is_ready_) {
    std::vector<std::uint64_t> before;
    for (const other& o : others_) before.push_back(o.reports);
    if (!is_over_) {
      lock.unlock();
      session_->tell_all(topic::ask);
      lock.lock();
    }
    const auto all_said = [&] {
      for (std::size_t r = 1; r < others_.size(); ++r) {
        const other& o = others_[r];
        if (!o.has_ended && !o.is_lost && (is_over_ || o.reports == before[r])) return false;
      }
      return true;
    };
    const bool has_drained = run_->has_drained();
    const auto until = threads::clock::now() + (has_drained ? threads::clock::duration(until_ended) : patience);
    while (!all_said() && changed_.wait_until(lock, until)) {
    }
  }
  for (const other& o : others_) {
    all.push_back(o.last);
    // Its earlier counts do not add up with the final counts of the others.
    if (is_over_ && !o.has_ended && all.back()) clear_record_counts(*all.back());
  }
  return all;
}

void ranks::told(int from, topic what, remote::rank_message&& p) {
  switch (what) {
    case topic::ask: {
      const lock_guard lock(mutex_);
      is_asked_ = true;
      break;
    }
    case topic::report:
    case topic::ended: {
      std::optional<run_report> r;
      if (!p.texts.empty()) r = report_of_text(p.texts.front());
      const lock_guard lock(mutex_);
      other& o = others_[static_cast<std::size_t>(from)];
      if (r) o.last = std::move(r);
      ++o.reports;
      o.has_ended = o.has_ended || what == topic::ended;
      break;
    }
    case topic::drained:
      run_->close();
      return;
    case topic::stopped: {  // which may run functions of the user's
      if (p.texts.size() == 2) {
        run_->end_by(of_lost_rank(p.texts[0], p.texts[1]));
        return;
      }
      const lock_guard lock(mutex_);
      is_told_to_stop_ = true;
      break;
    }
    case topic::broken:
      if (!p.items.empty() && p.texts.size() == 4) {
        failure f{remote::kind_of(p.items.front().first - 1), p.texts[0], p.texts[1], "", p.texts[2]};
        const std::string& rank = p.texts[3];
        std::from_chars(rank.data(), rank.data() + rank.size(), f.rank);
        run_->end_by(std::move(f));
      }
      return;
    default:
      return;
  }
  changed_.notify_all();
}

void ranks::lost(int rank, const std::string& why) {
  {
    const lock_guard lock(mutex_);
    other& o = others_[static_cast<std::size_t>(rank)];
    o.is_lost = true;
    changed_.notify_all();
    if (o.has_ended || is_over_) return;
  }
  if (session_->goes_on_without(rank)) {
    if (this->rank() == 0)
      run_->note("rank " + std::to_string(rank) + " was lost, " + why + ": others run its branches");
    return;
  }
  run_->end_by(of_lost_rank("rank " + std::to_string(rank), why));
}

}  // namespace weir::detail
