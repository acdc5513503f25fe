// A deadline for each record. A record that is late already goes by the expensive box. A box that works in steps gives
// its record up when the time is over, or when the run stops.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include <weir/weir.hpp>

namespace example {
using namespace weir;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

inline constexpr field<std::string> scene{"scene"}, picture{"picture"};
inline constexpr field<clock_type::time_point> due{"due"};
inline constexpr tag id{"id"}, strips{"strips"}, late{"late"};

network drawn_in_time() {
  const auto check = box("check", takes(due), gives(due) | gives(late), [](clock_type::time_point by, emitter& emit) {
    if (clock_type::now() < by) return emit(due = by);
    emit(late = 1);
  });
  const auto draw = box(
      "draw", takes(scene, strips, due), gives(picture) | gives(late),
      [](const grant& given, const std::string& what, std::int64_t steps, clock_type::time_point by, emitter& emit) {
        std::string drawn;
        for (std::int64_t i = 0; i < steps; ++i) {
          if (clock_type::now() >= by) return emit(late = 1);
          if (given.stop().stop_requested()) return;  // the run stops: no result is wanted
          std::this_thread::sleep_for(1ms);           // stands for drawing a strip
          drawn += what;
        }
        emit(picture = drawn);
      });
  const auto give_up = filter(takes(scene, strips, late)).emit(late);
  return ordered(check >> (draw | give_up));
}

void program() {
  const auto now = clock_type::now();
  const std::int64_t for_ever = INT64_MAX;
  {
    execution run = start(drawn_in_time());
    run.send(id = 1, scene = "tree ", strips = 3, due = now + 1h);
    run.send(id = 2, scene = "lake ", strips = 3, due = now - 1s);
    run.send(id = 3, scene = "city ", strips = for_ever, due = now + 50ms);
    run.close();
    for (const record& r : run) std::cout << r << '\n';
  }
  execution run = start(drawn_in_time());
  run.send(id = 4, scene = "moon ", strips = for_ever, due = now + 24h);
  run.stop();
  run.wait();  // returns when `draw` has seen the stop
  std::cout << run.report().results << " results of a run that was stopped\n";
}

}  // namespace example

int main() { example::program(); }
