#include "runtime/mpi/communicator.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

namespace weir::detail::mpi {
namespace {

// Batches under way to a rank. While all are, messages gather in the next batch, so batches grow when MPI is slow.
constexpr int most_batches_out = 4;

// Where messages come one by one, each is sent immediately. Where `stream_count` of them gathered while the thread did
// other things, they are a stream: then a batch that is not full waits until the one before is that old. MPI's cost of
// a small message is that of copying some tens of records.
constexpr std::size_t stream_count = 8;
constexpr std::chrono::nanoseconds least_gathers{1'000}, most_gathers{50'000};

constexpr std::chrono::milliseconds guard_interval{50};

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
  prctl(PR_SET_TIMERSLACK, 1000);  // ns: short sleeps are to be short
}

}  // namespace

communicator::communicator(MPI_Comm on, process_ids processes, std::chrono::steady_clock::duration silence,
                           std::chrono::steady_clock::duration begins_within, std::vector<remote::link_cost> links)
    : rank_(rank_on(on)),
      links_(std::move(links)),
      outbox_(size_of(on), rank_),
      requests_(on, calls_, silence / 5),  // as often as something is said
      liveness_(size_of(on), rank_, silence, begins_within, threads::clock::now(), std::move(processes)),
      polling_(threads::clock::now()) {
  for (int p = 0; p < size_of(on); ++p) peers_.emplace_back(p, requests_, tells_);
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

void communicator::ask(command what, remote::peer_listener* listener) {
  commands_.ask({what, listener}, [&] { outbox_.wake(); });
}

void communicator::open(remote::peer_listener& listener) {
  open_.begin(rank_);
  outbox_.unshut();
  ask(command::open, &listener);
}

void communicator::close() {
  if (!open_.begin_to_close()) return;
  outbox_.shut();
  ask(command::close);
  open_.end();
}

bool communicator::leave() {
  close();
  if (!std::exchange(has_left_, true)) {
    outbox_.tell(frame_kind::left);
    ask(command::leave);
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
  is_over_.set();
  guard_.join();
}

std::vector<int> communicator::lost() const {
  const lock_guard lock(mutex_);
  return lost_;
}

// ---- the guard's thread

void communicator::guard() noexcept {
  pthread_setname_np(pthread_self(), "weir-mpi-guard");
  // Counted in looks, so that a process that was stopped gives nothing up.
  const int most = static_cast<int>(std::clamp<std::int64_t>(liveness_.silence() / guard_interval, 1, INT_MAX));
  std::vector<int> ended;  // in the order in which they did
  while (!is_over_.wait_for(guard_interval)) {
    const bool gives_up = calls_.gives_up(most);
    if (calls_.checks() == 0) ended.clear();
    if (calls_.checks() > 1) liveness_.note_ended(ended);
    if (!gives_up) continue;
    stand_in(ended);
    do answer_alone();
    while (!is_over_.wait_for(guard_interval));
    return;
  }
}

// Opens and closes, now that no other rank is left.
void communicator::answer_alone() {
  const command_slot::asked asked = commands_.take();
  if (asked.what == command::none) return;  // one that is asked from here on is not done yet
  if (asked.what == command::open) {
    opening_.listener = asked.listener;
    each_peer([](int, peer& p) { p.is_told = false; });
    tell_of_lost();
  } else {
    tells_.wait_until_idle();
    opening_.listener = nullptr;
  }
  commands_.done();
}

// All are lost to this rank: first those whose process has ended meanwhile, the first of which is why MPI does not
// return; then by how long they were silent.
void communicator::stand_in(const std::vector<int>& ended) {
  is_stuck_ = true;
  for (const int r : ended) lose(r, peer_liveness::why_ended);
  std::vector<int> others;
  each_peer([&](int r, peer& p) {
    if (!p.is_lost) others.push_back(r);
  });
  liveness_.sort_by_silence(others);
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
      polling_.worked(now);
    else
      polling_.pause(now, requests_.has_parts(), size() == 1, outbox_);
  }
}

bool communicator::goes_on() {
  if (!is_leaving_ || !is_flushed()) return true;
  bool all_left = true;
  each_peer([&](int, peer& p) { all_left &= p.is_lost || p.in.has_left(); });
  if (!all_left) return true;
  commands_.done();
  return false;
}

// Carries out what other threads ask, as far as that can be done now. Returns whether it did something.
bool communicator::obey() {
  if (opening_.is_closing && is_flushed()) {
    opening_.is_closing = false;
    opening_.listener = nullptr;
    commands_.done();
    return true;
  }
  if (!commands_.is_new()) return false;
  const command_slot::asked asked = commands_.take();
  if (asked.what == command::open) {
    opening_.listener = asked.listener;
    commands_.done();
  } else if (asked.what == command::close) {
    opening_.is_closing = true;
    ++opening_.number;
  } else if (asked.what == command::leave) {
    is_leaving_ = true;
  }
  each_peer([&](int r, peer& p) {
    p.is_told = opening_.is_closing && p.is_told;
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
    p.in.advance(opening_.is_closing ? nullptr : opening_.listener, opening_.number);
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
  bool sent = false, gathers = false;
  each_peer([&](int to, peer& p) {
    while (!p.is_lost && p.batches_out < most_batches_out) {
      const std::size_t batches = outbox_.batches(to);
      if (batches == 0) break;
      if (batches == 1 && now - p.sent_at < p.gathers) {
        gathers = true;
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
      liveness_.said(to);
      sent = true;
    }
  });
  polling_.gathers(gathers);
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
      tells_.let_go(opening_.listener, std::move(o.keeps), o.whole);
      return;
    case operation::kind::batch_in:
      p.in.batch_arrived(o.bytes);
      break;
    case operation::kind::part_in:
      p.in.part_arrived(o.message);
      break;
  }
  liveness_.heard(o.peer);
  advance(o.peer);
  if (p.in.has_left()) tell_of_lost();
  for (const int r : std::exchange(p.in.lost_to_peer(), {})) {
    if (r < 0 || r >= size())
      return lose(o.peer, "its message cannot be read: it reports the loss of rank " + std::to_string(r) +
                              ", expected was 0 to " + std::to_string(size() - 1));
    const std::string teller = "rank " + std::to_string(o.peer) + " ";
    if (r == rank_)
      lose(o.peer, "it took this rank for lost");
    else
      lose(r, teller + "took it for lost");
  }
}

void communicator::look_after_peers(time now) {
  const peer_liveness::due due = liveness_.check(now);
  for (const int p : due.greet) {
    peer& to = peers_[static_cast<std::size_t>(p)];
    if (to.batches_out > most_batches_out) continue;  // its peer has not received the earlier ones
    ++to.batches_out;
    requests_.send_batch(p, {});
  }
  for (const int r : due.ended)
    if (!peers_[static_cast<std::size_t>(r)].in.has_left()) lose(r, peer_liveness::why_ended);
  for (const int r : due.silent) lose(r, liveness_.why_silent());
}

void communicator::lose(int r, const std::string& why) {
  peer& p = peers_[static_cast<std::size_t>(r)];
  if (p.is_lost) return;
  p.is_lost = true;
  p.why = why;
  liveness_.ignore(r);
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
  if (!opening_.listener || opening_.is_closing) return;
  each_peer([&](int r, peer& p) {
    const bool is_absent = p.in.is_absent(opening_.number);
    if ((p.is_lost || is_absent) && !std::exchange(p.is_told, true))
      tells_.lost(*opening_.listener, r, p.is_lost ? p.why : "it has ended without taking part");
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

}  // namespace weir::detail::mpi
