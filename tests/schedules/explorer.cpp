#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <sstream>

#include "tests/schedules/controlled.hpp"
#include "tests/schedules/places.hpp"

namespace weir::testing {
namespace {

constexpr double of_a_step = 20e-9;  // seconds of virtual time

bool writes(operation o) {
  return o == operation::store || o == operation::change || o == operation::unlock || o == operation::notify ||
         o == operation::wait;
}

// A thread counts as ended after the destructors of its thread-local objects, which may use locks. A destructor of a
// pthread key says so: it runs after those of C++, and in the third round after the others of its kind.
void end_of_thread(void* thread);
const pthread_key_t last_of_thread = [] {
  pthread_key_t key;
  if (pthread_key_create(&key, &end_of_thread) != 0) std::abort();
  return key;
}();
void end_of_thread(void* thread) {
  auto& t = *static_cast<controlled_thread*>(thread);
  if (++t.rounds < 3)
    pthread_setspecific(last_of_thread, &t);
  else
    current->end(t);
}

}  // namespace

schedule_run explorer::run(const std::function<void()>& program) {
  controlled_thread& root = add([&] {
    try {
      program();
    } catch (const std::exception& e) {
      exploring = true;
      fail(std::string("the program threw: ") + e.what());
    }
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i]->is_detached) join(*threads_[i], nullptr);
    for (const auto& t : threads_)
      if (t.get() != self && !t->finished) fail("the program ended and left threads running");
  });
  root.turn.release();
  over_.acquire();
  for (const auto& t : threads_)
    if (t->native.joinable()) t->native.join();
  done_.seconds = seconds_ - 1;
  return std::move(done_);
}

controlled_thread& explorer::add(std::function<void()> body) {
  const in_explorer allocations;
  auto made = std::make_unique<controlled_thread>();
  controlled_thread& t = *made;
  t.number = static_cast<int>(threads_.size());
  t.priority = static_cast<std::int64_t>(below(1u << 30)) + 1;
  threads_.push_back(std::move(made));
  t.native = std::thread([this, &t, body = std::move(body)] {
    t.turn.acquire();
    self = &t;
    take_over(t);
    body();
    pthread_setspecific(last_of_thread, &t);
  });
  return t;
}

// Lets another thread go on, or this one if it may. Returns when this one is chosen again.
void explorer::go_on(controlled_thread& me, bool may_stay) {
  ++done_.steps;
  done_.writes += writes(me.doing);
  seconds_ += of_a_step;
  if (done_.steps > bounds_.steps) fail("no end after " + std::to_string(bounds_.steps) + " steps");
  if (seconds_ - 1 > bounds_.seconds)
    fail("no end after " + std::to_string(bounds_.seconds) + " seconds of virtual time");
  controlled_thread* const to = choose(me, may_stay);
  if (to == &me) return;
  hand_over(me, *to);
}

controlled_thread* explorer::choose(controlled_thread& me, bool may_stay) {
  // Most steps of a random walk stay where they are: then who else could go on is of no interest.
  if (plan_.how == strategy::random_walk && may_stay && me.doing != operation::spin && below(one_in_) != 0) {
    me.spins = 0;
    return &me;
  }
  std::vector<controlled_thread*>& open = open_;
  for (;;) {
    open.clear();
    for (const auto& t : threads_)
      if (t.get() != &me && can_run(*t)) open.push_back(t.get());
    const bool stays = may_stay || (!me.finished && can_run(me));
    if (plan_.how == strategy::given) {
      std::uint32_t bits = 0;
      for (const controlled_thread* t : open)
        if (t->number < 32) bits |= 1u << t->number;
      if (done_.open.size() <= done_.steps) done_.open.resize(done_.steps + 1);
      done_.open[done_.steps] = bits;
    }
    if (open.empty() && stays) return &me;
    if (!open.empty()) return by_plan(me, stays, open);
    double next = forever;
    for (const auto& t : threads_)
      if (!t->finished && t->waits_for) next = std::min(next, t->until);
    if (next == forever) fail("all threads wait");
    seconds_ = std::max(seconds_, next);
    if (seconds_ - 1 > bounds_.seconds)
      fail("no end after " + std::to_string(bounds_.seconds) + " seconds of virtual time");
  }
}

// `open`: other threads that can run, at least one.
controlled_thread* explorer::by_plan(controlled_thread& me, bool may_stay,
                                     const std::vector<controlled_thread*>& open) {
  // A thread that spins for another lets it continue: the first time, or in half of the schedules so late that it may
  // have given up first.
  me.spins = me.doing == operation::spin && !me.waits_for ? me.spins + 1 : 0;
  const bool spins = me.spins > (plan_.how == strategy::given ? 0 : patience_);
  controlled_thread* to = &me;
  switch (plan_.how) {
    case strategy::random_walk:
      if (may_stay && me.doing == operation::spin && !spins && below(one_in_) != 0) return &me;
      to = open[below(open.size())];
      break;
    case strategy::priorities:
    case strategy::writes:
      for (std::size_t i = 0; i < drops_.size(); ++i)
        if (plan_.how == strategy::priorities ? drops_[i] == done_.steps
                                              : drops_[i] == done_.writes && writes(me.doing))
          me.priority = -1 - static_cast<std::int64_t>(i);
      if (spins) me.priority = --lowest_ - static_cast<std::int64_t>(drops_.size()) - 1;
      to = *std::max_element(open.begin(), open.end(), [](auto* a, auto* b) { return a->priority < b->priority; });
      if (may_stay && me.priority > to->priority) to = &me;
      break;
    case strategy::given: {
      const auto at = std::find_if(plan_.deviations.begin(), plan_.deviations.end(),
                                   [&](const deviation& d) { return d.step == done_.steps; });
      if (at != plan_.deviations.end())
        for (controlled_thread* const t : open)
          if (t->number == at->thread) return done_.taken.push_back(*at), t;
      if (may_stay && !spins) return &me;
      // In turn, so that threads which spin for each other all get on.
      const auto next = std::find_if(open.begin(), open.end(), [&](auto* t) { return t->number > me.number; });
      return next != open.end() ? *next : open.front();
    }
  }
  if (to != &me) done_.taken.push_back({done_.steps, to->number});
  return to;
}

void explorer::hand_over(controlled_thread& me, controlled_thread& to) {
  to.turn.release();
  if (me.finished) return;
  me.turn.acquire();
  take_over(me);
}

// No part of an ended thread runs next to another thread.
void explorer::take_over(controlled_thread&) {
  if (controlled_thread* const gone = std::exchange(ended_, nullptr)) gone->native.join();
}

void explorer::end(controlled_thread& me) {
  const in_explorer allocations;
  me.finished = true;
  self = nullptr;
  wake(&me, true);
  if (me.number == 0) {
    over_.release();
    return;
  }
  ended_ = &me;
  ++done_.steps;
  controlled_thread* const to = choose(me, false);
  hand_over(me, *to);
}

void explorer::note_pair(const void* at, const void* where, int thread) {
  if (!at || !pairs) return;
  const auto [found, fresh] = last_.try_emplace(at, last_use{where, thread});
  if (!fresh && found->second.thread != thread) {
    const auto a = reinterpret_cast<std::uint64_t>(found->second.where), b = reinterpret_cast<std::uint64_t>(where);
    const std::uint64_t bit = ((a * 0x9e3779b97f4a7c15u ^ b) * 0xff51afd7ed558ccdu) >> 44;
    pairs[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  found->second = {where, thread};
}

void explorer::point(operation what, const void* at, const void* where) {
  const in_explorer allocations;
  controlled_thread& me = *self;
  me.doing = what;
  me.where = where;
  go_on(me, true);
  note_pair(at, where, me.number);
}

bool explorer::wait(operation what, const void* at, double until, const void* where) {
  const in_explorer allocations;
  controlled_thread& me = *self;
  me.doing = what;
  me.where = where;
  me.waits_for = at;
  me.until = until;
  me.called = false;
  go_on(me, false);
  me.waits_for = nullptr;
  me.until = forever;
  return me.called;
}

void explorer::wake(const void* at, bool all) {
  const in_explorer allocations;
  std::vector<controlled_thread*> waiting;
  for (const auto& t : threads_)
    if (t->waits_for == at && !t->called) waiting.push_back(t.get());
  if (waiting.empty()) return;
  if (all)
    for (controlled_thread* t : waiting) t->called = true;
  else
    waiting[plan_.how == strategy::given ? 0 : below(waiting.size())]->called = true;
}

void explorer::join(controlled_thread& other, const void* where) {
  const in_explorer allocations;
  point(operation::join, &other, where);
  while (!other.finished) wait(operation::join, &other, forever, where);
  if (ended_ == &other) take_over(*self);
}

void explorer::fail(const std::string& why) {
  std::ostringstream text;
  text << why << "\n" << threads();
  done_.seconds = seconds_ - 1;
  failed_(text.str(), done_);
  std::terminate();
}

std::string explorer::threads() const {
  std::ostringstream text;
  for (const auto& t : threads_) {
    text << "  thread " << t->number << ": ";
    if (t->finished) {
      text << "has ended\n";
      continue;
    }
    text << words(t->doing);
    if (t->waits_for) text << " " << t->waits_for;
    if (t->waits_for && t->until < forever) text << " for " << t->until - seconds_ << " s more";
    text << place_of(t->where) << "\n";
  }
  return text.str();
}

}  // namespace weir::testing
