#include <optional>

#include "tests/schedules/program_parts.hpp"

// Threads that send, read, stop, ask and destroy, and runs next to and inside each other.
namespace weir::testing {
namespace {

void two_senders(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  joined other(
      [&] {
        for (std::int64_t i = 1; i <= 3; ++i) run.send(n = 2 * i);
      },
      &run);
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = 2 * i - 1);
  other.join();
  run.close();
  require_equal(sorted(read_all(run)), up_to(6), "results");
  check_accounts(run, 6, 6);
}

void a_reader_that_comes_and_goes(const setting& s) {
  options o = on(s);
  o.results_capacity = 1;
  execution run = start(named("f"), std::move(o));
  joined sender(
      [&] {
        try {
          for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
          run.close();
        } catch (const run_error&) {
        }
      },
      &run);
  numbers got;
  joined reader(
      [&] {
        for (const record& r : run) {
          got.push_back(r[n]);
          if (got.size() == 2) break;
        }
      },
      &run);
  reader.join();
  for (const record& r : run) got.push_back(r[n]);
  sender.join();
  require_equal(got, up_to(4), "results of two readers");
}

void try_send_until_full(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  std::int64_t sent = 0;
  for (int tries = 0; tries < 6; ++tries) sent += run.try_send(n = sent + 1);
  run.close();
  require_equal(read_all(run), up_to(sent), "results");
  check_accounts(run, static_cast<std::uint64_t>(sent), static_cast<std::uint64_t>(sent));
}

void waiting_before_reading(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
  run.close();
  run.wait();
  require_equal(read_all(run), up_to(4), "results");
}

void stopped_in_the_middle(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  joined stopper([&] { run.stop(); });
  std::int64_t sent = 0;
  try {
    for (; sent < 4; ++sent) run.send(n = sent + 1);
    run.close();
  } catch (const send_error&) {
  }
  stopper.join();
  const numbers got = read_all(run);
  require(got.size() <= 4, "more results than records");
  require_equal(got, up_to(static_cast<std::int64_t>(got.size())), "the first results");
}

void destroyed_with_records_inside(const setting& s) {
  auto alive = std::make_shared<int>(0);
  constexpr field<std::shared_ptr<int>> kept{"kept"};
  {
    execution run = start(box("f", takes(kept), gives(kept), [](const std::shared_ptr<int>& p) { return p; }), on(s));
    for (int i = 0; i < 3; ++i) run.send(kept = alive);
  }
  require(alive.use_count() == 1, "a record outlives its run");
}

void destroyed_while_another_sends(const setting& s) {
  std::optional<execution> run = start(named("f") >> named("g"), on(s));
  joined sender([&] {
    try {
      for (std::int64_t i = 1; i <= 6; ++i) run->send(n = i);
    } catch (const send_error&) {
    }
  });
  run->stop();
  sender.join();
  run.reset();
}

void boxes_that_throw(const setting& s) {
  execution run = start(box("f", takes(n), gives(n),
                            [](std::int64_t i) {
                              if (i % 2 == 0) throw std::runtime_error("even");
                              return i;
                            }) >>
                            named("g"),
                        on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
  run.close();
  require_equal(read_all(run), {1, 3}, "results");
  require(run.take_errors().size() == 2 && run.errors().empty(), "the failures were not there, once");
}

void error_that_stops(const setting& s) {
  options o = on(s);
  o.on_error = on_error::stop;
  execution run = start(box("f", takes(n), gives(n),
                            [](std::int64_t i) {
                              if (i == 2) throw std::runtime_error("two");
                              return i;
                            }),
                        std::move(o));
  bool told = false;
  try {
    for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
    run.close();
    read_all(run);
  } catch (const run_error& e) {
    told = e.details().kind == failure_kind::box_threw;
  }
  require(told, "the error was not told");
}

void box_that_stops_its_run(const setting& s) {
  execution* self = nullptr;
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t i) {
                              if (i == 2) self->stop();
                              return i;
                            }) >>
                            named("g"),
                        on(s));
  self = &run;
  try {
    for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
    run.close();
  } catch (const send_error&) {
  }
  require(read_all(run).size() <= 4, "more results than records");
}

void box_that_sends_to_its_run(const setting& s) {
  execution* self = nullptr;
  int more = 2;
  execution run = start(box("f", takes(n), gives(n),
                            [&](std::int64_t i) {
                              if (more > 0 && self->try_send(n = 10 + i)) --more;
                              return i;
                            })
                            .serial(),
                        on(s));
  self = &run;
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i);
  std::size_t got = 0;
  for (const record& r : run) {
    static_cast<void>(r);
    if (++got == 3) run.close();
  }
  require(got >= 3, "records were lost");
}

void run_inside_a_box(const setting& s) {
  const options o = on(s);
  const network inner = named("inner");
  const network outer = box("outer", takes(n), gives(n), [&](std::int64_t i) {
    options mine;
    mine.machine = o.machine;
    execution run = start(inner, std::move(mine));
    run.send(n = i);
    run.close();
    std::int64_t got = 0;
    for (const record& r : run) got += r[n];
    return got;
  });
  require_equal(sent_and_read(outer, 2, o), up_to(2), "results");
}

void two_runs_on_one_machine(const setting& s) {
  const options o = on(s);
  execution first = start(named("f") >> named("g"), o);
  execution second = start(total(), o);
  for (std::int64_t i = 1; i <= 3; ++i) first.send(n = i), second.send(n = i);
  first.close();
  second.close();
  require_equal(read_all(first), up_to(3), "results of the first");
  require_equal(read_all(second), {6}, "the sum of the second");
}

void runs_that_come_and_go(const setting& s) {
  const options o = on(s);
  execution first = start(named("f"), o);
  first.send(n = 1);
  {
    execution second = start(named("g"), o);
    second.send(n = 1);
  }
  first.send(n = 2);
  first.close();
  require_equal(read_all(first), up_to(2), "results");
}

// A machine whose use takes long to read. It notes whether two threads ever read it at the same time.
class slowly_read_platform final : public scheduled_platform {
 public:
  using scheduled_platform::scheduled_platform;
  detail::core_use cores_used(const core_set&) const override {
    if (readers_.fetch_add(1) > 0) had_two_.store(true);
    sleep_for(std::chrono::milliseconds(20));
    readers_.fetch_sub(1);
    return {};
  }
  bool had_two_readers() const { return had_two_.load(); }

 private:
  mutable detail::threads::atomic<int> readers_{0};
  mutable detail::threads::atomic<bool> had_two_{false};
};

// The last run goes while the controller's thread reads the machine, and the next run starts another controller.
void run_that_follows_while_the_machine_is_read(const setting& s) {
  const auto slow = std::make_shared<slowly_read_platform>(cores_of_a_machine(s.cores));
  options o = on(s);
  o.machine = machine(std::make_shared<detail::machine_state>(slow));
  joined first([&] {
    const execution run = start(named("f"), o);
    sleep_for(std::chrono::milliseconds(15));
  });
  sleep_for(std::chrono::milliseconds(16));
  {
    const execution run = start(named("g"), o);
    sleep_for(std::chrono::milliseconds(15));
  }
  first.join();
  require(!slow->had_two_readers(), "two controllers read the machine at the same time");
}

void observed_by_a_callback(const setting& s) {
  auto seen = std::make_shared<numbers>();
  const network net =
      observe(named("f"), [seen](const record& r, std::string_view) { seen->push_back(r[n]); }) >> named("g");
  require_equal(sent_by_another(net, 4, on(s)), up_to(4), "results");
  require_equal(sorted(*seen), up_to(4), "what was observed");
}

void told_of_every_observation(const setting& s) {
  options o = on(s);
  auto told = std::make_shared<detail::threads::atomic<int>>(0);
  o.on_observation = [told](std::string_view, const observation&) { told->fetch_add(1); };
  require_equal(sent_and_read(named("f"), 3, std::move(o)), up_to(3), "results");
  require(told->load() <= 3, "more observations than invocations");
}

// Where a quota leaves out cores, the first run says so: there is something to tell before it has begun.
void told_on_a_machine_with_a_quota(const setting& s) {
  static const auto limited = std::make_shared<const topology>(topology::synthetic("core:4 pu:1").within_quota(2));
  options o = on(s);
  o.machine = scheduled_machine(limited);
  o.on_observation = [](std::string_view, const observation&) {};
  require_equal(sent_and_read(named("f"), 3, std::move(o)), up_to(3), "results");
}

// A thread that has waited for a run finds no callback of it still at work.
void callbacks_are_over(const setting& s) {
  options o = on(s);
  auto inside = std::make_shared<detail::threads::atomic<int>>(0);
  o.on_observation = [inside](std::string_view, const observation&) {
    inside->fetch_add(1);
    for (int i = 0; i < 3; ++i) detail::threads::yield();
    inside->fetch_sub(1);
  };
  execution run = start(named("f"), std::move(o));
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i);
  run.close();
  run.wait();
  require(inside->load() == 0, "a callback is at work after wait()");
  require_equal(read_all(run), up_to(3), "results");
}

void reports_while_it_runs(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  joined asking([&] {
    for (int i = 0; i < 3; ++i) require(run.report().results <= 4, "a report of more results than records");
  });
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
  run.close();
  require_equal(read_all(run), up_to(4), "results");
  asking.join();
  check_accounts(run, 4, 4);
}

void sent_inline(const setting& s) {
  options o = on(s);
  o.inline_send = true;
  require_equal(sent_by_another(named("f") >> named("g"), 5, std::move(o)), up_to(5), "results");
}

// Requests and answers: each is read before the next is sent, and the network is at rest when it is closed.
void one_at_a_time(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  run.send(n = 1);
  numbers got;
  for (const record& r : run) {
    got.push_back(r[n]);
    if (got.size() < 3)
      run.send(n = static_cast<std::int64_t>(got.size()) + 1);
    else
      run.close();
  }
  require_equal(got, up_to(3), "answers");
}

void closed_while_another_sends(const setting& s) {
  execution run = start(named("f"), on(s));
  std::int64_t sent = 0;
  joined sender = sends_three_until_closed(run, sent);
  run.close();
  const numbers got = read_all(run);
  sender.join();
  require_equal(got, up_to(sent), "results of what was taken");
}

// While it only reads, results are bounded; from when it sends as well, they must not be, since it would wait for
// itself.
void reader_that_begins_to_send(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  send_while_reading(run, 8);
}

// None of the threads that wait in a full stream is left behind when the run ends.
void senders_that_wait_are_stopped(const setting& s) {
  options o = on(s);
  o.results_capacity = 1;
  execution run = start(named("f"), std::move(o));
  const auto until_stopped = [&] {
    try {
      for (std::int64_t i = 1; i <= 20; ++i) run.send(n = i);
    } catch (const send_error&) {
    }
  };
  joined one(until_stopped, &run), two(until_stopped, &run), three(until_stopped, &run);
  run.stop();
  one.join();
  two.join();
  three.join();
}

// One in flight: each sender waits until the other's record has left.
void two_senders_one_in_flight(const setting& s) {
  options o = on(s);
  o.max_in_flight = 1;
  execution run = start(named("f") >> named("g"), std::move(o));
  joined other(
      [&] {
        for (std::int64_t i = 1; i <= 2; ++i) run.send(n = 2 * i);
      },
      &run);
  for (std::int64_t i = 1; i <= 2; ++i) run.send(n = 2 * i - 1);
  other.join();
  run.close();
  require_equal(sorted(read_all(run)), up_to(4), "results");
  require(run.report().in_flight.peak == 1 && run.report().in_flight.records == 0, "more were in flight than one");
}

// Results count from the first that is read on, until the reader sends as well.
void reader_that_begins_to_send_into_few_in_flight(const setting& s) {
  options o = on(s);
  o.max_in_flight = 2;
  execution run = start(named("f"), std::move(o));
  send_while_reading(run, 6);
}

void closed_while_another_waits_to_enter(const setting& s) {
  options o = on(s);
  o.max_in_flight = 1;
  execution run = start(named("f"), std::move(o));
  std::int64_t sent = 0;
  joined sender = sends_three_until_closed(run, sent);
  run.close();
  const numbers got = read_all(run);
  sender.join();
  require_equal(got, up_to(sent), "results of what was taken");
}

// The initialiser waits for the room that a sender's record left, and rests there while its region is held.
void source_and_sender_one_in_flight(const setting& s) {
  options o = on(s);
  o.max_in_flight = 1;
  const network start_of = source("make", gives(n), [](emitter& emit) {
    for (std::int64_t i = 1; i <= 3; ++i) emit(n = i);
  });
  execution run = start((start_of | bypass()) >> named("f") >> named("g"), std::move(o));
  for (std::int64_t i = 4; i <= 5; ++i) run.send(n = i);
  run.close();
  require_equal(sorted(read_all(run)), up_to(5), "results");
  require(run.report().in_flight.peak == 1, "more were in flight than one");
}

}  // namespace

std::vector<kind> programs_of_callers() {
  return {
      {"two_senders", two_senders, {{1, 1}, {2, 1}}},
      {"a_reader_that_comes_and_goes", a_reader_that_comes_and_goes, {{1, 1}, {2}}},
      {"try_send_until_full", try_send_until_full, {{1, 1}, {2, 2}}},
      {"waiting_before_reading", waiting_before_reading, {{1, 1}, {2, 1}}},
      {"stopped_in_the_middle", stopped_in_the_middle, {{1, 1}, {2, 1}}},
      {"destroyed_with_records_inside", destroyed_with_records_inside, {{1}, {2}}},
      {"destroyed_while_another_sends", destroyed_while_another_sends, {{1, 1}, {2, 1}}},
      {"boxes_that_throw", boxes_that_throw, {{1}, {2, 1}}},
      {"error_that_stops", error_that_stops, {{1}, {2, 1}}},
      {"box_that_stops_its_run", box_that_stops_its_run, {{1}, {2, 1}}},
      {"box_that_sends_to_its_run", box_that_sends_to_its_run, {{1, 4}, {2, 4}}},
      {"run_inside_a_box", run_inside_a_box, {{1}, {2}}, 30},
      {"two_runs_on_one_machine", two_runs_on_one_machine, {{1}, {2, 1}, {3}}, 30},
      {"runs_that_come_and_go", runs_that_come_and_go, {{1}, {2}}, 30},
      {"run_that_follows_while_the_machine_is_read", run_that_follows_while_the_machine_is_read, {{1}, {2}}, 30},
      {"observed_by_a_callback", observed_by_a_callback, {{1}, {2, 1}}},
      {"told_of_every_observation", told_of_every_observation, {{1}, {2}}},
      {"told_on_a_machine_with_a_quota", told_on_a_machine_with_a_quota, {{2}}},
      {"callbacks_are_over", callbacks_are_over, {{1}, {2}}},
      {"reports_while_it_runs", reports_while_it_runs, {{1, 1}, {2, 1}}},
      {"sent_inline", sent_inline, {{1, 1}, {2, 1}}},
      {"one_at_a_time", one_at_a_time, {{1}, {2, 1}}},
      {"closed_while_another_sends", closed_while_another_sends, {{1, 1}, {2}}},
      {"reader_that_begins_to_send", reader_that_begins_to_send, {{1, 1}, {2, 1}}},
      {"senders_that_wait_are_stopped", senders_that_wait_are_stopped, {{1, 1}, {2, 1}}},
      {"two_senders_one_in_flight", two_senders_one_in_flight, {{1, 1}, {2}}},
      {"reader_that_begins_to_send_into_few_in_flight",
       reader_that_begins_to_send_into_few_in_flight,
       {{1, 1}, {2, 1}}},
      {"closed_while_another_waits_to_enter", closed_while_another_waits_to_enter, {{1}, {2, 1}}},
      {"source_and_sender_one_in_flight", source_and_sender_one_in_flight, {{1, 1}, {2}}},
  };
}

}  // namespace weir::testing
