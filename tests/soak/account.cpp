#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/placed/several_ranks.hpp"
#include "tests/soak/random_options.hpp"

// Random networks whose entities give one record for one, faults, senders and ends of every kind, in one process and on
// several ranks, of which one may be lost. Each record that entered is in exactly one count of the report:
//
//   sent + emitted = results + records_ended + failed + dropped + held + away.
namespace weir::testing {

namespace {

constexpr tag n{"n"}, key{"key"}, left{"left"}, odd{"odd"}, never{"never"};
constexpr std::uint64_t networks_in_a_round = 5;

// An invocation takes no time, some microseconds, or a few hundred.
void take_time(std::int64_t v, std::int64_t salt) {
  const std::int64_t which = (v * 31 + salt) % 64;
  if (which == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
  if (which > 40) std::this_thread::yield();
}

class random_network {
 public:
  random_network(round& r, int ranks) : round_(r), ranks_(ranks), throws_one_in_(r.one_in(2) ? 0 : 5 + r.up_to(200)) {
    const bool has_source = r.one_in(4), is_closed = has_source && r.one_in(3);
    network all = bypass();
    if (has_source) {
      const std::int64_t count = static_cast<std::int64_t>(r.up_to(200));
      const network from = source("source", gives(n, key), [count](emitter& emit) {
        for (std::int64_t i = 0; i < count; ++i) emit(n = i, key = i % 3);
      });
      all = is_closed ? placed(from) : from | bypass();
    }
    takes_input = !is_closed;
    net = all >> filter(takes(n, key)).emit(n, key, left = n % 4) >> part(3);
  }

  network net = bypass();
  bool takes_input = true;

 private:
  network part(int depth) {
    if (depth == 0) return placed(leaf());
    switch (round_.up_to(8)) {
      case 0:
      case 1:
      case 2:
        return placed(part(depth - 1)) >> part(depth - 1);
      case 3:
        return placed(ending() | part(depth - 1));
      case 4:
        return again() >> placed(star(round_of(depth), pattern{left}.where(left <= 0)));
      case 5: {
        const network body = part(depth - 1);
        return round_.one_in(2) ? at(split(body, key), key) : placed(split(body, key));
      }
      case 6:
        return again() >> feedback(round_of(depth), pattern{left}.where(left > 0));
      case 7:
        return placed(ordered(part(depth - 1)));
      default:
        return observe(part(depth - 1), [](const record&, std::string_view) {});
    }
  }

  network placed(const network& inner) {
    if (ranks_ == 1 || !round_.one_in(3)) return inner;
    return at(inner, static_cast<int>(round_.up_to(static_cast<std::uint64_t>(ranks_))));
  }

  static network again() { return filter(takes(n)).emit(n, left = n % 4); }
  // Folds and synchrocells hide the tag that ends a loop from its type, so they stand outside.
  network round_of(int depth) {
    ++loops_;
    const network body = filter(takes(left)).emit(left = left - 1) >> part(depth - 1);
    --loops_;
    return body;
  }
  network ending() {
    const std::int64_t salt = names_;
    return box(name("end"), takes(n, odd), gives_none, [salt](std::int64_t v, std::int64_t) { take_time(v, salt); });
  }

  network leaf() {
    const std::int64_t salt = names_, one_in = static_cast<std::int64_t>(throws_one_in_);
    const auto work = [salt, one_in](std::int64_t v) {
      take_time(v, salt);
      if (one_in > 0 && (v + salt) % one_in == 0) throw std::runtime_error("a fault");
      return v;
    };
    const auto drawn = [this](auto made) -> network {
      if (round_.one_in(3)) made = made.width(1 + static_cast<int>(round_.up_to(2)));
      return round_.one_in(8) ? network(made.blocking(2)) : network(made);
    };
    switch (round_.up_to(loops_ > 0 ? 3 : 5)) {
      case 0:
        return drawn(box(name("returns"), takes(n), gives(n), work));
      case 1:
        return drawn(
            box(name("emits"), takes(n), gives(n), [work](std::int64_t v, emitter& emit) { emit(n = work(v)); }));
      case 2:
        return drawn(box(name("may"), takes(n), gives(n), [work](std::int64_t v) { return std::optional(work(v)); }));
      case 3:
        return filter(takes(n)).emit(n = n + 1);
      case 4:  // the first record stays in it
        return sync(pattern{n}, pattern{n, never});
      default:  // a third of the records end in it
        return fold(name("fold"), takes(n, key), gives(n, key), std::int64_t{0},
                    [work](std::int64_t& sum, std::int64_t v, std::int64_t k, emitter& emit) {
                      sum += work(v);
                      if (v % 3) emit(n = v, key = k);
                    });
    }
  }

  const char* name(const char* kind) {
    kept_.push_back(std::make_unique<std::string>(kind + std::to_string(++names_)));
    return kept_.back()->c_str();
  }

  round& round_;
  const int ranks_;
  const std::uint64_t throws_one_in_;
  std::int64_t names_ = 0;
  int loops_ = 0;  // around the part that is drawn
  std::vector<std::unique_ptr<std::string>> kept_;
};

struct random_end {
  enum how { read, stopped, destroyed, lost } what = read;
  std::uint64_t after = 0;  // records sent, before it comes
  int rank = 1;             // that is lost
};

// Sends from several threads, reads in this one, and lets the end come. The number of records that were accepted.
struct counted {
  std::atomic<std::uint64_t> sent{0}, read{0};
};

void drive(execution& run, const random_network& drawn, const random_end& end, std::uint64_t records,
           std::uint64_t senders, const std::function<void()>& lose, counted& count) {
  std::atomic<std::uint64_t> numbers{0};
  std::atomic<bool> came{false};
  const auto let_end = [&] {
    if (came.exchange(true)) return;
    if (end.what == random_end::stopped) run.stop();
    if (end.what == random_end::lost) lose();
  };
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> sending{senders};
  for (std::uint64_t s = 0; s < senders; ++s)
    threads.emplace_back([&] {
      try {
        while (drawn.takes_input) {
          const std::uint64_t i = numbers++;
          if (i >= records) break;
          if (i == end.after) let_end();
          const auto v = static_cast<std::int64_t>(i);
          record one(n = v, key = v % 5);
          if (i % 3 == 0) one = record(n = v, key = v % 5, odd = 1);
          if (i % 7 == 0)
            count.sent += run.try_send(one);
          else
            run.send(std::move(one)), ++count.sent;
        }
      } catch (const run_error&) {
      }
      if (--sending > 0) return;
      if (end.what != random_end::read && end.what != random_end::destroyed) let_end();
      run.close();
    });
  try {
    for (const record& r : run) {
      static_cast<void>(r);
      if (++count.read > end.after && end.what == random_end::destroyed) break;
    }
  } catch (const run_error&) {
  }
  if (end.what == random_end::destroyed) run.stop();  // so that no sender waits
  for (std::thread& t : threads) t.join();
}

std::string sums(const run_report& r) {
  return "sent " + std::to_string(r.sent) + " + emitted " + std::to_string(r.emitted) + " = results " +
         std::to_string(r.results) + " + ended " + std::to_string(r.records_ended) + " + failed " +
         std::to_string(r.failed) + " + dropped " + std::to_string(r.dropped) + " + held " + std::to_string(r.held) +
         " + away " + std::to_string(r.away);
}

void one_run(round& r, std::uint64_t which) {
  const int ranks = r.one_in(2) ? 1 : 2 + static_cast<int>(r.up_to(2));
  std::string about;
  options how = random_options(r, about);
  if (ranks > 1) how.machine = machine::synthetic("core:2 pu:1");
  how.on_error = r.one_in(4) ? on_error::stop : on_error::collect;
  how.on_failure = ranks > 1 && r.one_in(2) ? on_failure::reassign : on_failure::stop;
  how.spread_keys = ranks > 1 && r.one_in(3);
  if (ranks == 1 && r.one_in(4)) how.max_in_flight = 1 + r.up_to(20);
  const random_network drawn(r, ranks);
  const std::uint64_t records = r.up_to(slow ? 200 : 1000), senders = 1 + r.up_to(3);
  random_end end;
  end.what = static_cast<random_end::how>(r.up_to(ranks > 1 ? 3 : 2));
  end.after = r.up_to(records);
  end.rank = ranks > 1 ? 1 + static_cast<int>(r.up_to(static_cast<std::uint64_t>(ranks) - 2)) : 0;
  static constexpr const char* ends[] = {"read", "stopped", "destroyed", "a rank lost"};
  r.say("network " + std::to_string(which) + ", " + std::to_string(ranks) + " ranks, " + about + ", " +
        (how.on_error == on_error::stop ? "stops on error, " : "") +
        (how.on_failure == on_failure::reassign ? "reassigns, " : "") + (how.spread_keys ? "spreads keys, " : "") +
        std::to_string(senders) + " senders, " + ends[end.what] + " after " + std::to_string(end.after) + " of " +
        std::to_string(records) + " records\n" + to_string(drawn.net));

  counted count;
  run_report said;
  const auto look = [&](execution& run) {
    if (end.what != random_end::destroyed) return said = run.report(), void();
    const run_view view = run.view();
    { const execution ended = std::move(run); }
    said = view.report();
  };
  if (ranks == 1) {
    execution run = start(drawn.net, how);
    drive(
        run, drawn, end, records, senders, [] {}, count);
    look(run);
  } else {
    several_ranks all(
        ranks, [&](int) { return drawn.net; }, [&](int) { return how; });
    execution& run = all.run();
    drive(
        run, drawn, end, records, senders, [&] { all.ranks().kill(end.rank); }, count);
    look(run);
    if (end.what == random_end::lost) all.ranks().end_killed(end.rank);
    all.finish();
  }
  r.expect(said.sent == count.sent, std::to_string(count.sent) + " records were sent; " + sums(said));
  r.expect(static_cast<std::int64_t>(said.sent + said.emitted) ==
               static_cast<std::int64_t>(said.results + said.records_ended + said.failed + said.dropped + said.held) +
                   said.away,
           sums(said));
  r.expect(said.away == 0 || end.what == random_end::lost, "records are away: " + sums(said));
  if (end.what != random_end::destroyed)
    r.expect(said.results == count.read, std::to_string(count.read) + " results were read; " + sums(said));
  if (end.what == random_end::read && how.on_error == on_error::collect)
    r.expect(said.dropped == 0, "records were dropped: " + sums(said));
  r.note_arrival(1 + count.read);
}

}  // namespace

void account(round& r) {
  for (std::uint64_t i = 0; i < networks_in_a_round && !r.is_over(); ++i) one_run(r, i);
}

}  // namespace weir::testing
