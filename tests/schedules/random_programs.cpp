#include <map>

#include "runtime/run/run_state.hpp"
#include "tests/runtime/support/ways_of_running.hpp"
#include "tests/schedules/program_parts.hpp"

// Random networks of the whole language, whose results the sequential oracle says.
namespace weir::testing {
namespace {

using namespace language;

// Sends all from one thread and reads in this one.
template <class Run, class Next>
outcome outcome_of(Run& run, const specimen& s, const Next& next) {
  outcome got;
  joined sender([&] {
    try {
      for (const plain_record& r : s.inputs) run.send(realised(r));
      if (!s.net.root()->is_closed()) run.close();
    } catch (...) {  // of a fault: the reader stops waiting
      run.stop();
      throw;
    }
  });
  for (record r; next(r);) got.results.push_back(printed(r));
  sender.join();
  add_report(got, run);
  got.observed = *s.seen;
  return got;
}

void random_network(const specimen& s, const setting& where) {
  *s.seen = 0;
  detail::run_state run(s.net, on(where));
  const outcome got = outcome_of(run, s, [&](record& r) { return run.next(r); });
  const std::string wrong = difference(s, got);
  require(wrong.empty(), wrong);
}

// Cores come and go meanwhile, and each time they are dealt out in another way.
void random_network_whose_grants_move(const specimen& s, const setting& where) {
  *s.seen = 0;
  options o = on(where);
  o.policy = random_shares(where.capacity + 1);
  const machine all = o.machine;
  detail::run_state run(s.net, o);
  joined changer([&] {
    for (int i = 0; i < 4; ++i) {
      run.set_partition(core_set::range(i % 2, where.cores - i % 2));
      for (int j = 0; j < 20; ++j) detail::threads::yield();
    }
  });
  const outcome got = outcome_of(run, s, [&](record& r) { return run.next(r); });
  changer.join();
  const std::string wrong = difference(s, got);
  require(wrong.empty(), wrong);
}

// The first ones that are small enough to be run some thousand times.
std::vector<std::pair<std::uint64_t, specimen>> small_networks(std::size_t wanted) {
  std::vector<std::pair<std::uint64_t, specimen>> small;
  language_statistics all;
  for (std::uint64_t seed = 1; small.size() < wanted; ++seed) {
    specimen s = language_maker(seed).draw(all);
    std::size_t results = 0;
    for (const group& g : s.expected) results += g.size();
    if (s.inputs.size() <= 12 && results > 0 && results <= 20) small.emplace_back(seed, std::move(s));
  }
  return small;
}

}  // namespace

std::vector<schedule_program> programs_of_random_networks() {
  std::vector<schedule_program> all;
  for (auto& [seed, drawn] : small_networks(20)) {
    const auto s = std::make_shared<const specimen>(std::move(drawn));
    const std::string name = "random_" + std::to_string(seed);
    const setting narrow{1 + static_cast<int>(seed % 3), seed % 2, seed % 5 == 0};
    all.push_back({name, [s, narrow] { random_network(*s, narrow); }, 0.09});
    const setting wide{3, 1 + seed % 2, false};
    all.push_back({name + "_moving", [s, wide] { random_network_whose_grants_move(*s, wide); }, 30});
  }
  return all;
}

}  // namespace weir::testing
