#include "scheduler/predict/cluster.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "scheduler/view/numbers.hpp"
#include "scheduler/view/require.hpp"

namespace weir {
namespace {

void validate_link(const machine_link& l) {
  require("cluster", l.latency >= 0 && l.latency <= most_time,
          "a latency is " + in_digits(l.latency) + " s, expected was 0 to 1e18");
  require("cluster", l.record_seconds >= 0 && l.record_seconds <= most_time,
          "the seconds of a record are " + in_digits(l.record_seconds) + ", expected was 0 to 1e18");
  require("cluster", l.bytes_per_second > 0,
          "a bandwidth is " + in_digits(l.bytes_per_second) + " bytes/s, expected was more than 0");
}

}  // namespace

int cluster::all_cores() const { return std::accumulate(cores.begin(), cores.end(), 0); }

int cluster::first_core(int machine) const { return std::accumulate(cores.begin(), cores.begin() + machine, 0); }

const machine_link& cluster::between(int a, int b) const {
  for (const pair& p : pairs)
    if ((p.a == a && p.b == b) || (p.a == b && p.b == a)) return p.cost;
  return usual;
}

int cluster::window(double bytes) const {
  const double by_bytes = bytes > 0 ? window_bytes / bytes : window_records;
  return as_int(by_bytes, 1, window_records);
}

void cluster::validate() const {
  require("cluster", !cores.empty(), "there are no machines");
  long long all = 0;
  for (int c : cores) {
    require("cluster", c >= 1, "a machine has " + std::to_string(c) + " cores, expected was 1 or more");
    all += c;
  }
  constexpr long long most = 1'000'000;
  require("cluster", all <= most,
          "the machines have " + std::to_string(all) + " cores, expected were " + std::to_string(most) + " at most");
  validate_link(usual);
  for (const pair& p : pairs) {
    require("cluster", p.a >= 0 && p.b >= 0 && p.a < machines() && p.b < machines() && p.a != p.b,
            "a link is between machines " + std::to_string(p.a) + " and " + std::to_string(p.b) +
                ", expected were two of 0 to " + std::to_string(machines() - 1));
    validate_link(p.cost);
  }
  require("cluster", window_records >= 1,
          "the window is " + std::to_string(window_records) + " records, expected was 1 or more");
  require("cluster", window_bytes > 0, "the window is " + in_digits(window_bytes) + " bytes, expected was more than 0");
}

std::vector<int> way_between(const cluster& machines, int from, int to) {
  if (from == to) return {};
  if (machines.direct || from == 0 || to == 0) return {to};
  return {0, to};
}

std::string check_places(const cluster& machines, const std::vector<std::string>& names, const std::vector<int>& at) {
  if (names.size() != at.size())
    return "there are " + std::to_string(names.size()) + " components and machines for " + std::to_string(at.size());
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] != everywhere && (at[i] < 0 || at[i] >= machines.machines()))
      return '"' + names[i] + "\" is on machine " + std::to_string(at[i]) + ", expected was one of 0 to " +
             std::to_string(machines.machines() - 1);
  return "";
}

namespace {

class spreading {
 public:
  spreading(const cluster& machines, const std::vector<std::string>& names, const std::vector<int>& at,
            const std::vector<link>& links, const std::vector<double>& bytes)
      : machines_(machines), names_(names), at_(at), links_(links), bytes_(bytes), part_of_(names.size()) {}

  // Made twice: the first time, to know the number of every component, since what carries its output away follows it.
  cluster_plan plan() {
    make();
    make();
    return std::move(plan_);
  }

 private:
  using kind = cluster_plan::part::kind;

  void make() {
    plan_ = {};
    used_.clear();
    carry_from(-1);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const bool is_one = at_[i] != everywhere;
      std::vector<int> parts;
      for (int m : machines_of(at_[i]))
        parts.push_back(add({.name = is_one ? names_[i] : names_[i] + "@" + std::to_string(m), .of = i, .machine = m}));
      part_of_[i] = std::move(parts);
      carry_from(static_cast<int>(i));
    }
  }

  std::vector<int> machines_of(int place) const {
    if (place != everywhere) return {place};
    std::vector<int> all(to_index(machines_.machines()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  int place_of(int component) const { return component < 0 ? 0 : at_[to_index(component)]; }
  int part_at(int component, int machine) const {
    if (component < 0) return -1;
    const std::vector<int>& parts = part_of_[to_index(component)];
    if (parts.empty()) return 0;  // the first time
    return parts.size() > 1 ? parts[to_index(machine)] : parts[0];
  }

  // Names are unique, however many links there are between two components.
  int add(cluster_plan::part made) {
    if (const int before = used_[made.name]++; before > 0) made.name += " (" + std::to_string(before + 1) + ")";
    plan_.parts.push_back(std::move(made));
    return static_cast<int>(plan_.parts.size()) - 1;
  }
  int add_after(int part, double records, cluster_plan::part made) {
    const int next = add(std::move(made));
    plan_.links.push_back({part, next, records});
    return next;
  }

  void carry_from(int from) {
    const std::vector<int> senders = machines_of(place_of(from));
    for (int sender : senders)
      for (std::size_t l = 0; l < links_.size(); ++l) {
        if (links_[l].from != from) continue;
        std::vector<int> receivers = machines_of(place_of(links_[l].to));
        if (senders.size() > 1 && receivers.size() > 1) receivers = {sender};
        int part = part_at(from, sender);
        double records = links_[l].records;
        if (receivers.size() > 1) {
          part = add_after(part, records, {.what = kind::choice, .name = name_of(l) + " by key", .machine = sender});
          records = 1 / static_cast<double>(receivers.size());
        }
        for (int receiver : receivers) carry(part, records, sender, l, receiver);
      }
  }

  std::string name_of(std::size_t l) const {
    const auto end = [&](int component, const char* outside) {
      return component < 0 ? std::string(outside) : names_[to_index(component)];
    };
    return end(links_[l].from, "input") + " -> " + end(links_[l].to, "output");
  }

  void carry(int part, double records, int sender, std::size_t l, int receiver) {
    int here = sender;
    for (int next : way_between(machines_, sender, receiver)) {
      const machine_link& on = machines_.between(here, next);
      std::string name = name_of(l) + ", " + std::to_string(here) + " -> " + std::to_string(next);
      if (next != receiver) name += " (to " + std::to_string(receiver) + ")";
      if (here != sender) name += " (from " + std::to_string(sender) + ")";
      if (const double seconds = on.occupies(bytes_[l]); seconds >= least_time) {
        part = add_after(part, records,
                         {.what = kind::wire, .name = name, .machine = here, .to_machine = next, .seconds = seconds});
        records = 1;
      }
      if (on.latency >= least_time) {
        // A place comes back when its record was taken up, after the same time again.
        const int at_once = std::max(1, machines_.window(bytes_[l]) / 2);
        part = add_after(part, records,
                         {.what = kind::flight,
                          .name = name + " under way",
                          .machine = here,
                          .to_machine = next,
                          .seconds = on.latency,
                          .at_once = at_once});
        records = 1;
      }
      here = next;
    }
    plan_.links.push_back({part, part_at(links_[l].to, receiver), records});
  }

  const cluster& machines_;
  const std::vector<std::string>& names_;
  const std::vector<int>& at_;
  const std::vector<link>& links_;
  const std::vector<double>& bytes_;
  std::vector<std::vector<int>> part_of_;  // by component, by machine
  std::map<std::string, int> used_;
  cluster_plan plan_;
};

}  // namespace

cluster_plan spread_over(const cluster& machines, const std::vector<std::string>& names, const std::vector<int>& at,
                         const std::vector<link>& links, const std::vector<double>& bytes) {
  return spreading(machines, names, at, links, bytes).plan();
}

}  // namespace weir
