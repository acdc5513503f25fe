#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <weir/threads/primitives.hpp>

namespace weir::detail {

// The fixed sleeps of a thread that reads results which others bring one by one. To wake the reader for each result
// costs the others more than the result does: 5 to 10 us on a virtual machine. Nothing ends a sleep early, so results,
// and the end of a run, are seen up to 0.1 ms late. Sleeps go on while each brings several results. Where fewer come,
// the next sleep follows after some waits, and each time after twice as many. Used by one thread.
class reader_sleeps {
 public:
  // A wait begins. True: after a sleep, which took place.
  bool take() {
    is_sleep_ = waits_left_ == 0;
    if (is_sleep_)
      threads::sleep(length);
    else
      --waits_left_;
    return is_sleep_;
  }
  // After the wait, with the number of results that came meanwhile.
  void brought(std::size_t results) {
    if (!is_sleep_) return;
    is_sleep_ = false;
    if (results >= enough) {
      between_ = fewest;
    } else {
      waits_left_ = between_;
      between_ = std::min(2 * between_, most);
    }
  }

 private:
  static constexpr std::chrono::microseconds length{50};  // with the slack of the system's timers about 100
  static constexpr std::size_t enough = 4;
#ifdef WEIR_SCHEDULES
  static constexpr int fewest = 1;  // the programs of these tests have few results
#else
  static constexpr int fewest = 32;
#endif
  static constexpr int most = 4096;
  int waits_left_ = fewest, between_ = fewest;
  bool is_sleep_ = false;
};

}  // namespace weir::detail
