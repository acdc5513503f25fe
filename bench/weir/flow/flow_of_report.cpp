#include "bench/weir/flow/flow_of_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/weir/common/mapping_text.hpp"
#include "bench/weir/common/predicted_table.hpp"
#include "bench/weir/flow/flow_component.hpp"
#include "bench/weir/flow/flow_device.hpp"
#include "bench/weir/flow/flow_ranks.hpp"
#include "scheduler/predict/view_network.hpp"
#include "scheduler/view/numbers.hpp"

namespace weir::program {
namespace {

// The mean seconds, on this mean number of cores, scaled to other numbers by the model's law.
std::function<double(int)> learnt_law(json_object& in, double cores) {
  const double mean = in.number("mean_seconds", 1, above_zero), alpha = in.number("alpha", 1, part_of_one);
  const double contention = in.number("contention", 0, up_to_1e12), fork_join = in.number("fork_join", 0, up_to_1e12);
  const auto law = [=](double p) { return alpha / p + 1 - alpha + contention * (p - 1); };
  const double sequential = std::max(mean - fork_join * (cores - 1), mean / 2) / law(cores);
  return [=](int p) { return sequential * law(p) + fork_join * (p - 1); };
}

// For a report: the spread about the mean is the observed spread about the law. On other numbers of cores the mean may
// leave the law by a quarter per doubling, as the default estimator assumes beyond its observations.
cost_basis measured_basis(json_object& in, double cores, std::function<double(int)> seconds) {
  cost_basis basis;
  basis.words = in.text("model", "");
  basis.alpha_known = in.flag("alpha_known", false);
  const bool is_known = in.has("scatter") && in.at("scatter").is_number();
  const double scatter = is_known ? in.number("scatter", 0, up_to_1e12) : std::numeric_limits<double>::quiet_NaN();
  const double timed = std::max(1.0, in.number("observations", 1, up_to_1e12));
  basis.on = [=, seconds = std::move(seconds)](int p) {
    constexpr double miss_per_doubling = 0.25;
    const double mean = seconds(p), sd = scatter * mean;
    const auto [low, high] = ninety_percent_within(mean, sd);
    const double of_law = miss_per_doubling * std::abs(std::log2(p / cores));
    return cost_spread{
        mean, sd, low, high, p != std::lround(cores), mean * std::hypot(scatter / std::sqrt(timed), of_law)};
  };
  return basis;
}

core_set cores_in(const std::string& place, const std::string& text) {
  const std::size_t open = text.find('{'), close = text.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return entry_of(place, text.substr(open + 1, close - open - 1), {}).cores;
}

// One report while it is read, in the order of the functions.
class report_reader {
 public:
  explicit report_reader(json_object& in) : in_(in) { file_.kind = "report of a run"; }

  flow_file read() {
    read_components();
    read_network();
    read_batches();
    read_machines();
    return std::move(file_);
  }

 private:
  void read_components() {
    std::set<std::string> on_device;  // the components that ran on one
    if (in_.has("devices"))
      for (json_object& one : in_.objects("devices")) on_device.insert(one.text("component"));
    core_set shared, all;
    for (json_object& c : in_.objects("components")) {
      read_component(c, on_device);
      const std::string place = c.text("place", "");
      is_on_ranks_ = is_on_ranks_ || place.find("rank ") != std::string::npos;
      const core_set on = cores_in(c.place("place"), place);
      const int cores = static_cast<int>(c.whole("cores", 0, 0, most_cores_of_flow));
      where_.components.push_back(cores > 0 ? mapping::entry{on, width_of(c), false} : mapping::entry{});
      if (cores == 0) shared = shared | on;
      all = all | on;
    }
    if (all.empty()) all = core_set{0};
    if (shared.empty()) shared = all;
    for (mapping::entry& e : where_.components)
      if (e.cores.empty()) e = {shared, shared.size(), shared.size() > 1};
    file_.cores = all[all.size() - 1] + 1;
  }

  static int width_of(json_object& c) { return static_cast<int>(c.whole("width", 1, 1, most_cores_of_flow)); }

  void read_component(json_object& c, const std::set<std::string>& on_device) {
    if (!c.at("mean_seconds").is_number()) c.refuse("mean_seconds", "a number: nothing of it was timed");
    const int of_lane = std::max(1, static_cast<int>(c.whole("cores", 0, 0, most_cores_of_flow)) / width_of(c));
    network_model::component made;
    made.name = c.text("name");
    const bool says_cores = c.has("mean_cores") && c.at("mean_cores").is_number();
    const double observed_on = says_cores ? c.number("mean_cores", 1, {1, most_cores_of_flow}) : of_lane;
    made.seconds = learnt_law(c, observed_on);
    require_time(c, "mean_seconds", made.seconds, most_cores_of_flow);
    file_.bases.push_back(measured_basis(c, observed_on, made.seconds));
    lanes_.push_back(of_lane);
    together_.push_back(c.has("records_together") && c.at("records_together").is_number()
                            ? c.number("records_together", 1, up_to_1e12)
                            : 1);
    // The recent visits of a component with a device are those on cores.
    const bool has_device = on_device.contains(made.name) && c.has("observed_visits");
    visits_.push_back(c.number(has_device ? "observed_visits" : "visits", 1, up_to_1e12));
    components_.push_back(std::move(made));
  }

  void read_network() {
    names_ = names_in_list(components_);
    std::vector<link> links;
    if (in_.has("links"))
      for (json_object& one : in_.objects("links"))
        links.push_back({end_of(one, "from", "input", names_), end_of(one, "to", "output", names_),
                         one.number("records", 0, up_to_1e12)});
    file_.network = network_of(std::move(components_), visits_, links);
    tells_links_ = !links.empty();
  }

  // The row of a device also tells the records of an invocation on cores.
  void read_batches() {
    std::vector<bool> on_device(together_.size(), false);
    if (in_.has("devices"))
      for (json_object& d : in_.objects("devices"))
        if (std::optional<device_of_report> ran = device_of_report_from(d, file_.network, lanes_)) {
          on_device[ran->alone.component] = true;
          file_.alternatives.push_back(ran->alone);
          file_.both.push_back(std::move(ran->both));
        }
    for (std::size_t i = 0; i < together_.size(); ++i)
      if (!on_device[i]) take_together(file_.network, i, together_[i]);
    if (!tells_links_) file_.network.assumed.emplace_back("a chain in the order of the file: it tells no links");
    file_.network.assumed.emplace_back(
        "service times are exponential, widths and cores of boxes are not limited: a report does not tell");
  }

  void read_machines() {
    file_.where = std::move(where_);
    if (in_.has("ranks"))
      if (std::optional<ranks_of_run> ran = read_ranks(in_, names_)) {
        file_.machines = std::move(ran->machines);
        file_.places = std::move(ran->places);
        file_.bytes = ran->bytes;
        for (std::string& one : ran->assumed) file_.network.assumed.push_back(std::move(one));
      }
    if (is_on_ranks_ && !file_.machines) {
      file_.where.reset();
      file_.network.assumed.emplace_back("it ran on several ranks, of which the file tells nothing: one machine");
    }
  }

  json_object& in_;
  flow_file file_;
  std::vector<network_model::component> components_;
  std::vector<std::string> names_;
  std::vector<double> visits_;
  std::vector<int> lanes_;        // the cores of each
  std::vector<double> together_;  // records of an invocation
  mapping where_;
  bool tells_links_ = false, is_on_ranks_ = false;
};

}  // namespace

flow_file flow_of_report(json_object& in) { return report_reader(in).read(); }

}  // namespace weir::program
