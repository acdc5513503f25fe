// What the coordination language costs when networks are large: deep stars, many split keys, long state chains, wide
// choices, long chains of boxes. Every answer is checked; a wrong one ends the program with exit code 1.
//
// Each measurement runs in a process of its own (this program, started again), so that no row finds memory or threads
// that an earlier one left behind. Memory is what operator new handed out and has not got back, by malloc_usable_size;
// the pool's blocks come from there, too, and are counted whether in use or kept for reuse.

#include <fmt/format.h>
#include <malloc.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <weir/weir.hpp>

#include "bench/weir/host.hpp"
#include "runtime/pool.hpp"

// ---- live bytes ----

namespace {

std::atomic<long long> live_bytes{0}, peak_bytes{0};

// A thread tells the others only so often: counting stays much cheaper than allocating, the peak is exact to 16 kB a
// thread.
thread_local long long untold = 0;

void count_bytes(long long change) noexcept {
  constexpr long long often = 16384;
  untold += change;
  if (untold < often && untold > -often) return;
  const long long now = live_bytes.fetch_add(untold, std::memory_order_relaxed) + untold;
  untold = 0;
  long long before = peak_bytes.load(std::memory_order_relaxed);
  while (before < now && !peak_bytes.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  count_bytes(static_cast<long long>(malloc_usable_size(p)));
  return p;
}

void uncounted(void* p) noexcept {
  if (p) count_bytes(-static_cast<long long>(malloc_usable_size(p)));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto a = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { uncounted(p); }

namespace {

using clock_type = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

// ---- what is measured ----

// One row of one run.
struct row {
  std::string what;
  std::int64_t size = 0, records = 0;
  double seconds = 0;
  double hops = 0;         // stages that all records together passed; 0: not worth a column
  long long bytes = 0;     // peak above what was there when the first record was sent
  std::string of;          // what the bytes are divided by ..
  std::int64_t count = 0;  // .. and how many of those there were
  double build_seconds = 0, start_seconds = 0;
  long long made_bytes = 0;  // that the network and its run took before the first record
  long long blocks = 0;      // pool blocks live when the last record had come out, input not closed yet
};

json as_json(const row& r) {
  return {{"what", r.what},
          {"size", r.size},
          {"records", r.records},
          {"seconds", r.seconds},
          {"hops", r.hops},
          {"bytes", r.bytes},
          {"of", r.of},
          {"count", r.count},
          {"build_seconds", r.build_seconds},
          {"start_seconds", r.start_seconds},
          {"made_bytes", r.made_bytes},
          {"blocks", r.blocks}};
}

row as_row(const json& j) {
  return {j["what"], j["size"],  j["records"],       j["seconds"],       j["hops"],       j["bytes"],
          j["of"],   j["count"], j["build_seconds"], j["start_seconds"], j["made_bytes"], j["blocks"]};
}

void check(bool holds, const std::string& who, const std::string& what) {
  if (!holds) throw std::runtime_error(who + " gave a wrong answer: " + what);
}

// A network in use: timed from its construction on, fed by a thread of its own, read by the caller.
class trial {
 public:
  trial(std::string what, std::int64_t size, const std::function<weir::network()>& make, weir::options o = {}) {
    row_.what = std::move(what);
    row_.size = size;
    const long long before = live_bytes.load();
    const auto at = clock_type::now();
    net_ = std::make_unique<weir::network>(make());
    row_.build_seconds = seconds_since(at);
    const auto then = clock_type::now();
    run_ = std::make_unique<weir::execution>(weir::start(*net_, std::move(o)));
    row_.start_seconds = seconds_since(then);
    row_.made_bytes = live_bytes.load() - before;
  }

  long long made_bytes() const { return row_.made_bytes; }

  // Sends `count` records and reads `expected` results; the row then says what that took.
  template <class Send, class See>
  row pass(const std::string& suffix, std::int64_t count, std::int64_t expected, Send send, See see) {
    row now = row_;
    now.what += suffix;
    now.records = count;
    const long long before = live_bytes.load();
    peak_bytes.store(before);
    const auto at = clock_type::now();
    std::thread sender([&] {
      for (std::int64_t i = 0; i < count; ++i) send(*run_, i);
    });
    for (std::int64_t i = 0; i < expected; ++i) {
      if (begun_)
        ++results_;
      else
        results_ = run_->begin(), begun_ = true;
      if (results_ == run_->end()) break;
      see(*results_);
    }
    now.seconds = seconds_since(at);
    sender.join();
    now.bytes = peak_bytes.load() - before;
    now.blocks = weir::pool::live();
    return now;
  }

  // Nothing more comes, and nothing was lost on the way.
  weir::run_report finish(std::uint64_t still_held) {
    run_->close();
    if (begun_)
      ++results_;
    else
      results_ = run_->begin();
    check(results_ == run_->end(), row_.what, "more results than expected");
    weir::run_report r = run_->report();
    check(r.failed == 0 && r.dropped == 0, row_.what, "records failed or were dropped");
    check(r.held == still_held, row_.what, fmt::format("{} records held at the end", r.held));
    return r;
  }

 private:
  row row_;
  std::unique_ptr<weir::network> net_;
  std::unique_ptr<weir::execution> run_;
  weir::execution::iterator results_;
  bool begun_ = false;
};

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
  check(t.finish(0).unfolded == static_cast<std::uint64_t>(keys), "split", "branches made");
  return rows;
}

// Worked case E: the k-th A of each key meets the k-th B of it, and the outputs keep the order of those that completed
// them.
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

// A state that counts its steps. Each gives the next its state and its input.
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

// The same with an input from outside for each step, sent as fast as the network takes it: those that are early wait in
// the chain's cells.
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

// Each branch takes a tag that no other takes. The records are made beforehand, one for each branch.
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

// What one more of each takes: from records that nobody reads yet, and from chains as they are made, with streams of
// their automatic length and with short ones.
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

struct measurement {
  std::string name;
  std::vector<std::int64_t> sizes;
  std::vector<row> (*run)(std::int64_t size);
};

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

// ---- one measurement in a process of its own ----

int measure_here(const std::string& name, std::int64_t size) {
  for (const measurement& m : measurements) {
    if (m.name != name) continue;
    json all = json::array();
    for (const row& r : m.run(size)) all.push_back(as_json(r));
    fmt::print("{}\n", all.dump());
    return 0;
  }
  throw std::invalid_argument("--measure: there is no \"" + name + "\"");
}

std::vector<row> measure_apart(const std::string& name, std::int64_t size) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format("'{}' --measure {} --size {}", self, name, size);
  FILE* const from = popen(command.c_str(), "r");
  if (!from) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, from)) text.append(buffer, got);
  const int status = pclose(from);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(fmt::format("{} of size {} failed{}", name, size,
                                         WIFSIGNALED(status) ? fmt::format(", signal {}", WTERMSIG(status)) : ""));
  std::vector<row> rows;
  for (const json& j : json::parse(text)) rows.push_back(as_row(j));
  return rows;
}

// ---- all of them ----

struct spread {
  double median, least, most;
};

template <class Of>
spread over(const std::vector<row>& runs, Of of) {
  std::vector<double> v;
  for (const row& r : runs) v.push_back(static_cast<double>(of(r)));
  std::sort(v.begin(), v.end());
  const std::size_t half = v.size() / 2;
  return {v.size() % 2 ? v[half] : 0.5 * (v[half - 1] + v[half]), v.front(), v.back()};
}

struct line {
  row sample;
  spread seconds, bytes, build, start, made, blocks;
  double per_record() const { return seconds.median / static_cast<double>(sample.records) * 1e9; }
  double per_hop() const { return sample.hops > 0 ? seconds.median / sample.hops * 1e9 : 0; }
  double bytes_each() const { return bytes.median / static_cast<double>(sample.count); }
};

void print(const line& l) {
  const auto positive = [](double v, const char* form) {
    return v > 0 ? fmt::format(fmt::runtime(form), v) : std::string();
  };
  fmt::print("{:<27}{:>9}{:>9}  {:>8.4f} [{:.4f} .. {:.4f}]{:>13.0f}{:>9}{:>12.0f}  {:<18}{:>9.2f}{:>9.2f}{:>10.0f}\n",
             l.sample.what, l.sample.size, l.sample.records, l.seconds.median, l.seconds.least, l.seconds.most,
             l.per_record(), positive(l.per_hop(), "{:.1f}"), l.bytes.median / 1e3,
             l.sample.count ? fmt::format("{:.0f} a {}", l.bytes_each(), l.sample.of) : "", l.build.median * 1e3,
             l.start.median * 1e3, l.made.median / 1e3);
}

json as_json(const line& l) {
  const auto three = [](const spread& s) { return json{{"median", s.median}, {"min", s.least}, {"max", s.most}}; };
  json j{{"what", l.sample.what},
         {"size", l.sample.size},
         {"records", l.sample.records},
         {"seconds", three(l.seconds)},
         {"nanoseconds_per_record", l.per_record()}};
  j["nanoseconds_per_hop"] = l.sample.hops > 0 ? json(l.per_hop()) : json();
  j["peak_bytes"] = three(l.bytes);
  j["bytes_each"] = l.sample.count ? json(l.bytes_each()) : json();
  j["each"] = l.sample.of;
  j["build_seconds"] = three(l.build);
  j["start_seconds"] = three(l.start);
  j["made_bytes"] = three(l.made);
  j["pool_blocks"] = three(l.blocks);
  return j;
}

// From one size to the next, as ratios of the fastest runs: what is linear grows as the size does, and what else runs
// on the machine only adds.
void print_growth(const std::vector<line>& lines) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const line &a = lines[i - 1], &b = lines[i];
    if (a.sample.what != b.sample.what) continue;
    fmt::print(
        "{}, {} -> {}: build x{:.2f}, start x{:.2f}, run x{:.2f}; peak {:.0f} -> {:.0f} kB, pool blocks live at the "
        "end {} -> {}\n",
        a.sample.what, a.sample.size, b.sample.size, b.build.least / a.build.least, b.start.least / a.start.least,
        b.seconds.least / a.seconds.least, a.bytes.median / 1e3, b.bytes.median / 1e3, a.blocks.median,
        b.blocks.median);
  }
}

// A state chain that feeds itself needs the same memory however many steps it goes.
void check_state_chain(const std::vector<line>& lines) {
  constexpr double slack = 256e3;  // what the threads keep, and a few observations more
  const line* before = nullptr;
  for (const line& l : lines) {
    if (l.sample.what != "state chain, feeds itself") continue;
    if (before && l.bytes.median > before->bytes.median + slack)
      throw std::runtime_error(fmt::format("the state chain's memory grows: {:.0f} bytes at {} steps, {:.0f} at {}",
                                           before->bytes.median, before->sample.size, l.bytes.median, l.sample.size));
    before = &l;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What large networks cost: deep stars, many keys, long state chains, wide choices, long chains"};
  bool json_wanted = false;
  int repeats = 3;
  std::string only, here;
  std::int64_t size = 0;
  app.add_flag("--json", json_wanted, "machine-readable output");
  app.add_option("--repeat", repeats, "interleaved repeats of each measurement")->check(CLI::Range(1, 1000));
  std::vector<std::string> names;
  for (const measurement& m : measurements) names.push_back(m.name);
  app.add_option("--only", only, "this measurement alone")->check(CLI::IsMember(names));
  auto* const size_option = app.add_option("--size", size, "the size for --measure")
                                ->check(CLI::Range(std::int64_t{1}, std::int64_t{100000000}));
  app.add_option("--measure", here, "one measurement, once, in this process; prints its rows as JSON")
      ->needs(size_option);
  CLI11_PARSE(app, argc, argv);
  try {
    if (!here.empty()) return measure_here(here, size);
    std::vector<std::vector<row>> runs;  // by line
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::size_t at = 0;
      for (const measurement& m : measurements) {
        if (!only.empty() && m.name != only) continue;
        for (const std::int64_t s : m.sizes)
          for (row& r : measure_apart(m.name, s)) {
            if (at == runs.size()) runs.emplace_back();
            runs[at++].push_back(std::move(r));
          }
      }
    }
    std::vector<line> lines;
    for (const auto& r : runs)
      lines.push_back(
          {r[0], over(r, [](const row& x) { return x.seconds; }), over(r, [](const row& x) { return x.bytes; }),
           over(r, [](const row& x) { return x.build_seconds; }), over(r, [](const row& x) { return x.start_seconds; }),
           over(r, [](const row& x) { return x.made_bytes; }), over(r, [](const row& x) { return x.blocks; })});
    const unsigned cores = std::thread::hardware_concurrency();
    if (json_wanted) {
      json all{{"machine", {{"cores", cores}, {"processor", weir::command::processor_name()}}},
               {"build", weir::command::build_type()},
               {"repeats", repeats},
               {"rows", json::array()}};
      for (const line& l : lines) all["rows"].push_back(as_json(l));
      fmt::print("{}\n", all.dump(2));
      check_state_chain(lines);
      return 0;
    }
    fmt::print(
        "{} cores ({}), {} build; medians of {} runs, each in a process of its own, interleaved; every answer "
        "checked\n\n",
        cores, weir::command::processor_name(), weir::command::build_type(), repeats);
    fmt::print("{:<27}{:>9}{:>9}  {:<28}{:>13}{:>9}{:>12}  {:<18}{:>9}{:>9}{:>10}\n", "what", "size", "records",
               " seconds [min .. max]", "ns/record", "ns/hop", "peak kB", "bytes each", "build ms", "start ms",
               "made kB");
    for (const line& l : lines) print(l);
    fmt::print("\n");
    print_growth(lines);
    check_state_chain(lines);
  } catch (const std::exception& e) {
    fmt::print(stderr, "sizes: {}\n", e.what());
    return 1;
  }
  return 0;
}
