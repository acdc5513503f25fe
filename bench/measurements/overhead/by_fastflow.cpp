#include "bench/measurements/overhead/by_fastflow.hpp"

#include <ff/ff.hpp>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

#include "bench/measurements/overhead/item.hpp"

namespace weir::overhead::by_fastflow {
namespace {

using node = ff::ff_node_F<item>;

template <class Change>
std::unique_ptr<ff::ff_node> changing(Change change) {
  return std::make_unique<node>([change](item* x, ff::ff_node*) {
    change(*x);
    return x;
  });
}

// Runs a source of items, made by `make(i)`, the boxes, and a sink.
template <class Make, class See>
void run(std::int64_t records, std::size_t places, Make make, const std::vector<std::unique_ptr<ff::ff_node>>& boxes,
         See see) {
  ff::ff_pipeline all;
  all.setXNodeInputQueueLength(static_cast<int>(places), true);
  all.setXNodeOutputQueueLength(static_cast<int>(places), true);
  node source([&](item*, ff::ff_node* self) {
    for (std::int64_t i = 0; i < records; ++i) self->ff_send_out(make(i));
    return static_cast<item*>(self->EOS);
  });
  node sink([&](item* x, ff::ff_node* self) {
    see(x);
    return static_cast<item*>(self->GO_ON);
  });
  all.add_stage(&source);
  for (const auto& box : boxes) all.add_stage(box.get());
  all.add_stage(&sink);
  all.blocking_mode(true);
  if (all.run_and_wait_end() < 0) throw std::runtime_error("FastFlow cannot run the pipeline");
}

}  // namespace

sample run_chain(int k, std::size_t places, std::int64_t records) {
  meter m(records, true);
  const auto nodes = static_cast<std::size_t>(k + 2);
  std::vector<item> ring((nodes - 1) * places + nodes + 1);  // more than the queues and the nodes hold
  std::vector<std::unique_ptr<ff::ff_node>> boxes;
  for (int box = 0; box < k; ++box) boxes.push_back(changing([](item& x) { ++x.value; }));
  run(
      records, places,
      [&](std::int64_t i) {
        if (i == 0) m.begin();
        item& x = ring[static_cast<std::size_t>(i) % ring.size()];
        x = item_of(i, i, i);
        return &x;
      },
      boxes, [&](const item* x) { m.see(x->number, x->value == x->number + k); });
  return m.result("fastflow");
}

sample run_timed_boxes(const timed_boxes& boxes, std::int64_t records) {
  constexpr int places = 64;
  meter m(records, true);
  std::vector<std::unique_ptr<ff::ff_node>> all;
  for (int box = 0; box < boxes.count(); ++box) {
    const auto change = [&boxes, box](item& x) { x.value = boxes.run(box, x.value); };
    if (boxes.is_serial(box)) {
      all.push_back(changing(change));
      continue;
    }
    std::vector<std::unique_ptr<ff::ff_node>> workers;
    for (int i = 0; i < machine::local().size(); ++i) workers.push_back(changing(change));
    auto farm = std::make_unique<ff::ff_OFarm<item>>(std::move(workers));
    farm->setInputQueueLength(places, true);
    farm->setOutputQueueLength(places, true);
    all.push_back(std::move(farm));
  }
  run(
      records, places,
      [&](std::int64_t i) {
        if (i == 0) m.begin();
        return std::make_unique<item>(item_of(timed_boxes::first_value(i), i, i)).release();
      },
      all,
      [&](item* x) {
        const std::unique_ptr<item> own(x);
        m.see(x->number, boxes.is_right(x->value, x->number));
      });
  return m.result("fastflow");
}

}  // namespace weir::overhead::by_fastflow
