#include "scheduler/predict/device_flow.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/predict/linear_program.hpp"
#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

// The part of each input that runs on the device, by device_costs and input.
using division = std::vector<std::vector<double>>;

// The mean and the squared coefficient of variation of weighted times.
struct mean_time {
  double weight = 0, sum = 0, squares = 0;
  void add(double part, double seconds) {
    weight += part;
    sum += part * seconds;
    squares += part * seconds * seconds;
  }
  double mean() const { return sum / weight; }
  double variation() const { return std::max(0.0, squares * weight / (sum * sum) - 1); }
};

// Slots of a device that no component has for itself.
int slots_left(const network_model& network, const mapping& given, int device) {
  int left = network.devices[to_index(device)].slots;
  for (std::size_t i = 0; i < network.components.size(); ++i)
    if (const network_model::component& c = network.components[i]; c.device == device)
      left -= c.slots * given.components[i].width;
  return left;
}

class device_flow {
 public:
  device_flow(const network_model& network, std::vector<device_costs> both, const mapping& given, int cores,
              const flow_options& options)
      : network_(network),
        both_(std::move(both)),
        given_(given),
        cores_(cores),
        options_(options),
        visits_(flow_of(network).visits) {
    for (std::size_t d = 0; d < network.devices.size(); ++d)
      slots_left_.push_back(slots_left(network, given, static_cast<int>(d)));
  }

  network_prediction run() const {
    const division full = fullest();
    const double most = predict(full, {.blocking = options_.blocking, .rule = options_.rule}).throughput;
    std::vector<division> fast{fastest(true)};
    if (division in_full = fastest(false); options_.rate > 0 && in_full != fast[0]) fast.push_back(std::move(in_full));
    std::optional<network_prediction> found;
    constexpr int steps = 16;
    for (const division& from : fast)
      for (int i = 0; i <= steps; ++i) {
        network_prediction one = predict(between(from, full, static_cast<double>(i) / steps), options_);
        if (!found || (options_.rate > 0 ? one.latency < found->latency : found->throughput < enough(most)))
          found = std::move(one);
      }
    network_prediction& best = *found;
    if (options_.rate > 0 && best.throughput < enough(most)) {
      const network_prediction limit = predict(full, options_);
      best.throughput = limit.throughput, best.throughput_shared = limit.throughput_shared;
      best.throughput_mu_n = limit.throughput_mu_n;
      best.bottleneck = limit.bottleneck, best.bottleneck_cores = limit.bottleneck_cores;
    }
    return std::move(best);
  }

 private:
  static double enough(double throughput) { return throughput * (1 - 1e-9); }

  static division between(const division& a, const division& b, double part) {
    division made = a;
    for (std::size_t k = 0; k < a.size(); ++k)
      for (std::size_t i = 0; i < a[k].size(); ++i) made[k][i] = std::lerp(a[k][i], b[k][i], part);
    return made;
  }

  int lane_of(std::size_t component) const { return given_.components[component].invocation_cores(); }
  double on_lane(const device_costs& of, const device_costs::input& i) const {
    return i.on_cores(lane_of(of.component));
  }

  // The time of a record of its own invocation, of which a full one has `seconds` for each of its records.
  static double alone(double seconds, double together, double batch_start) {
    const double full = seconds * together, start = std::min(batch_start, full);
    return start + (full - start) / together;
  }

  // Each input where a record is faster: alone, or as one of a full invocation.
  division fastest(bool is_alone) const {
    division made;
    for (const device_costs& k : both_) {
      std::vector<double>& parts = made.emplace_back();
      for (const device_costs::input& i : k.inputs) {
        const network_model::component& c = network_.components[k.component];
        const double here = on_lane(k, i), there = i.on_device;
        const bool gains =
            is_alone ? alone(there, k.together, k.batch_start) < alone(here, c.together, c.batch_start) : there < here;
        const bool may_choose = i.where == device_costs::side::either;
        parts.push_back((may_choose ? gains : i.where == device_costs::side::device) ? 1 : 0);
      }
    }
    return made;
  }

  // The division with which most records can enter: a linear program over the records a second that enter, and over
  // those of each input on the device.
  division fullest() const {
    const std::size_t n = network_.components.size();
    std::vector<double> seconds(n);  // of all records of a component on cores, for one that enters
    double unit = 0;                 // of time, so that numbers are near 1
    for (std::size_t i = 0; i < n; ++i)
      unit = std::max(unit, seconds[i] = visits_[i] * network_.components[i].time_on(lane_of(i)));
    std::vector<std::size_t> first;  // the variable of a component's first input
    linear_program program{.variables = 1, .rows = {}};
    for (const device_costs& k : both_) {
      first.push_back(program.variables);
      program.variables += k.inputs.size();
      seconds[k.component] = 0;
      for (const device_costs::input& i : k.inputs)
        seconds[k.component] += visits_[k.component] * i.part * on_lane(k, i);
      unit = std::max(unit, seconds[k.component]);
    }
    const auto row = [&](double limit) -> std::vector<double>& {
      program.rows.push_back({std::vector<double>(program.variables, 0.0), limit});
      return program.rows.back().factors;
    };
    // Adds the seconds on cores of a component, times `factor`.
    const auto add = [&](std::vector<double>& to, std::size_t component, double factor) {
      to[0] += factor * seconds[component] / unit;
      for (std::size_t k = 0; k < both_.size(); ++k)
        if (both_[k].component == component)
          for (std::size_t i = 0; i < both_[k].inputs.size(); ++i)
            to[first[k] + i] -= factor * on_lane(both_[k], both_[k].inputs[i]) / unit;
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (visits_[i] > 0) add(row(given_.components[i].width), i, 1);
      if (network_.components[i].device >= 0) continue;
      std::vector<double>& shared = row(given_.components[i].cores.size());  // by all on these cores alone
      for (std::size_t j = 0; j < n; ++j)
        if (const mapping::entry& e = given_.components[j];
            network_.components[j].device < 0 && (e.cores | given_.components[i].cores) == given_.components[i].cores)
          add(shared, j, e.invocation_cores());
    }
    for (std::size_t d = 0; d < slots_left_.size(); ++d) {
      std::vector<double>& slots = row(slots_left_[d]);
      for (std::size_t k = 0; k < both_.size(); ++k)
        if (both_[k].device == static_cast<int>(d))
          for (std::size_t i = 0; i < both_[k].inputs.size(); ++i)
            slots[first[k] + i] += both_[k].inputs[i].on_device / unit;
    }
    for (std::size_t k = 0; k < both_.size(); ++k)
      for (std::size_t i = 0; i < both_[k].inputs.size(); ++i) {
        const device_costs::input& in = both_[k].inputs[i];
        const double of_one = visits_[both_[k].component] * in.part;
        std::vector<double>& most = row(0);
        most[first[k] + i] = 1;
        most[0] = in.where == device_costs::side::cores ? 0 : -of_one;
        if (in.where != device_costs::side::device) continue;
        std::vector<double>& least = row(0);
        least[first[k] + i] = -1;
        least[0] = of_one;
      }
    const std::vector<double> x = solution_of(program);
    division made;
    for (std::size_t k = 0; k < both_.size(); ++k) {
      std::vector<double>& parts = made.emplace_back();
      for (std::size_t i = 0; i < both_[k].inputs.size(); ++i) {
        const device_costs::input& in = both_[k].inputs[i];
        const double records = x[0] * visits_[both_[k].component] * in.part;
        if (in.where == device_costs::side::either)
          parts.push_back(records > 0 ? std::clamp(x[first[k] + i] / records, 0.0, 1.0) : 0);
        else
          parts.push_back(in.where == device_costs::side::device ? 1 : 0);
      }
    }
    return made;
  }

  // Adds the component of a device to the network, on cores of its own that stand for the slots.
  void add_device(network_model& made, mapping& where, const device_costs& k,
                  const std::vector<double>& on_device) const {
    const int device_component = static_cast<int>(made.components.size()), of = static_cast<int>(k.component);
    mean_time all, here, there;
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
      const device_costs::input& in = k.inputs[i];
      all.add(in.part, on_lane(k, in));
      here.add(in.part * (1 - on_device[i]), on_lane(k, in));
      there.add(in.part * on_device[i], in.on_device);
    }
    network_model::component on = made.components[k.component];
    const double noise = std::max(0.0, (1 + on.variation) / (1 + all.variation()) - 1);
    if (here.weight > 0) {
      made.components[k.component].seconds = [inputs = k.inputs, on_device](int cores) {
        mean_time mean;
        for (std::size_t i = 0; i < inputs.size(); ++i)
          mean.add(inputs[i].part * (1 - on_device[i]), inputs[i].on_cores(cores));
        return mean.mean();
      };
      made.components[k.component].variation = (1 + noise) * (1 + here.variation()) - 1;
    }
    const network_model::device& device = made.devices[to_index(k.device)];
    const int slots = slots_left_[to_index(k.device)];
    on.name += " on " + device.name;
    if (there.weight > 0) {
      on.seconds = [mean = there.mean()](int) { return mean; };
      on.variation = (1 + noise) * (1 + there.variation()) - 1;
    }
    on.together = k.together;
    on.batch_start = k.batch_start;
    on.min_cores = 1;
    on.max_cores = on.max_width = slots;
    made.components.push_back(std::move(on));
    const int at = first_slot(k.device);
    where.components.push_back({core_set::range(at, slots), slots, slots > 1});
    const double part = there.weight / (there.weight + here.weight);
    std::vector<link> links;
    for (const link& l : made.all_links()) {
      if (l.to != of) {
        links.push_back(l);
        continue;
      }
      links.push_back({l.from, of, l.records * (1 - part)});
      links.push_back({l.from, device_component, l.records * part});
    }
    for (std::size_t l = 0, before = links.size(); l < before; ++l)
      if (links[l].from == of) links.push_back({device_component, links[l].to, links[l].records});
    made.links = std::move(links);
  }

  int first_slot(int device) const {
    int at = cores_;
    for (int d = 0; d < device; ++d) at += network_.devices[to_index(d)].slots;
    return at;
  }

  network_prediction predict(const division& on_device, const flow_options& options) const {
    network_model made = network_;
    made.links = network_.all_links();
    mapping where = given_;
    for (std::size_t k = 0; k < both_.size(); ++k) add_device(made, where, both_[k], on_device[k]);
    network_prediction p = predict_flow(made, where, first_slot(static_cast<int>(network_.devices.size())), options);
    if (p.cores.size() > to_index(cores_)) p.cores.resize(to_index(cores_));
    for (std::size_t d = 0; d < network_.devices.size(); ++d) {
      const int at = first_slot(static_cast<int>(d));
      if (!p.bottleneck_cores.intersects(core_set::range(at, network_.devices[d].slots))) continue;
      p.bottleneck = "device " + network_.devices[d].name;
      p.bottleneck_cores = {};
    }
    return p;
  }

  const network_model& network_;
  const std::vector<device_costs> both_;
  const mapping& given_;
  const int cores_;
  const flow_options& options_;
  const std::vector<double> visits_;
  std::vector<int> slots_left_;  // by device: slots that no component has for itself
};

// Whether a join takes what the component gives, whatever lies between.
bool leads_to_join(const network_model& network, std::size_t component) {
  std::vector<bool> reached(network.components.size(), false);
  reached[component] = true;
  const std::vector<link> links = network.all_links();
  for (bool more = true; more;) {
    more = false;
    for (const link& l : links)
      if (l.from >= 0 && l.to >= 0 && reached[to_index(l.from)] && !reached[to_index(l.to)])
        more = reached[to_index(l.to)] = true;
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (reached[i] && network.components[i].joins) return true;
  return false;
}

void validate(const network_model& network, const device_costs& k) {
  require("network", k.component < network.components.size(),
          "device costs are of component " + std::to_string(k.component) + " of " +
              std::to_string(network.components.size()));
  const std::string who = "component \"" + network.components[k.component].name + "\"";
  require("network", network.components[k.component].device < 0, who + " runs on a device and has another one");
  require("network", k.device >= 0 && to_index(k.device) < network.devices.size(),
          who + " may run on device " + std::to_string(k.device) + " of " + std::to_string(network.devices.size()));
  require("network", network.devices[to_index(k.device)].slots >= 1 && !k.inputs.empty(),
          who + " has a device without slots or without a cost there");
  for (const device_costs::input& i : k.inputs)
    require("network", i.part > 0 && is_time(i.on_device),
            who + " takes " + in_digits(i.on_device) + " seconds on its device, for " + in_digits(i.part) +
                " of its records");
}

bool must_run_there(const device_costs& k) {
  return std::ranges::any_of(k.inputs,
                             [](const device_costs::input& i) { return i.where == device_costs::side::device; });
}

}  // namespace

network_prediction predict_on_cores_and_devices(const network_model& network, const std::vector<device_costs>& both,
                                                const mapping& given, int cores, const flow_options& options) {
  std::vector<device_costs> used;
  std::vector<std::string> notes;
  const bool fits = check(given, network, cores).empty();
  for (const device_costs& k : both) {
    validate(network, k);
    const std::string& name = network.components[k.component].name;
    if (leads_to_join(network, k.component)) {
      notes.push_back(name + " is predicted on cores alone, since a join follows");
    } else if (fits && slots_left(network, given, k.device) < 1) {
      require("network", !must_run_there(k), "component \"" + name + "\" has no slot left on its device");
      notes.push_back(name + " is predicted on cores alone, since others have all slots of its device");
    } else {
      used.push_back(k);
    }
  }
  options.validate();
  if (used.empty() || !fits) {
    network_prediction result = predict_flow(network, given, cores, options);
    result.notes.insert(result.notes.end(), notes.begin(), notes.end());
    return result;
  }
  network_prediction result = device_flow(network, std::move(used), given, cores, options).run();
  result.notes.insert(result.notes.end(), notes.begin(), notes.end());
  return result;
}

}  // namespace weir
