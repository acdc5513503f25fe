#include "runtime/mpi/communicator.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/mpi/nap.hpp"

namespace weir::detail::mpi {
namespace {
using namespace std::chrono_literals;

// Batches under way to a rank. While all are, what is sent gathers in the next, so batches grow when MPI is slow.
constexpr int most_batches_out = 4;

// Where messages come one by one, each is sent immediately. Where so many of them gathered while the thread did other
// things, they are a stream: then a batch that is not full is sent only so long after the one before. MPI's cost of a
// small message is that of copying some tens of records.
constexpr std::size_t stream_count = 8;
constexpr std::chrono::nanoseconds least_gathers = 1us, most_gathers = 50us;

constexpr std::chrono::microseconds alone_nap = 1h;  // it is woken when it is to end

constexpr const char* has_ended_text = "its process has ended";

int rank_on(MPI_Comm on) {
  int rank = 0;
  MPI_Comm_rank(on, &rank);
  return rank;
}

int size_of(MPI_Comm on) {
  int size = 1;
  MPI_Comm_size(on, &size);
  return size;
}

void begin_thread() noexcept {
  pthread_setname_np(pthread_self(), "weir-mpi");
  prctl(PR_SET_TIMERSLACK, 1000);  // ns: short naps are to be short
}

}  // namespace

communicator::communicator(MPI_Comm on, process_ids processes, std::chrono::steady_clock::duration silence,
                           std::chrono::steady_clock::duration begins_within, std::vector<remote::link_cost> links)
    : rank_(rank_on(on)),
      size_(size_of(on)),
      silence_(silence),
      links_(std::move(links)),
      processes_(std::move(processes)),
      outbox_(size_, rank_),
      requests_(on, calls_, silence / 5),  // as often as something is said
      watch_(size_, rank_, silence, threads::clock::now(), begins_within),
      worked_at_(threads::clock::now()) {
  for (int p = 0; p < size_; ++p) peers_.emplace_back(p, requests_, tells_);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's threads
  try {
    guard_ = threads::thread([this] { guard(); });
    thread_ = threads::thread([this] { run(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    end_guard();
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// ---- what other threads call

void communicator::ask(asked what) {
  unique_lock lock(mutex_);
  asked_ = what;
  is_asked_.store(true, std::memory_order_relaxed);
  outbox_.wake();
  done_.wait(lock, [&]() WEIR_NOT_ANALYSED { return asked_ == asked::nothing; });
}

void communicator::open(remote::peer_listener& listener) {
  open_.begin(rank_);
  {
    const lock_guard lock(mutex_);
    listener_to_open_ = &listener;
  }
  outbox_.unshut();
  ask(asked::to_open);
}

void communicator::close() {
  if (!open_.begin_to_close()) return;
  outbox_.shut();
  ask(asked::to_close);
  open_.end();
}

bool communicator::leave() {
  close();
  if (!std::exchange(has_left_, true)) {
    outbox_.tell(frame_kind::left);
    ask(asked::to_leave);
    end_guard();
    if (is_stuck_) {
      thread_.detach();
    } else {
      thread_.join();
      requests_.end();
    }
    tells_.end();
  }
  return lost().empty();
}

void communicator::end_guard() {
  if (!guard_.joinable()) return;
  {
    const lock_guard lock(mutex_);
    is_over_ = true;
    over_.notify_all();
  }
  guard_.join();
}

std::vector<int> communicator::lost() const {
  const lock_guard lock(mutex_);
  return lost_;
}

// ---- the guard's thread

void communicator::guard() noexcept {
  pthread_setname_np(pthread_self(), "weir-mpi-guard");
  constexpr auto look = 50ms;
  // Counted in looks, so that a process that was stopped gives nothing up.
  const int most = std::max(1, static_cast<int>(silence_ / look));
  std::vector<int> ended;
  unique_lock lock(mutex_);
  while (!is_over_) {
    over_.wait_until(lock, threads::clock::now() + look);
    if (is_over_) break;
    const bool gives_up = calls_.gives_up(most);
    if (calls_.looks() == 0) ended.clear();
    if (calls_.looks() > 1) note_ended(ended);
    if (!gives_up) continue;
    lock.unlock();
    stand_in(ended);
    lock.lock();
    while (!is_over_) {  // answers open() and close(), now that no other rank is left
      if (asked_ == asked::to_open) {
        listener_ = listener_to_open_;
        lock.unlock();
        each_peer([](int, peer& p) { p.is_told = false; });
        tell_of_lost();
        lock.lock();
      } else if (asked_ != asked::nothing) {
        lock.unlock();
        tells_.wait_until_idle();
        listener_ = nullptr;
        lock.lock();
      }
      asked_ = asked::nothing;
      done_.notify_all();
      over_.wait_until(lock, threads::clock::now() + look);
    }
  }
}

// Ranks whose processes have ended, in the order in which they did.
void communicator::note_ended(std::vector<int>& ended) const {
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && std::find(ended.begin(), ended.end(), r) == ended.end() && processes_.has_ended(r))
      ended.push_back(r);
}

// All are lost to this rank: first those whose process has ended meanwhile, the first of which is why MPI does not
// return; then by how long they were silent.
void communicator::stand_in(const std::vector<int>& ended) {
  is_stuck_ = true;
  for (const int r : ended) lose(r, has_ended_text);
  std::vector<int> others;
  each_peer([&](int r, peer& p) {
    if (!p.is_lost) others.push_back(r);
  });
  std::stable_sort(others.begin(), others.end(),
                   [&](int a, int b) { return watch_.silence_of(a) > watch_.silence_of(b); });
  for (const int r : others) lose(r, "MPI does not return, since a connection broke");
}

// ---- the communicator's thread

void communicator::run() noexcept {
  begin_thread();
  each_peer([](int, peer& p) { p.in.begin(); });
  while (goes_on()) {
    const time now = threads::clock::now();
    bool worked = obey();
    worked |= send_waiting(now);
    worked |= take_answers();
    worked |= receive();
    look_after_peers(now);
    if (worked)
      worked_at_ = now;
    else
      rest(now);
  }
}

bool communicator::goes_on() {
  if (!is_leaving_ || !is_flushed()) return true;
  bool all_left = true;
  each_peer([&](int, peer& p) { all_left &= p.is_lost || p.in.has_left(); });
  if (!all_left) return true;
  const lock_guard lock(mutex_);
  asked_ = asked::nothing;
  done_.notify_all();
  return false;
}

// What was asked for, as far as it can be done now. Whether something was.
bool communicator::obey() {
  if (is_closing_ && is_flushed()) {
    is_closing_ = false;
    listener_ = nullptr;
    const lock_guard lock(mutex_);
    asked_ = asked::nothing;
    done_.notify_all();
    return true;
  }
  if (!is_asked_.load(std::memory_order_relaxed)) return false;
  {
    const lock_guard lock(mutex_);
    is_asked_.store(false, std::memory_order_relaxed);
    switch (asked_) {
      case asked::to_open:
        listener_ = listener_to_open_;
        asked_ = asked::nothing;
        done_.notify_all();
        break;
      case asked::to_close:
        is_closing_ = true;
        ++opening_;  // what comes from now on is dropped, or waits for the next opening
        break;
      case asked::to_leave:
        is_leaving_ = true;
        break;
      case asked::nothing:
        break;
    }
  }
  each_peer([&](int r, peer& p) {
    p.is_told = is_closing_ && p.is_told;
    advance(r);
  });
  tell_of_lost();
  return true;
}

// Takes what a peer sent apart, as far as it has come. placed: where blobs of it go.
void communicator::advance(int r, const deliveries::answer* placed) {
  peer& p = peers_[static_cast<std::size_t>(r)];
  if (p.is_lost) return;
  try {
    if (placed) p.in.placed(placed->message, placed->where);
    p.in.advance(is_closing_ ? nullptr : listener_, opening_);
  } catch (const std::exception& why) {
    lose(r, std::string("its message cannot be read: ") + why.what());
  }
}

bool communicator::take_answers() {
  if (!tells_.has_answers()) return false;
  for (const deliveries::answer& a : tells_.answers()) advance(a.from, &a);
  return true;
}

bool communicator::send_waiting(time now) {
  bool sent = false;
  is_gathering_ = false;
  each_peer([&](int to, peer& p) {
    while (!p.is_lost && p.batches_out < most_batches_out) {
      const std::size_t batches = outbox_.batches(to);
      if (batches == 0) break;
      if (batches == 1 && now - p.sent_at < p.gathers) {
        is_gathering_ = true;
        break;
      }
      batch next = outbox_.take(to);
      p.sent_at = now;
      p.gathers = next.count >= stream_count ? std::clamp(p.gathers * 2, least_gathers, most_gathers) : p.gathers / 2;
      ++p.batches_out;
      const batch_head head{requests_.piece_bytes(to)};
      std::memcpy(next.frames.data(), &head, sizeof head);
      requests_.send_batch(to, std::move(next.frames));
      for (remote::blob& b : next.blobs)
        p.parts_out += static_cast<int>(requests_.send_part(to, b.bytes, std::move(b.keeps), head.piece_bytes));
      watch_.said(to);
      sent = true;
    }
  });
  return sent;
}

bool communicator::receive() {
  bool worked = false;
  for (operation& o : requests_.poll()) {
    worked |= !o.is_sign_of_life();
    completed(o);
  }
  return worked;
}

void communicator::completed(operation& o) {
  peer& p = peers_[static_cast<std::size_t>(o.peer)];
  if (p.is_lost) return;
  if (o.error != MPI_SUCCESS) return lose(o.peer, "MPI failed: " + text_of(o.error));
  switch (o.what) {
    case operation::kind::batch_out:
      --p.batches_out;
      outbox_.reuse(std::move(o.frames));
      return;
    case operation::kind::part_out:
      --p.parts_out;
      tells_.let_go(listener_, std::move(o.keeps), o.whole);
      return;
    case operation::kind::batch_in:
      p.in.batch_arrived(o.bytes);
      break;
    case operation::kind::part_in:
      p.in.part_arrived(o.message);
      break;
  }
  watch_.heard(o.peer);
  advance(o.peer);
  if (p.in.has_left()) tell_of_lost();
  for (const int r : std::exchange(p.in.lost_to_peer(), {})) {
    if (r < 0 || r >= size_)
      return lose(o.peer, "its message cannot be read: it reports the loss of rank " + std::to_string(r) +
                              ", expected was 0 to " + std::to_string(size_ - 1));
    const std::string teller = "rank " + std::to_string(o.peer) + " ";
    if (r == rank_)
      lose(o.peer, "it took this rank for lost");
    else
      lose(r, teller + "took it for lost");
  }
}

void communicator::look_after_peers(time now) {
  const failure_watch::due& due = watch_.look(now);
  for (const int p : due.greet) {
    peer& to = peers_[static_cast<std::size_t>(p)];
    if (to.batches_out > most_batches_out) continue;  // its peer has not received the earlier ones
    ++to.batches_out;
    requests_.send_batch(p, {});
  }
  if (now - processes_looked_at_ >= 100ms) {  // a call to the system for each
    processes_looked_at_ = now;
    each_peer([&](int r, peer& p) {
      if (!p.is_lost && !p.in.has_left() && processes_.has_ended(r)) lose(r, has_ended_text);
    });
  }
  for (const int p : due.lost) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(silence_).count();
    lose(p, "it has said nothing for " + std::to_string(ms) + " ms");
  }
}

void communicator::lose(int r, const std::string& why) {
  peer& p = peers_[static_cast<std::size_t>(r)];
  if (p.is_lost) return;
  p.is_lost = true;
  p.why = why;
  watch_.ignore(r);
  if (auto unsent = outbox_.lose(r); !unsent.empty())
    tells_.let_go(nullptr, std::make_shared<std::deque<batch>>(std::move(unsent)), 0);
  if (!is_stuck_) {  // else MPI is in the midst of them
    requests_.give_up(r);
    p.in.give_up();
  }
  outbox_.tell(frame_kind::lost, r);
  {
    const lock_guard lock(mutex_);
    lost_.push_back(r);
  }
  tell_of_lost();
}

void communicator::tell_of_lost() {
  if (!listener_ || is_closing_) return;
  each_peer([&](int r, peer& p) {
    const bool is_absent = p.in.is_absent(opening_);
    if ((p.is_lost || is_absent) && !std::exchange(p.is_told, true))
      tells_.lost(*listener_, r, p.is_lost ? p.why : "it has ended without taking part");
  });
}

// Whether nothing is under way to a peer that lives, or to the listener.
bool communicator::is_flushed() {
  bool all = tells_.is_idle() && !tells_.has_answers();
  each_peer([&](int to, peer& p) {
    all &= p.is_lost || (outbox_.batches(to) == 0 && p.batches_out == 0 && p.parts_out == 0 && !p.in.owes());
  });
  return all;
}

void communicator::rest(time now) {
  if (is_gathering_) {  // the core is better used by who sends
    const timespec brief{0, std::chrono::nanoseconds(first_nap).count()};
    nanosleep(&brief, nullptr);
    return;
  }
  const auto idle = std::chrono::duration_cast<std::chrono::microseconds>(now - worked_at_);
  const auto nap = nap_after(idle, requests_.has_parts());
  if (!nap) return threads::yield();
  outbox_.sleep(size_ == 1 ? alone_nap : *nap);
}

}  // namespace weir::detail::mpi
