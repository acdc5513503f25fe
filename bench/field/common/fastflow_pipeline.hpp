#pragma once

#include <ff/ff.hpp>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weir::field_bench {

// A FastFlow pipeline whose stages change items, where its headers were found. A serial stage is a node with a thread.
// A farm has a thread for each worker, one for its emitter and one for its collector, and a worker gets an item when it
// is free. Threads sleep when they have nothing to do (blocking mode). Queues between stages have four places a worker.
// A stage that throws ends the process, as FastFlow has it.
template <class T>
class fastflow_pipeline {
 public:
  using held = std::shared_ptr<T>;
  using change = std::function<void(T&)>;

  // `next` gives the items, and null after the last. `workers` of each farm.
  fastflow_pipeline(int workers, std::function<held()> next) : workers_(workers), next_(std::move(next)) {}

  void serial(change work) { stages_.push_back({kind::serial, std::move(work)}); }
  void farm(change work) { stages_.push_back({kind::farm, std::move(work)}); }
  void ordered_farm(change work) { stages_.push_back({kind::ordered_farm, std::move(work)}); }  // not the last stage

  // Ends when the last stage is through with the last item. Throws std::runtime_error where FastFlow cannot run it.
  void run() {
    const int places = 4 * workers_;
    ff::ff_pipeline all;
    all.setXNodeInputQueueLength(places, true);
    all.setXNodeOutputQueueLength(places, true);
    node source([this](held*, ff::ff_node* self) {
      while (held item = next_()) self->ff_send_out(new held(std::move(item)));
      return static_cast<held*>(self->EOS);
    });
    all.add_stage(&source);
    std::vector<std::unique_ptr<ff::ff_node>> nodes;
    for (const stage& s : stages_) {
      nodes.push_back(node_of(s, &s == &stages_.back(), places));
      all.add_stage(nodes.back().get());
    }
    all.blocking_mode(true);
    if (all.run_and_wait_end() < 0) throw std::runtime_error("FastFlow cannot run the pipeline");
  }

 private:
  using node = ff::ff_node_F<held>;
  enum class kind { serial, farm, ordered_farm };
  struct stage {
    kind how;
    change work;
  };

  // The last stage destroys the items.
  static std::unique_ptr<ff::ff_node> worker(const change& work, bool is_last) {
    return std::make_unique<node>([work, is_last](held* item, ff::ff_node* self) {
      work(**item);
      if (!is_last) return item;
      delete item;
      return static_cast<held*>(self->GO_ON);
    });
  }

  std::unique_ptr<ff::ff_node> node_of(const stage& s, bool is_last, int places) const {
    if (s.how == kind::serial) return worker(s.work, is_last);
    std::vector<std::unique_ptr<ff::ff_node>> workers;
    for (int i = 0; i < workers_; ++i) workers.push_back(worker(s.work, is_last));
    std::unique_ptr<ff::ff_farm> farm;
    if (s.how == kind::ordered_farm)
      farm = std::make_unique<ff::ff_OFarm<held>>(std::move(workers));
    else
      farm = std::make_unique<ff::ff_Farm<held>>(std::move(workers));
    if (is_last) farm->remove_collector();
    farm->set_scheduling_ondemand();
    farm->setOutputQueueLength(places, true);
    return farm;
  }

  const int workers_;
  const std::function<held()> next_;
  std::vector<stage> stages_;
};

}  // namespace weir::field_bench
