#include "bench/flow_accuracy/drawn_boxes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/emulated.hpp"
#include "scheduler/counter_random.hpp"

namespace weir::flow_accuracy {
namespace {

using simulation::mix;
using simulation::uniform;
using message_bytes = std::vector<std::uint8_t>;

constexpr tag number{"number"};
constexpr field<message_bytes> message{"message"};

enum purpose : std::uint64_t { of_time, of_way };

std::uint64_t steps(std::uint64_t count) {
  std::uint64_t state = count;
  for (std::uint64_t i = 0; i < count; ++i) state = mix(state + i);
  return state;
}

// A second's steps on an idle core: the most of several tries, since others only take time away.
double measured_pace() {
  using clock = std::chrono::steady_clock;
  constexpr std::uint64_t many = 200'000;
  double best = 0;
  volatile std::uint64_t kept = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = clock::now();
    kept = kept + steps(many);
    best = std::max(best, static_cast<double>(many) / std::chrono::duration<double>(clock::now() - start).count());
  }
  return best;
}

struct stream_out {
  std::string name;  // of the tag that says for whom a record is
  std::size_t bytes;
};

struct drawn_box {
  std::vector<stream_out> out;
  double mean = 0;  // seconds
  labour how = labour::work;
  std::uint64_t seed = 0;

  void take_time(std::int64_t record) const {
    const double seconds = -mean * std::log(uniform(mix(mix(seed, static_cast<std::uint64_t>(record)), of_time)));
    if (how == labour::work)
      work_for(seconds);
    else
      components::emulate({{seconds}}, 1, 1);
  }
  const stream_out& way(std::int64_t record) const {
    return out[mix(mix(seed, static_cast<std::uint64_t>(record)), of_way) % out.size()];
  }
  // Of one stream or several.
  void operator()(std::int64_t, std::int64_t record, const message_bytes&, emitter& emit) const {
    take_time(record);
    const stream_out& to = way(record);
    emit(tag{to.name} = 1, message = message_bytes(to.bytes), number = record);
  }
};

std::string tag_to(std::size_t component) { return "to_" + std::to_string(component); }

network boxed(const std::string& name, const std::string& own, const drawn_box& what) {
  const auto in = takes(tag{own}, number, message);
  const auto to = [&](std::size_t i) { return gives(tag{what.out[i].name}, message, number); };
  const auto at_once = [](const auto& box) -> network { return box.sequential(); };
  switch (what.out.size()) {
    case 0:
      return at_once(box(name, in, gives(number), [what](std::int64_t, std::int64_t record, const message_bytes&) {
        what.take_time(record);
        return record;
      }));
    case 1:
      return at_once(box(name, in, to(0), what));
    case 2:
      return at_once(box(name, in, to(0) | to(1), what));
    case 3:
      return at_once(box(name, in, to(0) | to(1) | to(2), what));
    default:
      return at_once(box(name, in, to(0) | to(1) | to(2) | to(3), what));
  }
}

}  // namespace

void work_for(double seconds) {
  static const double pace = measured_pace();
  volatile std::uint64_t kept = steps(static_cast<std::uint64_t>(seconds * pace));
  static_cast<void>(kept);
}

network network_of(const drawn_network& drawn, labour how, double scale, std::uint64_t seed) {
  network chain = bypass();
  for (std::size_t i = 0; i < drawn.components.size(); ++i) {
    drawn_box one{{}, drawn.components[i].mean_seconds * scale, how, mix(seed, i)};
    for (const drawn_stream& s : drawn.streams)
      if (s.from == i) one.out.push_back({tag_to(s.to), static_cast<std::size_t>(s.message_bytes)});
    const network box = boxed("b" + std::to_string(i), tag_to(i), one);
    const bool is_end = i == 0 || i + 1 == drawn.components.size();
    chain = i == 0 ? box : chain >> (is_end ? box : box | bypass());
  }
  return chain;
}

record drawn_input(std::int64_t which) {
  const std::string first = tag_to(0);
  return record(tag{first} = 1, number = which, message = message_bytes(1));
}

}  // namespace weir::flow_accuracy
