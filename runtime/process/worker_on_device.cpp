#include "runtime/process/worker_on_device.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <weir/network/on_device.hpp>
#include <weir/record/errors.hpp>
#include "runtime/process/worker_lane.hpp"

namespace weir::detail::processes {

namespace {

// The results of a worker for one record: at most one, whose values become those of the invocation.
class one_result final : public emission {
 public:
  explicit one_result(invocation& of) : of_(of) {}

  record_body* build(const labelled_word* words, std::size_t count) override {
    if (has_given) throw type_error("the worker gave two results for a record, expected one at most on a device");
    for (std::size_t w = 0; w < count; ++w) of_.give(words[w].word);
    has_given = true;
    return nullptr;  // the device's invocation makes the record
  }
  void deliver(record_body*) override {}
  emitter& open() override { throw std::logic_error("a worker takes no emitter"); }
  std::stop_token stop() const override { return of_.granted->stop(); }

  bool has_given = false;

 private:
  invocation& of_;
};

bool call_worker_on_device(void* callable, invocation& i) {
  const slot_arguments& given = *static_cast<const slot_arguments*>(i.kept);
  const grant granted(1, {}, given.at->stop());
  i.granted = &granted;
  one_result out(i);
  i.out = &out;
  static_cast<worker_lane*>(given.kept)->call(*static_cast<const worker_box*>(callable), {&i, 1});
  return out.has_given;
}

// Any number of results for each record, as on cores.
void call_worker_on_device_for_several(void* callable, std::span<invocation> each, bool* gave) {
  const slot_arguments& given = *static_cast<const slot_arguments*>(each[0].kept);
  const grant granted(1, {}, given.at->stop());
  for (invocation& i : each) i.granted = &granted;
  static_cast<worker_lane*>(given.kept)->call(*static_cast<const worker_box*>(callable), each);
  std::fill_n(gave, each.size(), false);
}

}  // namespace

device_box worker_on_device(const box_spec& box, const worker_plan& plan) {
  worker_plan there;
  there.arguments = plan.device_arguments;
  there.within = plan.within;
  there.start = plan.start;
  there.memory = plan.memory;
  there.retries = plan.retries;
  there.prints_to_error_stream = plan.prints_to_error_stream;
  there.in_batches = plan.in_batches;
  device_box made;
  made.device = plan.device;
  made.callable = std::make_shared<worker_box>(box.name, wire_labels(box), std::move(there));
  made.call = &call_worker_on_device;
  made.call_batch = &call_worker_on_device_for_several;
  if (!box.variants.empty())
    for (const label_info* const l : box.variants.front()) made.gives.push_back({l->kind, l->type});
  made.may_give_none = true;
  made.each_slot = {nullptr, [](void*) -> void* { return new worker_lane; },
                    [](void* kept) { delete static_cast<worker_lane*>(kept); }};
  if (box.on) made.from = box.on->from;
  return made;
}

}  // namespace weir::detail::processes
