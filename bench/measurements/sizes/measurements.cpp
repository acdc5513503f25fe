#include "bench/measurements/sizes/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>

#include <weir/weir.hpp>

#include "bench/measurements/sizes/trial.hpp"

namespace weir::sizes {

namespace {

inline constexpr weir::tag n{"n"}, k{"k"}, value{"value"}, st{"st"}, in{"in"}, out{"out"}, A{"A"}, B{"B"};

std::int64_t one_less(std::int64_t v) { return v - 1; }
std::int64_t one_more(std::int64_t v) { return v + 1; }

// The first record makes the stages, the others find them.
std::vector<row> star_of(const std::string& what, std::int64_t depth, const weir::network& body) {
  constexpr std::int64_t others = 10;
  trial t(what, depth, [&] { return star(body, weir::pattern{n}.where(n == 0)); });
  std::vector<row> rows;
  std::int64_t right = 0;
  const auto send = [&](weir::execution& run, std::int64_t i) { run.send(n = depth, k = i); };
  const auto see = [&](const weir::record& r) { right += r[n] == 0; };
  rows.push_back(t.pass(": unfolded", 1, 1, send, see));
  rows.push_back(t.pass(": passed", others, others, send, see));
  check(right == others + 1, what, "a counter did not reach 0");
  check(t.finish(0).unfolded == static_cast<std::uint64_t>(depth), what, "stages made");
  for (row& r : rows) r.hops = static_cast<double>(r.records * depth);
  rows[0].of = "stage";
  rows[0].count = depth;
  return rows;
}

std::vector<row> measure_star(std::int64_t depth) {
  return star_of("star of a box", depth, weir::box("down", takes(n), gives(n), one_less));
}

std::vector<row> measure_star_of_filter(std::int64_t depth) {
  return star_of("star of a filter", depth, weir::filter(takes(n)).emit(n = n - 1));
}

// 10^4 keys: their branches are made, then used at random.
std::vector<row> measure_split(std::int64_t keys) {
  constexpr std::int64_t others = 1000000;
  trial t("split", keys, [] { return split(weir::box("up", takes(value), gives(value), one_more), k); });
  std::int64_t sum = 0;
  const auto see = [&](const weir::record& r) { sum += r[value] - r[k]; };
  std::vector<row> rows;
  rows.push_back(t.pass(
      ": unfolded", keys, keys, [](auto& run, std::int64_t i) { run.send(value = i, k = i); }, see));
  rows[0].of = "key";
  rows[0].count = keys;
  rows.push_back(t.pass(
      ": used", others, others,
      [&](auto& run, std::int64_t i) {
        const std::int64_t key = i * 7919 % keys;
        run.send(value = key, k = key);
      },
      see));
  check(sum == keys + others, "split", "a value is wrong");
  // More: a branch that rested was removed, and made again.
  check(t.finish(0).unfolded >= static_cast<std::uint64_t>(keys), "split", "branches made");
  return rows;
}

// Worked case E: the k-th A of each key meets the k-th B of that key. The outputs keep the order of the records that
// completed them.
std::vector<row> measure_ordered_split(std::int64_t keys) {
  constexpr std::int64_t rounds = 5;
  const std::int64_t pairs = rounds * keys;
  trial t("ordered split of pairings", keys, [] {
    return ordered(split(star(weir::sync({A}, {B}), weir::pattern{A, B}), k));
  });
  std::int64_t next = 0;
  bool right = true;
  row r = t.pass(
      "", 2 * pairs, pairs,
      [&](weir::execution& run, std::int64_t i) {  // a round of A for all keys, one of B, ..
        const std::int64_t round = i / keys / 2, key = i % keys;
        if (i / keys % 2 == 0)
          run.send(A = round, k = key);
        else
          run.send(B = round * keys + key, k = key);
      },
      [&](const weir::record& x) {
        right = right && x[B] == next && x[A] == next / keys && x[k] == next % keys;
        ++next;
      });
  check(right, r.what, "the sequence");
  t.finish(0);
  r.of = "key";
  r.count = keys;
  return {r};
}

row state_chain(const std::string& what, std::int64_t steps, std::int64_t records, std::uint64_t held,
                const weir::network& step, std::int64_t results,
                const std::function<void(weir::execution&, std::int64_t)>& send,
                const std::function<bool(std::int64_t sum, std::int64_t earlier)>& fits) {
  trial t(what, steps, [&] { return star(weir::sync({st}, {in}) >> (weir::bypass() | step), weir::pattern{out}); });
  std::int64_t seen = 0;
  bool right = true;
  row r = t.pass("", records, results, send, [&](const weir::record& x) { right = right && fits(x[out], seen++); });
  check(right, r.what, "a sum");
  const weir::run_report report = t.finish(held);
  check(report.removed == static_cast<std::uint64_t>(steps), r.what, fmt::format("{} stages removed", report.removed));
  check(report.unfolded == report.removed + held, r.what, fmt::format("{} stages made", report.unfolded));
  r.hops = static_cast<double>(steps);
  r.of = "step";
  r.count = steps;
  return r;
}

// A state that counts its steps. Each step emits the state and the input of the next.
std::vector<row> measure_state(std::int64_t steps) {
  const weir::network step = weir::box("step", takes(st, in), gives(out) | gives(st) | gives(in),
                                       [](std::int64_t left, std::int64_t sum, weir::emitter& emit) {
                                         if (left == 1) return emit(out = sum + 1);
                                         emit(st = left - 1);
                                         emit(in = sum + 1);
                                       });
  return {state_chain(
      "state chain, feeds itself", steps, 2, 0, step, 1,
      [&](weir::execution& run, std::int64_t i) {
        if (i == 0)
          run.send(st = steps);
        else
          run.send(in = 0);
      },
      [&](std::int64_t sum, std::int64_t) { return sum == steps; })};
}

// The same with an input from outside for each step, sent as fast as the network takes it. Early inputs wait in the
// chain's cells.
std::vector<row> measure_state_fed(std::int64_t steps) {
  const weir::network add = weir::box("add", takes(st, in), gives(out) | gives(st),
                                      [](std::int64_t state, std::int64_t input, weir::emitter& emit) {
                                        emit(out = state + input);
                                        emit(st = state + input);
                                      });
  return {state_chain(
      "state chain, inputs sent", steps, steps + 1, 1, add, steps,
      [](weir::execution& run, std::int64_t i) {
        if (i == 0)
          run.send(st = 0);
        else
          run.send(in = 1);
      },
      [](std::int64_t sum, std::int64_t earlier) { return sum == earlier + 1; })};
}

// Each branch takes a tag that no other branch takes. The records are made beforehand, one for each branch.
std::vector<row> measure_choice(std::int64_t branches) {
  constexpr std::int64_t records = 1000000;
  std::deque<std::string> names;
  std::vector<weir::tag> tags;
  for (std::int64_t i = 0; i < branches; ++i) {
    names.push_back(fmt::format("b{}", i));
    tags.emplace_back(names.back().c_str());
  }
  std::vector<weir::record> prepared;
  for (std::int64_t i = 0; i < branches; ++i)
    prepared.push_back({tags[static_cast<std::size_t>(i)] = 2 * i, k = i, value = i});
  trial t("choice", branches, [&] {
    std::vector<weir::network> all;
    for (const weir::tag& b : tags)
      all.push_back(weir::box("up " + weir::to_string(*b.info()), takes(b), gives(b), one_more));
    return weir::choice(all);
  });
  std::int64_t sum = 0;
  row r = t.pass(
      "", records, records,
      [&](weir::execution& run, std::int64_t i) { run.send(prepared[static_cast<std::size_t>(i % branches)]); },
      [&](const weir::record& x) { sum += x[tags[static_cast<std::size_t>(x[k])]] - 2 * x[value]; });
  check(sum == records, r.what, "a record missed its branch");
  const weir::run_report report = t.finish(0);
  check(
      std::all_of(report.components.begin(), report.components.end(), [](const auto& c) { return c.invocations > 0; }),
      r.what, "a branch was not reached");
  r.of = "branch";
  r.count = branches;
  return {r};
}

weir::network chain(std::int64_t boxes, bool each_its_own) {
  const weir::network up = weir::box("up", takes(value), gives(value), one_more);
  weir::network all = up;
  for (std::int64_t i = 1; i < boxes; ++i)
    all = all >> (each_its_own ? weir::box(fmt::format("up {}", i), takes(value), gives(value), one_more) : up);
  return all;
}

std::vector<row> chain_of(const std::string& what, std::int64_t boxes, bool each_its_own) {
  constexpr std::int64_t records = 200;
  trial t(what, boxes, [&] { return chain(boxes, each_its_own); });
  std::int64_t next = 0;
  bool right = true;
  row r = t.pass(
      "", records, records, [](weir::execution& run, std::int64_t i) { run.send(value = i, k = i); },
      [&](const weir::record& x) {
        right = right && x[k] == next && x[value] == next + boxes;
        ++next;
      });
  check(right, r.what, "a value or the order");
  t.finish(0);
  r.hops = static_cast<double>(records * boxes);
  r.of = "box";
  r.count = boxes;
  return {r};
}

std::vector<row> measure_chain(std::int64_t boxes) { return chain_of("chain of one box", boxes, false); }
std::vector<row> measure_chain_of_many(std::int64_t boxes) { return chain_of("chain of different boxes", boxes, true); }

// Worked case D with all A before the first B.
std::vector<row> measure_pairing(std::int64_t pairs) {
  trial t("pairing, all A first", pairs, [] { return star(weir::sync({A}, {B}), weir::pattern{A, B}); });
  std::int64_t got = 0;
  bool right = true;
  row r = t.pass(
      "", 2 * pairs, pairs,
      [&](weir::execution& run, std::int64_t i) {
        if (i < pairs)
          run.send(A = i);
        else
          run.send(B = i - pairs);
      },
      [&](const weir::record& x) {
        right = right && x[A] == x[B];
        got += x[A] + 1;
      });
  check(right && got == pairs * (pairs + 1) / 2, r.what, "a pair");
  t.finish(0);
  r.of = "waiting A";
  r.count = pairs;
  return {r};
}

// The memory of one more record, or one more part of a network. Records are measured while they are not read yet,
// chains right after they are made, with streams of automatic length and with short ones.
std::vector<row> measure_each(std::int64_t count) {
  static constexpr weir::field<double> f{"f"}, g{"g"}, h{"h"};
  constexpr std::size_t places = 4;
  const auto of = [&](const std::string& what, long long bytes, const std::string& each) {
    row r;
    r.what = "one more: " + what;
    r.size = r.records = r.count = count;
    r.bytes = bytes;
    r.of = each;
    return r;
  };
  const auto made = [&](bool each_its_own, std::size_t capacity) {
    weir::options o;
    o.capacity = capacity;
    return trial(
               "chain", count, [&] { return chain(count, each_its_own); }, o)
        .made_bytes();
  };
  trial t("records that wait", count, [] { return weir::bypass(); });
  const long long waiting =
      t.pass(
           "", count, 0,
           [&](weir::execution& run, std::int64_t i) { run.send(f = 0.5, g = 1.5, h = 2.5, n = i, k = i); },
           [](const weir::record&) {})
          .bytes;
  std::int64_t right = 0;
  t.pass(
      "", 0, count, [](weir::execution&, std::int64_t) {}, [&](const weir::record& r) { right += r[n] == right; });
  check(right == count, "records that wait", "their order");
  t.finish(0);
  const long long instances = made(false, places), streams = made(false, 0), components = made(true, places);
  return {of("record", waiting, "record of 5"), of("place of a box", instances, "instance"),
          of("stream", streams - instances, "stream"), of("component", components - instances, "component")};
}

}  // namespace

const std::vector<measurement> measurements{{"star", {100000}, measure_star},
                                            {"star-filter", {100000}, measure_star_of_filter},
                                            {"split", {10000}, measure_split},
                                            {"ordered-split", {10000}, measure_ordered_split},
                                            {"state", {100000, 1000000}, measure_state},
                                            {"state-fed", {100000, 1000000}, measure_state_fed},
                                            {"choice", {256}, measure_choice},
                                            {"chain", {2500, 5000, 10000}, measure_chain},
                                            {"chain-different", {2500, 5000, 10000}, measure_chain_of_many},
                                            {"pairing", {100000}, measure_pairing},
                                            {"each", {1000}, measure_each}};

}  // namespace weir::sizes
