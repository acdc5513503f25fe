#include "tests/schedules/programs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <weir/weir.hpp>

#include "tests/schedules/explorer.hpp"
#include "tests/schedules/scheduled_machine.hpp"

namespace weir::testing {
namespace {

constexpr tag n{"n"}, k{"k"}, m{"m"};
constexpr field<int> a{"a"}, b{"b"}, c{"c"};
using numbers = std::vector<std::int64_t>;

// A thread that is joined at the end of its scope. Of a run that ended because a thread could not be started it is
// told, too, and the reader says so.
class joined {
 public:
  explicit joined(const std::function<void()>& body)
      : thread_([body] {
          try {
            body();
          } catch (const run_error&) {
            if (!a_start_fails()) throw;
          }
        }) {}
  ~joined() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  detail::threads::thread thread_;
};

// A run without a thread that it needs may give less: that it ends is all that is checked of it.
void require(bool holds, const std::string& what) {
  if (!holds && !a_start_fails()) throw std::runtime_error(what);
}

void require_equal(const numbers& got, const numbers& expected, const std::string& what) {
  if (got == expected || a_start_fails()) return;
  std::ostringstream text;
  text << what << ": got";
  for (const auto one : got) text << ' ' << one;
  text << ", expected";
  for (const auto one : expected) text << ' ' << one;
  throw std::runtime_error(text.str());
}

numbers sorted(numbers all) {
  std::sort(all.begin(), all.end());
  return all;
}

numbers up_to(std::int64_t last) {
  numbers all;
  for (std::int64_t i = 1; i <= last; ++i) all.push_back(i);
  return all;
}

struct setting {
  int cores = 2;
  std::size_t capacity = 0;
  bool equal = false;
};

options on(const setting& s) {
  options o;
  o.machine = scheduled_machine(s.cores);
  o.capacity = s.capacity;
  if (s.equal) o.policy = equal_shares{};
  o.on_error = on_error::collect;
  return o;
}

network named(const std::string& name) {
  return box(name, takes(n), gives(n), [](std::int64_t i) { return i; });
}

network total() {
  return fold(
      "total", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) { emit(n = sum); });
}

network counted_from_one(std::int64_t last) {
  return source("numbers", gives(n), [last](emitter& emit) {
    for (std::int64_t i = 1; i <= last; ++i) emit(n = i);
  });
}

void check_accounts(const execution& run, std::uint64_t in, std::uint64_t out) {
  const run_report r = run.report();
  require(r.sent == in, "the report says " + std::to_string(r.sent) + " records in");
  require(r.results == out, "the report says " + std::to_string(r.results) + " records out");
}

numbers read_all(execution& run) {
  numbers got;
  for (const record& r : run) got.push_back(r[n]);
  return got;
}

// One thread sends all and reads afterwards.
numbers sent_and_read(const network& net, std::int64_t count, options o) {
  execution run = start(net, std::move(o));
  for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
  run.close();
  numbers got = read_all(run);
  require(run.errors().empty(), "a record failed");
  return got;
}

// One thread sends, this one reads.
numbers sent_by_another(const network& net, std::int64_t count, options o) {
  execution run = start(net, std::move(o));
  joined sender([&] {
    try {
      for (std::int64_t i = 1; i <= count; ++i) run.send(n = i);
      run.close();
    } catch (const run_error&) {  // the run is over: the reader says why
    }
  });
  return read_all(run);
}

// ---- each takes a setting ----

void chain(const setting& s) {
  require_equal(sent_and_read(named("f") >> named("g"), 4, on(s)), up_to(4), "a chain");
}

void chain_between_two_threads(const setting& s) {
  require_equal(sent_by_another(named("f") >> named("g"), 5, on(s)), up_to(5), "a chain");
}

void serial_box(const setting& s) {
  auto seen = std::make_shared<numbers>();
  const network net = box("f", takes(n), gives(n), [seen](std::int64_t i) {
                        seen->push_back(i);
                        return i;
                      }).serial();
  require_equal(sent_by_another(net, 5, on(s)), up_to(5), "results");
  require_equal(*seen, up_to(5), "what the box saw");
}

void box_with_a_width(const setting& s) {
  auto inside = std::make_shared<detail::threads::atomic<int>>(0);
  const network net = box("f", takes(n), gives(n), [inside](std::int64_t i) {
                        require(inside->fetch_add(1) < 2, "three invocations at a time");
                        detail::threads::yield();
                        inside->fetch_sub(1);
                        return i;
                      }).width(2);
  require_equal(sent_by_another(net, 5, on(s)), up_to(5), "results");
}

void blocking_boxes(const setting& s) {
  const network net = box("f", takes(n), gives(n), [](std::int64_t i) {
                        detail::threads::yield();
                        return i;
                      }).blocking(3);
  require_equal(sent_and_read(net >> named("g"), 4, on(s)), up_to(4), "results");
}

void choice(const setting& s) {
  const network net =
      box("even", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) { return i; }) | named("any");
  execution run = start(net, on(s));
  for (std::int64_t i = 1; i <= 4; ++i)
    if (i % 2)
      run.send(n = i);
    else
      run.send(n = i, k = 0);
  run.close();
  require_equal(sorted(read_all(run)), up_to(4), "results");
}

void ordered_choice(const setting& s) {
  const network net =
      ordered(box("even", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) { return i; }) | named("any"));
  execution run = start(net, on(s));
  for (std::int64_t i = 1; i <= 5; ++i)
    if (i % 2)
      run.send(n = i);
    else
      run.send(n = i, k = 0);
  run.close();
  require_equal(read_all(run), up_to(5), "ordered results");
}

void boxes_that_give_none_or_two_in_order(const setting& s) {
  const network net = ordered(box("f", takes(n), gives(n), [](std::int64_t i, emitter& emit) {
    for (std::int64_t j = 0; j < i % 3; ++j) emit(n = 10 * i + j);
  }) >> named("g"));
  require_equal(sent_by_another(net, 5, on(s)), {10, 20, 21, 40, 50, 51}, "results");
}

void star_of_steps(const setting& s) {
  const network step = box("down", takes(n, k), gives(n, k), [](std::int64_t i, std::int64_t left) {
    return std::tuple(i, left - 1);
  });
  execution run = start(star(step, pattern{k}.where(k <= 0)), on(s));
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i, k = i - 1);
  run.close();
  require_equal(sorted(read_all(run)), up_to(3), "results");
}

void ordered_star(const setting& s) {
  const network step = box("down", takes(n, k), gives(n, k), [](std::int64_t i, std::int64_t left) {
    return std::tuple(i, left - 1);
  });
  execution run = start(ordered(star(step, pattern{k}.where(k <= 0))), on(s));
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i, k = 3 - i);
  run.close();
  require_equal(read_all(run), up_to(3), "ordered results");
}

void split_by_key(const setting& s) {
  execution run = start(ordered(split(named("f") >> named("g"), k)), on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i, k = i % 2);
  run.close();
  require_equal(read_all(run), up_to(4), "ordered results");
}

void split_until(const setting& s) {
  const network net = split(named("f"), k).until(pattern{n}.where(n % 2 == 0));
  execution run = start(net, on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i, k = 1);
  run.close();
  require_equal(sorted(read_all(run)), up_to(4), "results");
}

void feedback_loop(const setting& s) {
  const network step = box("half", takes(n), gives(n) | gives(m), [](std::int64_t i, emitter& emit) {
    if (i > 1) {
      emit(n = i / 2);
      emit(n = i - i / 2);
    } else {
      emit(m = i);
    }
  });
  execution run = start(feedback(step, pattern{n}), on(s));
  run.send(n = 3);
  run.send(n = 2);
  run.close();
  std::int64_t sum = 0;
  for (const record& r : run) sum += r[m];
  require(sum == 5, "the parts sum up to " + std::to_string(sum));
}

void synchrocell_pairs(const setting& s) {
  const network net = star(sync({a}, {b}), pattern{a, b});
  execution run = start(net, on(s));
  joined sender([&] {
    for (int i = 0; i < 2; ++i) run.send(a = i);
  });
  for (int i = 0; i < 2; ++i) run.send(b = i);
  sender.join();
  run.close();
  int pairs = 0;
  for (const record& r : run) require(r[a] == r[b], "a pair of different numbers"), ++pairs;
  require(pairs == 2, std::to_string(pairs) + " pairs");
}

void fold_at_the_end(const setting& s) {
  require_equal(sent_by_another(named("f") >> total(), 4, on(s)), {10}, "the sum");
}

void fold_in_a_split(const setting& s) {
  execution run = start(split(total(), k), on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i, k = i % 2);
  run.close();
  require_equal(sorted(read_all(run)), {4, 6}, "the sums");
}

void folds_one_behind_the_other(const setting& s) {
  const network sum = total();
  require_equal(sent_and_read(sum >> named("f") >> sum, 3, on(s)), {6}, "the sum");
}

void closed_network(const setting& s) {
  execution run = start(counted_from_one(4) >> named("f") >> total(), on(s));
  require_equal(read_all(run), {10}, "the sum");
}

void source_beside_input(const setting& s) {
  execution run = start((counted_from_one(3) | bypass()) >> named("f"), on(s));
  run.send(n = 4);
  run.close();
  require_equal(sorted(read_all(run)), up_to(4), "results");
}

void two_senders(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  joined other([&] {
    for (std::int64_t i = 1; i <= 3; ++i) run.send(n = 2 * i);
  });
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
  joined sender([&] {
    try {
      for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
      run.close();
    } catch (const run_error&) {
    }
  });
  numbers got;
  joined reader([&] {
    for (const record& r : run) {
      got.push_back(r[n]);
      if (got.size() == 2) break;
    }
  });
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
                            }) >> named("g"),
                        on(s));
  for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
  run.close();
  require_equal(read_all(run), {1, 3}, "results");
  require(run.take_errors().size() == 2 && run.errors().empty(), "the failures were not there, once");
}

void error_that_stops(const setting& s) {
  options o = on(s);
  o.on_error = on_error::stop;
  execution run = start(box("f", takes(n), gives(n), [](std::int64_t i) {
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
                            }) >> named("g"),
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

void lanes_that_keep(const setting& s) {
  auto alive = std::make_shared<detail::threads::atomic<int>>(0);
  struct engine {
    std::shared_ptr<detail::threads::atomic<int>> count;
    explicit engine(std::shared_ptr<detail::threads::atomic<int>> of) : count(std::move(of)) { count->fetch_add(1); }
    engine(engine&& other) noexcept : count(std::move(other.count)) {}
    ~engine() {
      if (count) count->fetch_sub(1);
    }
  };
  {
    const network net = box("f", takes(n), gives(n), [](engine&, std::int64_t i) { return i; }).each_lane([alive] {
      return engine(alive);
    });
    require_equal(sent_by_another(net, 4, on(s)), up_to(4), "results");
  }
  require(alive->load() == 0, std::to_string(alive->load()) + " engines outlive their run");
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
  joined sender([&] {
    try {
      for (; sent < 3; ++sent) run.send(n = sent + 1);
    } catch (const send_error&) {
    }
  });
  run.close();
  const numbers got = read_all(run);
  sender.join();
  require_equal(got, up_to(sent), "results of what was taken");
}

// While it only reads, results are bounded; from when it sends as well, they must not be, since it would wait for
// itself.
void reader_that_begins_to_send(const setting& s) {
  execution run = start(named("f") >> named("g"), on(s));
  joined other([&] {
    for (std::int64_t i = 1; i <= 4; ++i) run.send(n = i);
  });
  numbers got;
  for (const record& r : run) {
    got.push_back(r[n]);
    if (got.size() == 1)
      for (std::int64_t i = 5; i <= 8; ++i) run.send(n = i);
    if (got.size() == 8) run.close();
  }
  require_equal(sorted(got), up_to(8), "results");
}

// Outputs wait for those of the first record, more of them than the gate of an ordered network lets in.
void ordered_behind_a_slow_record(const setting& s) {
  const network slow = box("slow", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) {
    for (int j = 0; j < 200; ++j) detail::threads::yield();
    return i;
  });
  execution run = start(ordered(slow | named("any")), on(s));
  joined sender([&] {
    run.send(n = 1, k = 0);
    for (std::int64_t i = 2; i <= 14; ++i) run.send(n = i);
    run.close();
  });
  require_equal(read_all(run), up_to(14), "ordered results");
}

struct kind {
  const char* name;
  void (*run)(const setting&);
  std::vector<setting> settings;
  double seconds = 0.09;
};

const std::vector<kind>& kinds() {
  static const std::vector<kind> all{
      {"chain", chain, {{1}, {2}, {3, 1, true}}},
      {"chain_between_two_threads", chain_between_two_threads, {{1, 1}, {2, 1}, {2, 2}, {3, 0, true}}},
      {"serial_box", serial_box, {{1}, {2, 1}}},
      {"box_with_a_width", box_with_a_width, {{2, 2}, {3, 2, true}}},
      {"blocking_boxes", blocking_boxes, {{1}, {2, 1}}},
      {"choice", choice, {{1, 1}, {2}}},
      {"ordered_choice", ordered_choice, {{1}, {2, 1}, {3, 2, true}}},
      {"boxes_that_give_none_or_two_in_order", boxes_that_give_none_or_two_in_order, {{1, 1}, {2, 2}}},
      {"star_of_steps", star_of_steps, {{1}, {2, 1}}},
      {"ordered_star", ordered_star, {{2}, {2, 1}}},
      {"split_by_key", split_by_key, {{1}, {2, 1}}},
      {"split_until", split_until, {{1}, {2}}},
      {"feedback_loop", feedback_loop, {{1}, {2, 1}}},
      {"synchrocell_pairs", synchrocell_pairs, {{1}, {2, 1}}},
      {"fold_at_the_end", fold_at_the_end, {{1}, {2, 1}}},
      {"fold_in_a_split", fold_in_a_split, {{1}, {2}}},
      {"folds_one_behind_the_other", folds_one_behind_the_other, {{1}, {2, 1}}},
      {"closed_network", closed_network, {{1}, {2, 1}}},
      {"source_beside_input", source_beside_input, {{1, 1}, {2}}},
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
      {"observed_by_a_callback", observed_by_a_callback, {{1}, {2, 1}}},
      {"told_of_every_observation", told_of_every_observation, {{1}, {2}}},
      {"reports_while_it_runs", reports_while_it_runs, {{1, 1}, {2, 1}}},
      {"sent_inline", sent_inline, {{1, 1}, {2, 1}}},
      {"one_at_a_time", one_at_a_time, {{1}, {2, 1}}},
      {"closed_while_another_sends", closed_while_another_sends, {{1, 1}, {2}}},
      {"reader_that_begins_to_send", reader_that_begins_to_send, {{1, 1}, {2, 1}}},
      {"ordered_behind_a_slow_record", ordered_behind_a_slow_record, {{1, 1}, {2, 1}}},
      {"lanes_that_keep", lanes_that_keep, {{1}, {2, 1}}},
  };
  return all;
}

}  // namespace

std::vector<schedule_program> schedule_programs() {
  std::vector<schedule_program> all;
  for (const kind& one : kinds())
    for (const setting& s : one.settings) {
      std::string name = std::string(one.name) + "@" + std::to_string(s.cores);
      if (s.capacity) name += "c" + std::to_string(s.capacity);
      if (s.equal) name += "e";
      all.push_back({std::move(name),
                     [run = one.run, s] {
                       try {
                         run(s);
                       } catch (const run_error& e) {
                         if (!a_start_fails() || e.details().kind != failure_kind::no_thread) throw;
                       }
                     },
                     one.seconds});
    }
  return all;
}

}  // namespace weir::testing
