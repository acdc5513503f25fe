#include "bench/weir/snet/worker_boxes.hpp"

#include <string>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/process/serve.hpp>
#include <weir/process/worker.hpp>
#include <weir/record/errors.hpp>
#include "runtime/network/leaf_nodes.hpp"

namespace weir::program {
namespace {

network bounded(network box, const planned_box& plan) {
  if (plan.within) box = detail::worker_within(box, *plan.within);
  if (plan.memory) box = detail::worker_with_memory(box, *plan.memory);
  if (plan.retries) box = detail::worker_with_retries(box, plan.retries);
  if (plan.batched) box = detail::worker_batched(box, *plan.batched, false);
  if (plan.restarts_for_cores) box = detail::worker_restarted_for_cores(box);
  return detail::worker_printing_to_error_stream(box);  // results are on the standard output
}

std::vector<std::string> words_of(const std::vector<planned_argument>& arguments) {
  std::vector<std::string> words;
  for (const planned_argument& a : arguments) words.push_back(a.front().words);
  return words;
}

}  // namespace

network worker_box(const planned_box& plan, const box_labels& labels) {
  const network box =
      bounded(detail::make_worker(plan.name.c_str(), labels.takes, labels.variants, words_of(plan.arguments)), plan);
  if (plan.device.empty()) return box;
  return detail::worker_on_device(box, device(plan.device), words_of(plan.device_arguments));
}

network isolated_box(const network& box, const planned_box& plan) {
  if (!detail::as<detail::box_node>(box)) throw type_error(plan.name + " is a network, and a box can be isolated");
  host(box);
  return bounded(detail::make_isolated(box), plan);
}

}  // namespace weir::program
