#include "bench/measurements/overhead/by_taskflow.hpp"

#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include <functional>
#include <optional>
#include <vector>

#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead::by_taskflow {
namespace {

using pipe = tf::Pipe<std::function<void(tf::Pipeflow&)>>;

// Pipes that make `records` items, change each by `change(box, item)` and see them in order, and the lines that hold
// the items.
class pipeline {
 public:
  template <class Begin, class Make, class Serial, class Change, class See>
  pipeline(std::int64_t records, std::size_t places, int boxes, Begin begin, Make make, Serial is_serial, Change change,
           See see)
      : items_(places) {
    pipes_.emplace_back(tf::PipeType::SERIAL, [=, this](tf::Pipeflow& at) {
      const auto i = static_cast<std::int64_t>(at.token());
      if (i == records) return at.stop();
      if (i == 0) begin();
      items_[at.line()] = make(i);
    });
    for (int box = 0; box < boxes; ++box)
      pipes_.emplace_back(is_serial(box) ? tf::PipeType::SERIAL : tf::PipeType::PARALLEL,
                          [=, this](tf::Pipeflow& at) { change(box, items_[at.line()]); });
    pipes_.emplace_back(tf::PipeType::SERIAL, [=, this](tf::Pipeflow& at) { see(items_[at.line()]); });
    all_.emplace(places, pipes_.begin(), pipes_.end());
    graph_.composed_of(*all_);
  }

  void run(tf::Executor& on) {
    on.run(graph_).wait();
    all_->reset();
  }

 private:
  std::vector<item> items_;  // by line
  std::vector<pipe> pipes_;
  std::optional<tf::ScalablePipeline<std::vector<pipe>::iterator>> all_;
  tf::Taskflow graph_;
};

}  // namespace

sample run_chain(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  tf::Executor threads;
  pipeline(
      records, places, k, [&] { m.begin(); }, [](std::int64_t i) { return item_of(i, i, i); },
      [](int) { return false; }, [](int, item& x) { ++x.value; },
      [&](const item& x) { m.see(x.number, x.value == x.number + k); })
      .run(threads);
  return m.result("taskflow");
}

sample run_timed_boxes(const timed_boxes& boxes, std::int64_t records) {
  constexpr std::size_t places = 64;
  meter m(records, true);
  tf::Executor threads;
  pipeline(
      records, places, boxes.count(), [&] { m.begin(); },
      [](std::int64_t i) { return item_of(timed_boxes::first_value(i), i, i); },
      [&](int box) { return boxes.is_serial(box); }, [&](int box, item& x) { x.value = boxes.run(box, x.value); },
      [&](const item& x) { m.see(x.number, boxes.is_right(x.value, x.number)); })
      .run(threads);
  return m.result("taskflow");
}

std::int64_t run_again(int items, int boxes) {
  static std::int64_t right = 0;
  static tf::Executor threads;
  static pipeline all(
      items, 64, boxes, [] {}, [](std::int64_t i) { return item_of(i, i); }, [](int) { return true; },
      [](int, item& x) { ++x.value; }, [boxes](const item& x) { right += x.value == right + boxes; });
  right = 0;
  all.run(threads);
  return right;
}

}  // namespace weir::overhead::by_taskflow
