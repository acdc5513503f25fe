#include "bench/measurements/flow_accuracy/random_boxes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "components/emulated.hpp"
#include "scheduler/view/counter_random.hpp"

namespace weir::flow_accuracy {
namespace {

using weir::mix;
using weir::uniform;
using message_bytes = std::vector<std::uint8_t>;

// The number of the component that a record goes to, and `here` once it has arrived there.
constexpr tag destination{"destination"}, here{"here"}, number{"number"};
constexpr field<message_bytes> message{"message"};

enum purpose : std::uint64_t { of_time, of_way };

std::uint64_t steps(std::uint64_t count) {
  std::uint64_t state = count;
  for (std::uint64_t i = 0; i < count; ++i) state = mix(state + i);
  return state;
}

// The number of steps per second on an idle core: the most of several tries, since disturbances only slow them down.
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

struct random_box {
  std::vector<random_stream> out;
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
  const random_stream& way(std::int64_t record) const {
    return out[mix(mix(seed, static_cast<std::uint64_t>(record)), of_way) % out.size()];
  }
};

network boxed(const std::string& name, const random_box& what) {
  const auto in = takes(here, number, message);
  if (what.out.empty())
    return box(name, in, gives(number),
               [what](std::int64_t, std::int64_t record, const message_bytes&) {
                 what.take_time(record);
                 return record;
               })
        .sequential();
  return box(name, in, gives(destination, number, message),
             [what](std::int64_t, std::int64_t record, const message_bytes&) {
               what.take_time(record);
               const random_stream& to = what.way(record);
               return std::tuple(static_cast<std::int64_t>(to.to), record,
                                 message_bytes(static_cast<std::size_t>(to.message_bytes)));
             })
      .sequential();
}

}  // namespace

void work_for(double seconds) {
  static const double pace = measured_pace();
  volatile std::uint64_t kept = steps(static_cast<std::uint64_t>(seconds * pace));
  static_cast<void>(kept);
}

network network_of(const random_network& drawn, labour how, double scale, std::uint64_t seed) {
  std::optional<network> chain;
  for (std::size_t i = 0; i < drawn.components.size(); ++i) {
    random_box one{{}, drawn.components[i].mean_seconds * scale, how, mix(seed, i)};
    for (const random_stream& s : drawn.streams)
      if (s.from == i) one.out.push_back(s);
    const network own = boxed("b" + std::to_string(i), one);
    if (!chain) {
      chain = own;
    } else if (one.out.empty()) {  // the sink: all remaining records are for it
      chain = *chain >> filter(takes(destination)).emit(here) >> own;
    } else {
      const auto self = static_cast<std::int64_t>(i);
      chain = *chain >> filter(takes(destination)).when(destination == self).emit(here).otherwise().emit(destination) >>
              (own | bypass());
    }
  }
  return *chain;
}

record random_input(std::int64_t which) { return record(here = 0, number = which, message = message_bytes(1)); }

}  // namespace weir::flow_accuracy
