#include "bench/weir/compare/compare_workloads.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>

#include <weir/network/box.hpp>
#include <weir/network/combinators.hpp>
#include <weir/record/label.hpp>
#include "bench/weir/compare/compare_fixed.hpp"
#include "components/emulated.hpp"

namespace weir::program {
namespace {

constexpr tag id{"id"}, heavy{"heavy"};
constexpr std::array x{tag{"x1"}, tag{"x2"}, tag{"x3"}, tag{"x4"}};

struct stage {
  std::string name;
  double alpha = 1;
};

// The cost of record `index` in each stage, in milliseconds on one core; 0: it does not reach that stage.
struct plan {
  std::vector<stage> stages;
  std::vector<std::vector<std::int64_t>> costs;
  std::vector<std::size_t> phases;
  double scale = 1;
  bool is_serial = true;

  components::truth truth(std::size_t i) const { return {{0, 1e-3 * scale}, stages[i].alpha}; }
};

// A box that takes its cost from the label `from`. Records that also have `also`, which it consumes, fit it better.
network emulated_box(const plan& p, std::size_t i, const tag& from, const tag* also = nullptr) {
  const auto call = [cost = p.truth(i)](const grant& given, std::int64_t milliseconds) {
    components::emulate(cost, static_cast<double>(milliseconds), given.size());
    return milliseconds;
  };
  if (!also) {
    const auto made = box(p.stages[i].name, takes(from), gives(from), call)
                          .predicted_by([](std::int64_t milliseconds) { return milliseconds; }, degree{1});
    return p.is_serial ? network(made.serial()) : network(made);
  }
  return box(p.stages[i].name, takes(from, *also), gives(from),
             [call](const grant& given, std::int64_t milliseconds, std::int64_t) { return call(given, milliseconds); })
      .predicted_by([](std::int64_t milliseconds, std::int64_t) { return milliseconds; }, degree{1})
      .serial();
}

network chain_of(const plan& p) {
  network net = emulated_box(p, 0, x[0]);
  for (std::size_t i = 1; i < p.stages.size(); ++i) net = net >> emulated_box(p, i, x[i]);
  return net;
}

// The costs in stream order, as x1, x2, ..
record record_of(std::size_t index, std::vector<std::int64_t> costs) {
  costs.resize(x.size());
  return record(id = static_cast<std::int64_t>(index), x[0] = costs[0], x[1] = costs[1], x[2] = costs[2],
                x[3] = costs[3]);
}

// The common part of all these workloads.
compared_workload workload_of(network net, plan of, std::string work) {
  const auto p = std::make_shared<const plan>(std::move(of));
  compared_workload w{{std::move(net), {}, p->costs.size(), {}, {}}, std::move(work)};
  for (const stage& s : p->stages) w.components.push_back(s.name);
  if (p->scale != 1) w.work += fmt::format("; times {:g}", p->scale);
  w.input = [p](std::size_t i) { return record_of(i, p->costs[i]); };
  w.index_of = [](const record& result) { return static_cast<std::size_t>(result[id]); };
  w.fixed_divisions = [p, names = w.components](int cores) {
    std::vector<std::size_t> ends = p->phases;
    ends.push_back(p->costs.size());
    return best_division(names, cores, ends.size(), [&](std::size_t phase, std::size_t i, int given) {
      double sum = 0;
      for (std::size_t r = phase ? ends[phase - 1] : 0; r < ends[phase]; ++r)
        if (p->costs[r][i]) sum += p->truth(i).seconds(static_cast<double>(p->costs[r][i]), given);
      return sum;
    });
  };
  w.fixed_how = "chosen by what the components cost in truth";
  w.max_width = 1;
  return w;
}

// The same number of records for each row of `costs`, one row after another.
void add_phases(plan& p, const std::vector<std::vector<std::int64_t>>& costs, std::size_t records) {
  for (std::size_t i = 0; i < records; ++i) {
    const std::size_t phase = i * costs.size() / records;
    if (i > 0 && phase != (i - 1) * costs.size() / records) p.phases.push_back(i);
    p.costs.push_back(costs[phase]);
  }
}

}  // namespace

// On 48 cores the bottleneck is `solve`: 92 ms per record with equal shares of 12, 51 ms with the best division.
compared_workload emulated_chain(const workload_size& size) {
  plan p{{{"decode", 0.80}, {"transform", 0.90}, {"solve", 0.99}, {"encode", 0.85}}, {}, {}, size.scale};
  const std::int64_t parts[] = {100, 80, 120, 90, 110};  // percent: a fifth either way, enough to need a model
  for (std::size_t i = 0; i < size.records.value_or(100); ++i) {
    const std::int64_t part = parts[i % std::size(parts)];
    p.costs.push_back({150 * part / 100, 250 * part / 100, 1000 * part / 100, 200 * part / 100});
  }
  return workload_of(chain_of(p), p, "150, 250, 1000 and 200 ms on one core, a fifth more or less");
}

// On 48 cores equal shares take 32 ms per record, as does the best fixed division; the best division of each phase
// takes 20 ms. A phase is longer than the 64 invocations that learner::mean_seconds() averages.
compared_workload emulated_phases(const workload_size& size) {
  plan p{{{"one", 0.95}, {"two", 0.95}, {"three", 0.95}, {"four", 0.95}}, {}, {}, size.scale};
  std::vector<std::vector<std::int64_t>> costs(4, {50, 50, 50, 50});
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i][i] = 250;
  add_phases(p, costs, size.records.value_or(320));
  return workload_of(chain_of(p), p, "50 ms on one core, but 250 ms in one component, another in each of four phases");
}

// On 48 cores equal shares take 31 ms per record, the best division 17 ms.
compared_workload emulated_fanout(const workload_size& size) {
  plan p{{{"spread", 0.90}, {"light", 0.90}, {"heavy", 0.98}, {"gather", 0.90}}, {}, {}, size.scale};
  for (std::size_t i = 0; i < size.records.value_or(200); ++i)
    p.costs.push_back(i % 4 == 3 ? std::vector<std::int64_t>{60, 0, 1200, 60}
                                 : std::vector<std::int64_t>{60, 100, 0, 60});
  network net = emulated_box(p, 0, x[0]) >> (emulated_box(p, 1, x[1]) | emulated_box(p, 2, x[1], &heavy)) >>
                emulated_box(p, 3, x[2]);
  compared_workload w =
      workload_of(std::move(net), p,
                  "60 ms on one core, then 100 ms for three of four records and 1200 ms for the fourth, then 60 ms");
  w.input = [costs = p.costs](std::size_t i) {
    const std::vector<std::int64_t>& c = costs[i];
    if (c[2] == 0) return record_of(i, {c[0], c[1], c[3]});
    return record(id = static_cast<std::int64_t>(i), x[0] = c[0], x[1] = c[2], x[2] = c[3], heavy = 1);
  };
  return w;
}

// On 48 cores with one for each invocation, 36 are idle; the longest way of a record takes 10 s.
compared_workload emulated_few(const workload_size& size) {
  plan p{{{"a", 0.99}, {"b", 0.90}, {"c", 0.99}, {"d", 0.95}}, {}, {}, size.scale, false};
  const std::int64_t parts[] = {100, 90, 110};  // percent
  for (std::size_t i = 0; i < size.records.value_or(12); ++i) {
    const std::int64_t part = parts[i % std::size(parts)];
    p.costs.push_back({3000 * part / 100, 500 * part / 100, 6000 * part / 100, 1000 * part / 100});
  }
  compared_workload w = workload_of(chain_of(p), p, "3, 0.5, 6 and 1 s on one core, a tenth more or less, any width");
  w.fixed_divisions = nullptr;  // those of one lane each are not the best
  return w;
}

compared_workload sykora_boxes(const workload_size& size) {
  plan p{{{"none", 0}, {"half", 0.5}, {"all", 1}}, {}, {}, size.scale};
  add_phases(p, {{100, 100, 500}, {200, 300, 200}, {300, 200, 600}}, size.records.value_or(15));
  return workload_of(chain_of(p), p, "ms on one core: (100, 100, 500), then (200, 300, 200), then (300, 200, 600)");
}

}  // namespace weir::program
