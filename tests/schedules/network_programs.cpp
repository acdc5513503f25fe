#include <optional>
#include <span>
#include <tuple>

#include "tests/schedules/program_parts.hpp"

// The parts of a network keep their promises, whichever thread comes first.
namespace weir::testing {
namespace {

void chain(const setting& s) { require_equal(sent_and_read(named("f") >> named("g"), 4, on(s)), up_to(4), "a chain"); }

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
  const network net = box("even", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) { return i; }) | named("any");
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
  const network net = ordered(box("f", takes(n), gives(n),
                                  [](std::int64_t i, emitter& emit) {
                                    for (std::int64_t j = 0; j < i % 3; ++j) emit(n = 10 * i + j);
                                  }) >>
                              named("g"));
  require_equal(sent_by_another(net, 5, on(s)), {10, 20, 21, 40, 50, 51}, "results");
}

void star_of_steps(const setting& s) {
  const network step =
      box("down", takes(n, k), gives(n, k), [](std::int64_t i, std::int64_t left) { return std::tuple(i, left - 1); });
  execution run = start(star(step, pattern{k}.where(k <= 0)), on(s));
  for (std::int64_t i = 1; i <= 3; ++i) run.send(n = i, k = i - 1);
  run.close();
  require_equal(sorted(read_all(run)), up_to(3), "results");
}

void ordered_star(const setting& s) {
  const network step =
      box("down", takes(n, k), gives(n, k), [](std::int64_t i, std::int64_t left) { return std::tuple(i, left - 1); });
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
  joined sender(
      [&] {
        for (int i = 0; i < 2; ++i) run.send(a = i);
      },
      &run);
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

// Branches end faster than their end handler runs, so the fold waits for its end.
void folds_of_branches_that_end(const setting& s) {
  const network slow = fold(
      "slow", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) {
        for (int i = 0; i < 10; ++i) detail::threads::yield();
        emit(n = sum);
      });
  const network keys = source("keys", gives(n, k), [](emitter& emit) {
    for (std::int64_t i = 1; i <= 8; ++i) emit(n = i, k = i);
  });
  execution run = start(keys >> split(slow, k).until(pattern{n}), on(s));
  run.close();
  require_equal(sorted(read_all(run)), up_to(8), "the sums");
}

// The same in a loop, through which the sums go once more.
void folds_of_branches_that_end_in_a_loop(const setting& s) {
  const network slow = fold(
      "slow", takes(n), gives(n), std::int64_t{0}, [](std::int64_t& sum, std::int64_t i) { sum += i; },
      [](std::int64_t& sum, emitter& emit) {
        for (int i = 0; i < 10; ++i) detail::threads::yield();
        emit(n = sum);
      });
  const network keys = source("keys", gives(n, k), [](emitter& emit) {
    for (std::int64_t i = 1; i <= 5; ++i) emit(n = i, k = i);
  });
  const network up = box("up", takes(n), gives(n, k), [](std::int64_t i) { return std::tuple(i + 10, i); });
  execution run = start(keys >> feedback(split(slow, k).until(pattern{n}) >> up, pattern{n}.where(n < 20)), on(s));
  run.close();
  numbers sums = read_all(run);
  for (auto& sum : sums) sum -= 20;
  require_equal(sorted(sums), up_to(5), "the sums");
}

// Branches end faster than a box takes the rests of their batches.
void batches_of_branches_that_end(const setting& s) {
  const network slow = box("slow", takes(n), gives(n), [](std::span<const std::int64_t> all) {
                         for (int i = 0; i < 10; ++i) detail::threads::yield();
                         return numbers(all.begin(), all.end());
                       }).batched(2, fixed_size);
  const network keys = source("keys", gives(n, k), [](emitter& emit) {
    for (std::int64_t i = 1; i <= 8; ++i) emit(n = i, k = i);
  });
  execution run = start(keys >> split(slow, k).until(pattern{n}), on(s));
  run.close();
  require_equal(sorted(read_all(run)), up_to(8), "the records");
}

// The outputs of each record wait for room behind the ordered network.
void many_outputs_in_order(const setting& s) {
  const network many = box("many", takes(n), gives(n), [](std::int64_t i, emitter& emit) {
    for (std::int64_t j = 1; j <= 4; ++j) emit(n = 4 * (i - 1) + j);
  });
  const network slow = box("slow", takes(n), gives(n), [](std::int64_t i) {
                         for (int j = 0; j < 5; ++j) detail::threads::yield();
                         return i;
                       }).serial();
  require_equal(sent_by_another(ordered(many) >> slow, 3, on(s)), up_to(12), "outputs in order");
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

// Outputs wait for those of the first record, more of them than the gate of an ordered network lets in.
void ordered_behind_a_slow_record(const setting& s) {
  const network slow = box("slow", takes(n, k), gives(n), [](std::int64_t i, std::int64_t) {
    for (int j = 0; j < 200; ++j) detail::threads::yield();
    return i;
  });
  execution run = start(ordered(slow | named("any")), on(s));
  joined sender(
      [&] {
        run.send(n = 1, k = 0);
        for (std::int64_t i = 2; i <= 14; ++i) run.send(n = i);
        run.close();
      },
      &run);
  require_equal(read_all(run), up_to(14), "ordered results");
}

// Records of one position end in two places at the same time, so that the last holder of it may be any.
void ordered_records_that_end(const setting& s) {
  const auto kept = [](std::int64_t i) { return i % 3 ? std::optional<std::int64_t>() : i; };
  const network fork = filter(takes(n)).emit(n, k = 1).emit(n);
  const network one = box("one", takes(n, k), gives(n), [kept](std::int64_t i, std::int64_t) { return kept(i); });
  const network other = box("other", takes(n), gives(n), [kept](std::int64_t i) { return kept(i); });
  require_equal(sent_by_another(ordered(fork >> (one | other)), 7, on(s)), {3, 3, 6, 6}, "ordered results");
}

// One box at two places, whose invocations take turns.
void serial_box_at_two_places(const setting& s) {
  const network serial = one_invocation_at_a_time();
  const network marked = box("mark", takes(n, k), gives(n, m),
                             [](std::int64_t i, std::int64_t) { return std::tuple(i, std::int64_t{0}); });
  execution run = start((marked >> serial) | serial, on(s));
  for (std::int64_t i = 1; i <= 6; ++i)
    if (i % 2)
      run.send(n = i);
    else
      run.send(n = i, k = 0);
  run.close();
  require_equal(sorted(read_all(run)), up_to(6), "results");
}

// Each fold is to finish after the one before it, when the results of that one have arrived.
void four_folds_in_a_row(const setting& s) {
  const network sums = total("first") >> named("f") >> total("second") >> total("third") >> total("fourth");
  require_equal(sent_by_another(sums, 4, on(s)), {10}, "the sum");
}

}  // namespace

std::vector<kind> programs_of_networks() {
  return {
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
      {"folds_of_branches_that_end", folds_of_branches_that_end, {{1, 1}, {2, 1}, {3, 1, true}}},
      {"folds_of_branches_that_end_in_a_loop", folds_of_branches_that_end_in_a_loop, {{1, 1}, {2, 1}, {3, 1, true}}},
      {"batches_of_branches_that_end", batches_of_branches_that_end, {{1, 1}, {2, 1}}},
      {"many_outputs_in_order", many_outputs_in_order, {{1, 1}, {2, 1}, {3, 2, true}}},
      {"folds_one_behind_the_other", folds_one_behind_the_other, {{1}, {2, 1}}},
      {"closed_network", closed_network, {{1}, {2, 1}}},
      {"source_beside_input", source_beside_input, {{1, 1}, {2}}},
      {"lanes_that_keep", lanes_that_keep, {{1}, {2, 1}}},
      {"ordered_behind_a_slow_record", ordered_behind_a_slow_record, {{1, 1}, {2, 1}}},
      {"ordered_records_that_end", ordered_records_that_end, {{2, 1}, {3, 1, true}, {4, 2, true}}},
      {"serial_box_at_two_places", serial_box_at_two_places, {{2}, {3, 1, true}}},
      {"four_folds_in_a_row", four_folds_in_a_row, {{2}, {3, 1, true}}},
  };
}

}  // namespace weir::testing
