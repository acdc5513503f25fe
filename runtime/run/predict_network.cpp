#include <weir/run/predict_network.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <weir/options/saved_models.hpp>
#include "runtime/machine/machine_state.hpp"
#include "runtime/network/nodes.hpp"
#include "scheduler/predict/device_flow.hpp"
#include "scheduler/predict/view_network.hpp"

namespace weir {
namespace detail {
namespace {

// Where the records at one place of the network come from: a number for each invocation of a component, or, from -1,
// for each record that enters.
struct origin {
  int from = -1;
  double records = 1;
  bool unpaired = false;  // came through a synchrocell, which joins it with records of other streams
};
using origins = std::vector<origin>;

// The components and streams of a network, by its expression alone.
class structure {
 public:
  explicit structure(const network& net) {
    for (const origin& o : walk(net, {{-1, 1, false}})) links.push_back({o.from, -1, o.records});
    find_widest(net, {});
  }

  std::vector<std::shared_ptr<const box_spec>> boxes;
  std::map<std::string, int> widest;  // by name: invocations at the same time
  std::vector<bool> joins;            // by box
  std::vector<link> links;            // for one invocation of `from`
  std::set<std::string> assumed;

 private:
  void find_widest(const network& at, surroundings around) {
    if (const auto* const box = as<box_node>(at)) {
      int& known = widest[box->spec->name];
      known = std::max(known, around.widest(*box->spec));
    }
    around.meet(at);
    for (const network& part : at.root()->children()) find_widest(part, around);
  }

  origins walk(const network& at, origins come) {
    return visit(at, overloads{
                         [&](const box_node& n) { return through_box(n, come); },
                         [&](const filter_node& n) { return through_filter(n, std::move(come)); },
                         [&](const bypass_node&) { return come; },
                         [&](const sync_node& n) { return through_sync(n, std::move(come)); },
                         [&](const serial_node& n) {
                           for (const network& element : n.flat()) come = walk(element, std::move(come));
                           return come;
                         },
                         [&](const choice_node& n) { return through_choice(n, come); },
                         [&](const split_node& n) { return walk(n.body, std::move(come)); },
                         [&](const star_node& n) { return through_loop(n, "star", std::move(come)); },
                         [&](const feedback_node& n) { return through_loop(n, "feedback", std::move(come)); },
                         [&](const wrapped_node& n) { return walk(n.inner, std::move(come)); },
                     });
  }

  template <class Loop>
  origins through_loop(const Loop& at, const std::string& kind, origins come) {
    assumed.insert("records go once through the body of the " + kind + " " + at.name());
    return walk(at.body, std::move(come));
  }

  origins through_box(const box_node& at, const origins& come) {
    const auto known =
        std::find_if(boxes.begin(), boxes.end(), [&](const auto& b) { return b->name == at.spec->name; });
    const int self = static_cast<int>(known - boxes.begin());
    const bool is_new = known == boxes.end();
    if (is_new) {
      boxes.push_back(at.spec);
      joins.push_back(false);
    }
    if (at.spec->initialiser) return {{-1, 1, false}};  // runs once; its outputs enter like records that are sent
    std::set<int> apart;
    for (const origin& o : come)
      if (o.unpaired) apart.insert(o.from);
    const bool joins_here = apart.size() > 1 && is_new;
    if (joins_here) joins[static_cast<std::size_t>(self)] = true;
    for (const origin& o : come) {
      // Each of several records from one place, or next to streams that were met before, stands for a part of a set.
      const double records = o.unpaired && !joins_here ? o.records / static_cast<double>(come.size()) : o.records;
      const auto same =
          std::find_if(links.begin(), links.end(), [&](const link& l) { return l.from == o.from && l.to == self; });
      if (same != links.end())
        same->records += records;
      else
        links.push_back({o.from, self, records});
    }
    if (at.spec->variants.empty()) return {};
    if (!at.spec->code->returns_one) assumed.insert(at.spec->name + " gives one record for each that it takes");
    return {{self, 1, false}};
  }

  origins through_filter(const filter_node& at, origins come) const {
    const double gives = at.spec->clauses.empty() ? 0 : static_cast<double>(at.spec->clauses.front().outputs.size());
    for (origin& o : come) o.records *= gives;
    if (gives == 0) come.clear();
    return come;
  }

  // One record of each pattern becomes one. Where a place brings several of the patterns, that many records become one.
  origins through_sync(const sync_node& at, origins come) const {
    const double each = static_cast<double>(come.size()) / static_cast<double>(at.patterns.size());
    for (origin& o : come) {
      o.records *= std::min(1.0, each);
      o.unpaired = come.size() > 1;
    }
    return come;
  }

  origins through_choice(const choice_node& at, const origins& come) {
    assumed.insert("the branches of " + at.name() + " get equal parts");
    origins all;
    for (const network& branch : at.flat()) {
      origins part = come;
      for (origin& o : part) o.records /= static_cast<double>(at.elements);
      for (const origin& o : walk(branch, std::move(part))) all.push_back(o);
    }
    return all;
  }
};

network_model::component costed(const box_spec& box, int widest, const std::map<std::string, saved_model>& models) {
  const auto saved = models.find(box.name);
  if (saved == models.end()) {
    std::string names;
    for (const auto& [name, model] : models) names += (names.empty() ? "" : ", ") + name;
    throw std::invalid_argument("predict_network: there is no model of '" + box.name + "'; there are " +
                                (names.empty() ? "none" : names));
  }
  component_view view;
  view.name = box.name;
  try {
    view.model = estimator_of(saved->second);
    view.min_cores = box.min_cores;
    view.max_cores = box.max_cores;
    view.max_width = widest;
    view.blocking = box.blocking ? box.max_width : 0;
    view.sequential = box.sequential;
    view.priority = box.priority;
    return modelled(view);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("predict_network: the model of '" + box.name + "': " + e.what());
  }
}

// The constant needs of a box, of resources that have a total.
void add_needs(network_model& network, std::size_t component, const box_spec& box) {
  for (const resource_need& n : box.needs) {
    if (n.call || n.is_learnt || !n.of.total() || n.amount < 1 || n.amount > *n.of.total()) continue;
    auto known = std::find_if(network.resources.begin(), network.resources.end(),
                              [&](const network_model::resource& r) { return r.name == n.of.name(); });
    if (known == network.resources.end())
      known = network.resources.insert(known, {n.of.name(), static_cast<double>(*n.of.total())});
    network.components[component].needs.push_back(
        {static_cast<int>(known - network.resources.begin()), static_cast<double>(n.amount)});
  }
}

const component_report& row_of(const run_report& seen, const std::string& component) {
  return *std::find_if(seen.components.begin(), seen.components.end(),
                       [&](const component_report& r) { return r.name == component; });
}

const device_report* device_row_of(const run_report& seen, const std::string& component) {
  const auto row = std::find_if(seen.devices.begin(), seen.devices.end(),
                                [&](const device_report& d) { return d.component == component; });
  return row == seen.devices.end() ? nullptr : &*row;
}

// The report's visits and links, by the network's components.
network_model counted(std::vector<network_model::component> components, const structure& of, const run_report& seen) {
  const auto index = [&](const std::string& name) {  // -1: the input, or what enters from an initialiser
    const auto found = std::find_if(of.boxes.begin(), of.boxes.end(), [&](const auto& b) { return b->name == name; });
    return found == of.boxes.end() || (*found)->initialiser ? -1 : static_cast<int>(found - of.boxes.begin());
  };
  std::vector<double> visits;
  for (const network_model::component& c : components) {
    const auto row = std::find_if(seen.components.begin(), seen.components.end(),
                                  [&](const component_report& r) { return r.name == c.name; });
    if (row == seen.components.end())
      throw std::invalid_argument("predict_network: the report has no component '" + c.name + "'");
    // The recent visits of a box with a device are those on cores.
    visits.push_back(device_row_of(seen, c.name) && std::isfinite(row->observed_visits) ? row->observed_visits
                                                                                        : row->visits);
  }
  std::vector<link> links;
  for (const link_report& l : seen.links) links.push_back({index(l.from), index(l.to), l.records});
  return network_of(std::move(components), visits, links);
}

// The records of an invocation on cores.
double together_on_cores(const box_spec& box, const run_report& seen) {
  const device_report* const device = device_row_of(seen, box.name);
  if (!device) return row_of(seen, box.name).records_together;
  return static_cast<double>(box.batch_is_fixed ? static_cast<std::size_t>(box.most_in_batch) : device->size_on_cores);
}

// The boxes that ran on devices in the run, with the costs that it learnt. Adds the devices to the network. A lane of
// other cores takes as much longer as the component's model says.
std::vector<device_costs> costs_on_devices(network_model& network, const structure& of, const run_report& seen) {
  std::vector<device_costs> all;
  for (const device_report& d : seen.devices) {
    const auto box =
        std::find_if(of.boxes.begin(), of.boxes.end(), [&](const auto& b) { return b->name == d.component; });
    if (box == of.boxes.end() || !(*box)->on || d.inputs.empty()) continue;
    device_costs made;
    made.component = static_cast<std::size_t>(box - of.boxes.begin());
    auto device = std::find_if(network.devices.begin(), network.devices.end(),
                               [&](const network_model::device& known) { return known.name == d.device; });
    if (device == network.devices.end()) device = network.devices.insert(device, {d.device, d.slots});
    made.device = static_cast<int>(device - network.devices.begin());
    const component_report& row = row_of(seen, d.component);
    const int then = std::max(1, row.cores / std::max(1, row.width));
    const network_model::component& component = network.components[made.component];
    if ((*box)->most_in_batch > 1) {
      made.together = static_cast<double>((*box)->batch_is_fixed ? static_cast<std::size_t>((*box)->most_in_batch)
                                                                 : d.size_on_device);
      made.batch_start = std::numeric_limits<double>::infinity();
      assume_full_batches(network, d.component + " on " + d.device, made.together);
    }
    const double part = 1 / static_cast<double>(d.inputs.size());
    using side = device_costs::side;
    for (const device_report::input& i : d.inputs) {
      const auto on_cores = [seconds = component.seconds, now = i.on_cores, then](int cores) {
        return now * seconds(cores) / seconds(then);
      };
      const std::optional<double> from = (*box)->on->from;
      made.inputs.push_back({part, on_cores, i.on_full_device,
                             !from         ? side::either
                             : i.x < *from ? side::cores
                                           : side::device});
    }
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace
}  // namespace detail

const run_report& no_report() {
  static const auto* const none = new run_report;  // never destroyed: it is read during static destruction
  return *none;
}

network_model model_of(const network& net, const std::map<std::string, saved_model>& models, const run_report& seen) {
  const detail::structure of(net);
  std::vector<network_model::component> components;
  for (std::size_t i = 0; i < of.boxes.size(); ++i) {
    components.push_back(detail::costed(*of.boxes[i], of.widest.at(of.boxes[i]->name), models));
    components.back().joins = of.joins[i];
  }
  network_model result;
  if (seen.components.empty()) {
    result.components = std::move(components);
    result.links = of.links;
    result.assumed.assign(of.assumed.begin(), of.assumed.end());
  } else {
    result = detail::counted(std::move(components), of, seen);
  }
  result.assumed.emplace_back("inputs are as in the middle of what each model has seen");
  for (std::size_t i = 0; i < of.boxes.size(); ++i)
    if (of.boxes[i]->blocking) put_outside(result, i, of.boxes[i]->max_width);
  for (std::size_t i = 0; i < of.boxes.size(); ++i) {
    const detail::box_spec& box = *of.boxes[i];
    detail::add_needs(result, i, box);
    if (box.most_in_batch > 1 && seen.components.empty())
      result.assumed.push_back("each invocation of " + box.name + " takes one record: its models do not tell how many");
    else if (box.most_in_batch > 1)
      take_together(result, i, detail::together_on_cores(box, seen));
    if (box.most_in_batch > 1 && box.on && !seen.devices.empty())
      result.assumed.push_back("a record of " + box.name +
                               " takes what it does in batches of the sizes that its run preferred");
    if (box.first_by)
      result.assumed.push_back(
          "the tag <" + box.first_by->name + "> by which " + box.name +
          " takes records moves latency between them and leaves its mean: waits by its values are not known");
  }
  result.validate();
  return result;
}

network_prediction predict_network(const network& net, const std::map<std::string, saved_model>& models,
                                   const allotment& given, const run_report& seen, const flow_options& at) {
  at.validate();
  network_model network = model_of(net, models, seen);
  if (given.components.size() != network.components.size())
    throw std::invalid_argument("predict_network: the allotment is for " + std::to_string(given.components.size()) +
                                " components and the network has " + std::to_string(network.components.size()));
  const mapping where = mapping_of(given, network);
  const core_set used = where.used();
  const std::vector<device_costs> both = detail::costs_on_devices(network, detail::structure(net), seen);
  return predict_on_cores_and_devices(network, both, where, used.empty() ? 0 : used[used.size() - 1] + 1, at);
}

network_prediction predict_network(const network& net, const std::map<std::string, saved_model>& models,
                                   const fixed_shares& shares, const machine& on, const run_report& seen,
                                   const flow_options& at) {
  system_view view;
  const detail::structure of(net);
  for (const auto& box : of.boxes) {
    component_view c;
    c.name = box->name;
    c.min_cores = box->min_cores;
    c.max_cores = box->max_cores;
    c.max_width = of.widest.at(box->name);
    c.blocking = box->blocking ? box->max_width : 0;
    c.sequential = box->sequential;
    view.components.push_back(std::move(c));
  }
  view.machine = on.state()->cores();
  view.cores = on.state()->permitted();
  return predict_network(net, models, shares.decide(view), seen, at);
}

}  // namespace weir
