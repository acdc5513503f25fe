#include <weir/mpi/session.hpp>

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/version.hpp>

#include <weir/threads/primitives.hpp>
#include "runtime/mpi/arrival.hpp"
#include "runtime/mpi/communicator.hpp"
#include "runtime/mpi/link_probe.hpp"
#include "runtime/mpi/session_access.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail::mpi {
namespace {

threads::atomic<bool> there_is_one{false};

// The transport of the session that there is.
struct in_use {
  WEIR_LOCK(communicator) mutex;
  std::shared_ptr<communicator> one WEIR_GUARDED_BY(mutex);
};
in_use& of_process() {
  static auto* const of = new in_use;  // never destroyed: a session may be a static object
  return *of;
}
void set_in_use(std::shared_ptr<communicator> to) {
  in_use& of = of_process();
  const lock_guard lock(of.mutex);
  of.one.swap(to);
}

}  // namespace

class only_one {
 public:
  only_one() {
    if (there_is_one.exchange(true))
      throw std::logic_error("weir::mpi::session: there is one already; a process has one at a time");
  }
  ~only_one() { there_is_one.store(false); }
  only_one(const only_one&) = delete;
};

// Ends the process unless it is destroyed in time.
class deadline {
 public:
  explicit deadline(std::chrono::nanoseconds from_now) : at_(threads::clock::now() + from_now) {
    thread_ = threads::thread([this] { wait(); });
  }
  ~deadline() {
    {
      const lock_guard lock(mutex_);
      is_met_ = true;
      met_.notify_one();
    }
    thread_.join();
  }
  deadline(const deadline&) = delete;

 private:
  void wait() {
    unique_lock lock(mutex_);
    while (!is_met_)
      if (!met_.wait_until(lock, at_)) break;
    if (is_met_) return;
    std::fputs("weir::mpi: MPI_Finalize does not return; a rank has died in it, so this process ends as well\n",
               stderr);
    _exit(1);
  }

  WEIR_LOCK(communicator) mutex_;
  condition met_;
  bool is_met_ WEIR_GUARDED_BY(mutex_) = false;
  const threads::clock::time_point at_;
  threads::thread thread_;
};

// MPI, for as long as it is needed.
class library {
 public:
  explicit library(std::chrono::nanoseconds finalize_within) : finalize_within_(finalize_within) {
    int is_there = 0, is_over = 0, level = 0;
    MPI_Finalized(&is_over);
    if (is_over) throw std::logic_error("weir::mpi::session: MPI was finalised, and cannot be used again");
    MPI_Initialized(&is_there);
    if (is_there) {
      MPI_Query_thread(&level);
    } else {
      require_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
      is_ours_ = true;
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    if (level < MPI_THREAD_SERIALIZED) {
      if (is_ours_) MPI_Finalize();
      throw std::runtime_error(
          "weir::mpi::session: MPI was initialised for the program's threads alone; MPI_Init_thread is to be called "
          "with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
    }
  }
  ~library() {
    if (!is_ours_ || has_lost_) return;
    const deadline end(finalize_within_);
    MPI_Finalize();
  }
  library(const library&) = delete;

  void has_lost() { has_lost_ = true; }

 private:
  const std::chrono::nanoseconds finalize_within_;
  bool is_ours_ = false, has_lost_ = false;
};

namespace {

// The options of a session, as whole numbers that sums and products of a few of them do not overflow.
struct session_times {
  std::chrono::nanoseconds silence, finalize_within, begin_within;
};

session_times checked(const weir::mpi::session_options& o) {
  const auto whole = [](const char* option, std::chrono::duration<double> time) {
    if (!(time.count() > 0))  // nor for NaN
      throw std::invalid_argument("weir::mpi::session_options: " + std::string(option) + " is " + words_of_time(time) +
                                  ", expected more than 0");
    const std::chrono::duration<double> longest = std::chrono::years(10);
    return std::chrono::ceil<std::chrono::nanoseconds>(std::min(time, longest));
  };
  return {whole("silence", o.silence), whole("finalize_within", o.finalize_within),
          whole("begin_within", o.begin_within)};
}

introduction introduction_of(const session_times& o) {
  introduction own;
  const std::string_view version = linked_version();
  version.copy(own.version.data(), own.version.size() - 1);
  own.silence_ns = o.silence.count();
  own.process = process_ids::own();
  return own;
}

std::shared_ptr<communicator> communicator_on(MPI_Comm on, const session_times& o) {
  const std::vector<introduction> all = introduce(on, introduction_of(o), o.begin_within);
  const auto silence = agreed_silence(all);
  std::vector<process_ids::id> ids;
  for (const introduction& one : all) ids.push_back(one.process);
  const process_ids processes(std::move(ids));
  std::vector<remote::link_cost> links = measure_links(on, processes, silence);
  return std::make_shared<communicator>(on, processes, silence, most_patiences * silence, std::move(links));
}

}  // namespace
}  // namespace weir::detail::mpi

namespace weir::mpi {

struct session::state {
  explicit state(const session_options& o) : state(detail::mpi::checked(o)) {}
  explicit state(const detail::mpi::session_times& times) : mpi(times.finalize_within) {
    try {
      on = detail::mpi::own_communicator(times.begin_within);
      ranks = detail::mpi::communicator_on(on, times);
    } catch (...) {
      mpi.has_lost();  // others may wait for this rank, or be gone
      throw;
    }
    detail::mpi::set_in_use(ranks);
  }
  ~state() {
    detail::mpi::set_in_use(nullptr);
    if (ranks->leave())
      MPI_Comm_free(&on);
    else
      give_up();
  }

  void give_up() {
    mpi.has_lost();
    auto* const kept = new std::shared_ptr(ranks);  // MPI may still use its memory
    static_cast<void>(kept);
  }

  const detail::mpi::only_one one;
  detail::mpi::library mpi;
  MPI_Comm on = MPI_COMM_NULL;
  std::shared_ptr<detail::mpi::communicator> ranks;
};

session::session(session_options o) : state_(std::make_unique<state>(o)) {}
session::~session() = default;
int session::rank() const noexcept { return state_->ranks->rank(); }
int session::size() const noexcept { return state_->ranks->size(); }
std::vector<int> session::lost() const { return state_->ranks->lost(); }

}  // namespace weir::mpi

namespace weir::detail::mpi {

std::shared_ptr<remote::transport> transport_of_session() {
  in_use& of = of_process();
  const lock_guard lock(of.mutex);
  if (!of.one) throw std::logic_error("weir::mpi::start: there is no weir::mpi::session in this process");
  return of.one;
}

}  // namespace weir::detail::mpi
