#include <chrono>

#include "runtime/machine/run_cores.hpp"
#include "tests/schedules/program_parts.hpp"

// Networks in several regions, which hand each other records, and the moments in which one looks while another leaves.
// On few cores a network whose boxes share them is one region; here boxes have cores, or threads, of their own.
namespace weir::testing {
namespace {

void held_up() {
  for (int i = 0; i < 4; ++i) detail::threads::yield();
}

auto slow(const std::string& name) {
  return box(name, takes(n), gives(n), [](std::int64_t i) {
    held_up();
    return i;
  });
}

options shared_out(const setting& s, std::initializer_list<fixed_share> shares) {
  options o = on(s);
  o.policy = fixed_shares(shares);
  return o;
}

void boxes_with_cores_of_their_own(const setting& s) {
  const network net = slow("f") >> named("g") >> named("h");
  require_equal(sent_by_another(net, 5, shared_out(s, {{"f", 1}, {"g", 1}})), up_to(5), "results");
}

// The lanes finish in any order, and their outputs leave in that of their inputs.
void lanes_of_one_box(const setting& s) {
  require_equal(sent_by_another(slow("f") >> named("g"), 6, shared_out(s, {{"f", 2, 2}})), up_to(6), "results");
}

void boxes_with_threads_of_their_own(const setting& s) {
  const network first = slow("f").blocking(2);
  const network second = slow("g").blocking(2);
  require_equal(sent_by_another(first >> second, 5, on(s)), up_to(5), "results");
}

// The entry stops looking while outputs wait at the exit, and no later output tells it that they have left.
void gate_of_an_ordered_network(const setting& s) {
  const network bursts = box("f", takes(n), gives(n), [](std::int64_t i, emitter& emit) {
    for (std::int64_t j = 0; i % 3 == 1 && j < 3; ++j) emit(n = i);
  });
  numbers expected;
  for (const std::int64_t i : {1, 4, 7, 10}) expected.insert(expected.end(), 3, i);
  require_equal(sent_by_another(ordered(bursts), 12, shared_out(s, {{"f", 1}})), expected, "ordered results");
}

// One branch gives its result for a position before another does; the other hands over several positions at a time.
void ordered_batches_behind_a_faster_branch(const setting& s) {
  const network fork = filter(takes(n)).when(n % 3 == 2).emit(n, k = 1).emit(n).otherwise().emit(n);
  const network ahead = box("ahead", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) { return i; });
  numbers expected;
  for (std::int64_t i = 1; i <= 20; ++i) expected.insert(expected.end(), i % 3 == 2 ? 2 : 1, i);
  require_equal(
      sent_by_another(ordered(fork >> (ahead | named("batches"))), 20, shared_out(s, {{"ahead", 1}, {"batches", 1}})),
      expected, "ordered results");
}

// One invocation at a time of a box that stands in several branches.
void serial_box_in_branches(const setting& s) {
  const network serial = one_invocation_at_a_time();
  execution run = start(split(serial, k), on(s));
  for (std::int64_t i = 1; i <= 2; ++i) run.send(n = i, k = i);
  run.close();
  require_equal(sorted(read_all(run)), up_to(2), "results");
}

// Boxes with cores of their own need parts of two resources, and streams between them hold one record.
void boxes_that_need_resources(const setting& s) {
  const resource one{"one", 2}, other{"other", 1};
  auto in_use = std::make_shared<detail::threads::atomic<int>>(0);
  const auto holding = [in_use](const std::string& name, int amount) {
    return box(name, takes(n), gives(n), [in_use, amount](std::int64_t i) {
      require(in_use->fetch_add(amount) + amount <= 2, "more is in use than there is");
      held_up();
      in_use->fetch_sub(amount);
      return i;
    });
  };
  const network net = holding("f", 1).needs(one, 1).needs(other, 1) >> holding("g", 2).needs(one, 2) >>
                      holding("h", 1).needs(other, 1).needs(one, 1);
  require_equal(sorted(sent_by_another(net, 4, shared_out(s, {{"f", 1}, {"g", 1}}))), up_to(4), "results");
}

// The second run waits for what the first has, and is stopped meanwhile.
void stopped_while_it_waits_for_a_resource(const setting& s) {
  const resource one{"one", 1};
  const options o = on(s);
  const network needing = slow("f").needs(one, 1);
  execution holder = start(needing, o);
  execution waits = start(needing, o);
  joined sender(
      [&] {
        for (std::int64_t i = 1; i <= 2; ++i) holder.send(n = i);
        holder.close();
      },
      &holder);
  joined stopper([&] { waits.stop(); });
  try {
    waits.send(n = 1);
  } catch (const send_error&) {
  }
  require(read_all(waits).size() <= 1, "more results than records");
  require_equal(sorted(read_all(holder)), up_to(2), "results of the holder");
}

// A box of 2 ms, which fails when the cores of all that run it are more than there are.
auto long_on_cores(const setting& s, const std::string& name) {
  auto in_use = std::make_shared<detail::threads::atomic<int>>(0);
  return box(name, takes(n), gives(n), [in_use, cores = s.cores](const grant& has, std::int64_t i) {
    require(in_use->fetch_add(has.size()) + has.size() <= cores, "a core is in two invocations");
    sleep_for(std::chrono::milliseconds(2));
    in_use->fetch_sub(has.size());
    return i;
  });
}

// Invocations of the shared group get cores that are idle, and give them back while other records come.
void invocations_that_share_idle_cores(const setting& s) {
  require_equal(sorted(sent_by_another(long_on_cores(s, "f"), 5, on(s))), up_to(5), "results");
}

// Two runs have their boxes on the same cores.
void idle_cores_that_others_want(const setting& s) {
  const options o = on(s);
  const network one = long_on_cores(s, "f") >> named("g");  // one count for both
  execution other = start(one, o);
  joined sender(
      [&] {
        for (std::int64_t i = 1; i <= 3; ++i) other.send(n = i);
        other.close();
      },
      &other);
  require_equal(sorted(sent_by_another(one, 3, o)), up_to(3), "results");
  require_equal(sorted(read_all(other)), up_to(3), "results of the other");
}

// A box waits, on several cores, for a run that needs them.
void idle_cores_of_a_box_that_waits(const setting& s) {
  const options o = on(s);
  const network outer = box("outer", takes(n), gives(n), [o](const grant&, std::int64_t i) {
    sleep_for(std::chrono::milliseconds(2));
    execution inner = start(named("inner"), o);
    inner.send(n = i);
    inner.close();
    return read_all(inner).at(0);
  });
  require_equal(sorted(sent_by_another(outer, 3, o)), up_to(3), "results");
}

void stopped_on_idle_cores(const setting& s) {
  execution run = start(long_on_cores(s, "f"), on(s));
  joined sender([&] {
    try {
      for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
    } catch (const send_error&) {
    }
  });
  for (const record& r : run)
    if (r[n] > 0) run.stop();
}

// The observer is called by one lane at a time, any of them; no lane follows the second, which may wait for the first.
void observer_of_lanes(const setting& s) {
  auto inside = std::make_shared<detail::threads::atomic<int>>(0);
  const network net = observe(named("f"), [inside](const record&, std::string_view) {
    require(inside->fetch_add(1) == 0, "two calls at a time");
    detail::threads::yield();
    inside->fetch_sub(1);
  });
  require_equal(sorted(sent_by_another(net, 2, on(s))), up_to(2), "results");
}

// A thread has just given up the last work when the last record arrives. Another run wants the core, so that the thread
// does not look for more first.
void last_record_to_a_run_at_rest(const setting& s) {
  const options o = on(s);
  execution other = start(named("g"), o);
  execution run = start(named("f"), o);
  for (std::int64_t i = 1; i <= 2; ++i) other.send(n = i);
  run.send(n = 1);
  const numbers got = read_and_send_the_last(run);
  require_equal(got, up_to(2), "results");
  other.close();
  require_equal(read_all(other), up_to(2), "results of the other");
}

// The same, with two senders, one of which has pushed its record and not yet returned.
void closed_by_the_second_sender(const setting& s) {
  execution run = start(named("f"), on(s));
  joined first([&] { run.send(n = 1); }, &run);
  const numbers got = read_and_send_the_last(run);
  first.join();
  require_equal(got, up_to(2), "results");
}

// The reader closes when it has the first result, whatever the sender is about to do.
void closed_at_the_first_result(const setting& s) {
  execution run = start(named("f"), on(s));
  std::int64_t sent = 0;
  joined sender = sends_three_until_closed(run, sent);
  numbers got;
  for (const record& r : run) {
    got.push_back(r[n]);
    if (got.size() == 1) run.close();
  }
  sender.join();
  require_equal(got, up_to(sent), "results of what was taken");
}

// The results are full, and bounded until their reader sends as well.
void reader_that_sends_into_a_full_run(const setting& s) {
  execution run = start(named("f"), on(s));
  send_while_reading(run, 8);
}

// Once it is known how short the boxes are, senders run them; two at a time, and alongside the run's threads.
void senders_that_run_what_is_short(const setting& s) {
  options o = on(s);
  o.inline_send = true;
  execution run = start(named("f") >> named("g"), std::move(o));
  const auto send_some = [&](std::int64_t from, std::int64_t step) {
    for (std::int64_t i = from; i < 10; i += step) {
      run.send(n = i);
      if (i > 2) sleep_for(std::chrono::microseconds(150));  // seldom
    }
  };
  run.send(n = 1);
  run.send(n = 2);
  sleep_for(std::chrono::milliseconds(4));
  joined other([&] { send_some(3, 2); });
  send_some(4, 2);
  other.join();
  run.close();
  require_equal(sorted(read_all(run)), up_to(9), "results");
}

// The results are full again and again, and their reader takes them one at a time.
void results_that_are_full(const setting& s) {
  options o = on(s);
  o.results_capacity = 1;
  const network two = box("f", takes(n), gives(n), [](std::int64_t i, emitter& emit) {
    emit(n = 2 * i - 1);
    emit(n = 2 * i);
  });
  require_equal(sent_by_another(two, 3, std::move(o)), up_to(6), "results");
}

// Streams between boxes are full again and again.
void streams_that_are_full(const setting& s) {
  const network two = box("f", takes(n), gives(n), [](std::int64_t i, emitter& emit) {
    emit(n = 2 * i - 1);
    emit(n = 2 * i);
  });
  require_equal(sent_by_another(two >> slow("g") >> slow("h"), 3, shared_out(s, {{"g", 1}, {"h", 1}})), up_to(6),
                "results");
}

// A source that waits for room, and a long box that has taken the core which it left. `sorts` sends the first record to
// that box, and the others past it.
struct next_to_a_long_box {
  // Something that one thread does and others wait for. They give up at last, so that each schedule ends.
  class event {
   public:
    void comes() {
      const std::lock_guard lock(mutex_);
      is_ = true;
      changed_.notify_all();
    }
    bool wait() {
      const auto until = detail::threads::clock::now() + std::chrono::milliseconds(10);
      std::unique_lock lock(mutex_);
      while (!is_)
        if (changed_.wait_until(lock, until) == std::cv_status::timeout && !is_) return false;
      return true;
    }

   private:
    detail::threads::mutex mutex_;
    detail::threads::condition_variable changed_;
    bool is_ = false;
  };

  void run(const network& source, const setting& s) {
    const network sorts = box("sorts", takes(n), gives(n) | gives(n, k), [this](std::int64_t i, emitter& emit) {
                            if (i == enough) enough_came.comes();
                            if (i > 1) return emit(n = i);
                            sorts_has_begun.comes();
                            emit(n = i, k = 1);
                            long_has_begun.wait();
                          }).serial();
    const network lasts = box("long", takes(n, k), gives(n), [this](std::int64_t i, std::int64_t) {
      core_of_long = detail::run_cores::core_here();
      long_has_begun.comes();
      was_in_time = may_end->wait();
      return i;
    });
    execution run = start(source >> sorts >> (lasts | named("short")), on(s));
    require_equal(sorted(read_all(run)), up_to(6), "results");
  }

  // By the source. The first record has been taken by another thread before the second comes: else the source would run
  // `sorts` itself, in order to make room.
  template <class After>
  void emit_all(emitter& emit, const After& after) {
    for (std::int64_t i = 1; i <= 6; ++i) {
      emit(n = i);
      after();
      if (i == 1) sorts_has_begun.wait();
    }
  }

  static constexpr std::int64_t enough = 2;
  event sorts_has_begun, long_has_begun, all_sent, enough_came;
  event* may_end = &all_sent;  // what the long box waits for
  bool was_in_time = false;
  int core_of_long = -1;
};

// The source goes on as soon as any core of its group is free. The long box keeps its own until the source has sent
// all, and the other one is idle now and then.
void source_that_goes_on_elsewhere(const setting& s) {
  next_to_a_long_box here;
  int core_of_source = -1;
  here.run(source("numbers", gives(n),
                  [&](emitter& emit) {
                    here.emit_all(emit, [] {});
                    core_of_source = detail::run_cores::core_here();
                    here.all_sent.comes();
                  }),
           s);
  require(here.was_in_time, "the source waited for the long box");
  require(core_of_source != here.core_of_long, "two boxes were on one core");
}

// A grant stays as it is inside an invocation: this source waits for its own core.
void source_that_knows_its_grant(const setting& s) {
  next_to_a_long_box here;
  here.may_end = &here.enough_came;
  bool has_moved = false;
  here.run(source("numbers", gives(n),
                  [&](const grant&, emitter& emit) {
                    const int core = detail::run_cores::core_here();
                    here.emit_all(emit, [&] { has_moved = has_moved || detail::run_cores::core_here() != core; });
                  }),
           s);
  require(!has_moved, "the source goes on with other cores than those of its grant");
}

// Values that several records hold, more of them all the time, end once, whichever is the last.
void values_in_several_records(const setting& s) {
  constexpr field<std::shared_ptr<int>> kept{"kept"};
  const auto alive = std::make_shared<int>(0);
  {
    const auto twice = [](std::int64_t i, emitter& emit) {
      emit(n = i);
      emit(n = i);
    };
    const network fork = filter(takes(n)).emit(n, k = 1).emit(n);
    const network one =
        box("one", takes(n, k), gives(n), [twice](std::int64_t i, std::int64_t, emitter& emit) { twice(i, emit); });
    const network other = box("other", takes(n), gives(n), twice);
    execution run = start(fork >> (one | other), shared_out(s, {{"one", 1}, {"other", 1}}));
    joined sender(
        [&] {
          for (std::int64_t i = 1; i <= 3; ++i) run.send(kept = alive, n = i);
          run.close();
        },
        &run);
    require_equal(sorted(read_all(run)), {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}, "results");
  }
  require(alive.use_count() == 1, "a value outlives its records");
}

// Small enough for each pair of deviations.
void one_record(const setting& s) { require_equal(sent_and_read(named("f"), 1, on(s)), up_to(1), "results"); }

void one_record_to_another_thread(const setting& s) {
  execution run = start(named("f"), on(s));
  joined sender(
      [&] {
        run.send(n = 1);
        run.close();
      },
      &run);
  require_equal(read_all(run), up_to(1), "results");
}

void started_and_destroyed(const setting& s) {
  execution run = start(named("f"), on(s));
  run.send(n = 1);
}

void stopped_by_another(const setting& s) {
  execution run = start(named("f"), on(s));
  joined stopper([&] { run.stop(); });
  try {
    run.send(n = 1);
  } catch (const send_error&) {
  }
  require(read_all(run).size() <= 1, "more results than records");
}

}  // namespace

std::vector<kind> programs_of_regions() {
  return {
      {"boxes_with_cores_of_their_own", boxes_with_cores_of_their_own, {{3, 1}, {4, 2}}},
      {"lanes_of_one_box", lanes_of_one_box, {{3, 2}, {4, 8}}},
      {"boxes_with_threads_of_their_own", boxes_with_threads_of_their_own, {{1, 1}, {2, 2}}},
      {"gate_of_an_ordered_network", gate_of_an_ordered_network, {{2, 1}, {3, 1}}},
      {"ordered_batches_behind_a_faster_branch", ordered_batches_behind_a_faster_branch, {{3, 20}, {4, 20}}},
      {"serial_box_in_branches", serial_box_in_branches, {{2}, {3, 4}}},
      {"boxes_that_need_resources", boxes_that_need_resources, {{3, 1}, {4, 2}}},
      {"stopped_while_it_waits_for_a_resource", stopped_while_it_waits_for_a_resource, {{1}, {3, 1}}},
      {"invocations_that_share_idle_cores", invocations_that_share_idle_cores, {{2}, {3}, {4, 1}}},
      {"idle_cores_that_others_want", idle_cores_that_others_want, {{2}, {4}}, 0.2},
      {"idle_cores_of_a_box_that_waits", idle_cores_of_a_box_that_waits, {{2}, {4}}},
      {"stopped_on_idle_cores", stopped_on_idle_cores, {{2}, {4}}},
      {"observer_of_lanes", observer_of_lanes, {{2}, {3, 4}}},
      {"last_record_to_a_run_at_rest", last_record_to_a_run_at_rest, {{1}, {2}}, 30},
      {"closed_by_the_second_sender", closed_by_the_second_sender, {{1}, {2}}},
      {"closed_at_the_first_result", closed_at_the_first_result, {{1, 1}, {2, 1}, {1, 2}}},
      {"reader_that_sends_into_a_full_run", reader_that_sends_into_a_full_run, {{1, 1}, {2, 1}, {3, 1}}},
      {"senders_that_run_what_is_short", senders_that_run_what_is_short, {{1}, {2}}},
      {"results_that_are_full", results_that_are_full, {{1, 1}, {2, 1}}},
      {"streams_that_are_full", streams_that_are_full, {{3, 1}, {4, 1}}},
      {"source_that_goes_on_elsewhere", source_that_goes_on_elsewhere, {{2, 1}, {3, 2}}},
      {"source_that_knows_its_grant", source_that_knows_its_grant, {{2, 1}, {3, 2}}},
      {"values_in_several_records", values_in_several_records, {{3, 1}, {4, 4}}},
      {"one_record", one_record, {{1}}},
      {"one_record_to_another_thread", one_record_to_another_thread, {{1}}},
      {"started_and_destroyed", started_and_destroyed, {{1}}},
      {"stopped_by_another", stopped_by_another, {{1}}},
  };
}

}  // namespace weir::testing
