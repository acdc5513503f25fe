#include <thread>

#include "tests/soak/random_options.hpp"

// Boxes that run networks of their own, which run others, on the machine of the outermost run or on this one. Runs are
// read, waited for, stopped or destroyed, in the box's thread or in one that it starts. Each gives the results of
// sequential code in its order, or the beginning of them.
namespace weir::testing {

namespace {

constexpr tag v{"v"};
constexpr int deepest = 3;

struct nest {
  round& the_round;
  std::array<options, deepest + 1> how;        // of the run at each depth
  std::array<std::int64_t, deepest + 1> many;  // records of each run there
  std::uint64_t salt;

  // The result of the box at this depth for a value.
  std::int64_t sequential(int depth, std::int64_t value) const {
    if (depth == 0) return 3 * value + 1;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < many[at(depth)]; ++i) sum += sequential(depth - 1, value + i);
    return sum % 1'000'000'007;
  }
  static std::size_t at(int depth) { return static_cast<std::size_t>(depth); }
};

network box_of(const std::shared_ptr<const nest>& all, int depth);

// Reads at most `most` results, expects the sums of the next records in order, and returns the sum of the results.
struct reading {
  const nest& all;
  int depth;
  std::int64_t first, count = 0, sum = 0;

  void read(execution& run, std::int64_t most) {
    if (count >= most) return;
    for (const record& r : run) {
      const std::int64_t expected = all.sequential(depth - 1, first + count);
      all.the_round.expect(r[v] == expected, "in a run at depth " + std::to_string(depth) + " result " +
                                                 std::to_string(count) + " is " + std::to_string(r[v]) + ", expected " +
                                                 std::to_string(expected));
      ++count;
      sum += r[v];
      if (count >= most) return;
    }
  }
};

constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();

// One run of the network at this depth, used in one of the ways.
std::int64_t run_one(const nest& all, const network& net, int depth, std::int64_t value, std::uint64_t drawn) {
  const std::int64_t many = all.many[nest::at(depth)];
  execution run = start(net, all.how[nest::at(depth)]);
  reading mine{all, depth, value};
  std::thread reader;
  if (drawn % 6 == 0) reader = std::thread([&] { mine.read(run, no_limit); });
  for (std::int64_t i = 0; i < many; ++i) run.send(v = value + i);
  const auto way = drawn / 6 % 6;
  if (!reader.joinable() && way == 4) {
    mine.read(run, many / 2);
    run.stop();
    mine.read(run, no_limit);
    return all.sequential(depth, value);
  }
  if (!reader.joinable() && way == 5) {
    mine.read(run, many / 2);
    return all.sequential(depth, value);
  }
  run.close();
  if (reader.joinable()) {
    reader.join();
  } else {
    if (way == 3) run.wait();
    mine.read(run, no_limit);
  }
  all.the_round.expect(mine.count == many, "a run at depth " + std::to_string(depth) + " gave " +
                                               std::to_string(mine.count) + " results, expected " +
                                               std::to_string(many));
  return mine.sum % 1'000'000'007;
}

network box_of(const std::shared_ptr<const nest>& all, int depth) {
  const std::string name = "level" + std::to_string(depth);
  if (depth == 0)
    return box(name, takes(v), gives(v), [](std::int64_t value) { return 3 * value; }) >>
           box("innermost", takes(v), gives(v), [](std::int64_t value) { return value + 1; });
  const auto body = [all, depth, net = box_of(all, depth - 1)](std::int64_t value) {
    if (all->the_round.is_over()) return all->sequential(depth, value);  // soon ends the run
    const std::uint64_t drawn =
        (static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ull ^ all->salt * static_cast<std::uint64_t>(depth)) >>
        33;
    std::int64_t result = 0;
    const auto once = [&] { result = run_one(*all, net, depth, value, drawn / 8); };
    if (drawn % 8)
      once();
    else
      std::thread(once).join();
    return result;
  };
  const auto plain = box(name, takes(v), gives(v), body);
  switch ((all->salt >> depth) % 5) {
    case 0:
      return plain.serial();
    case 1:
      return plain.blocking(1 + depth);
    default:
      return plain;
  }
}

}  // namespace

void nested_runs(round& r) {
  std::string about;
  const options outer = random_options(r, about);
  const int depth = 1 + static_cast<int>(r.up_to(deepest - 1));
  auto all = std::make_shared<nest>(nest{r, {}, {}, r.up_to(1u << 30)});
  const std::int64_t most = std::array<std::int64_t, 4>{0, slow ? 8 : 30, slow ? 2 : 5, 2}[nest::at(depth)];
  for (int d = depth; d > 0; --d) {
    const std::size_t i = nest::at(d);
    about += "; at depth " + std::to_string(d) + ": ";
    all->how[i] = random_options(r, about);
    if (r.one_in(2)) all->how[i].machine = outer.machine, about += " but the machine of the outermost";
    all->many[i] = 1 + static_cast<std::int64_t>(r.up_to(static_cast<std::uint64_t>(most - 1)));
    about += ", " + std::to_string(all->many[i]) + " records";
  }
  r.say(about);
  const std::int64_t records = 1 + static_cast<std::int64_t>(r.up_to(slow ? 3 : 7));
  execution run = start(box_of(all, depth), outer);
  for (std::int64_t i = 0; i < records; ++i) run.send(v = i * 100);
  run.close();
  std::int64_t next = 0;
  for (const record& one : run) {
    r.note_arrival();
    const std::int64_t expected = all->sequential(depth, next++ * 100);
    r.expect(one[v] == expected,
             "outermost result " + std::to_string(one[v]) + ", sequential code gives " + std::to_string(expected));
  }
  r.expect(next == records, std::to_string(next) + " outermost results, expected " + std::to_string(records));
}

}  // namespace weir::testing
