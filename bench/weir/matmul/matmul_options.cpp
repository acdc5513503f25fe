#include "bench/weir/matmul/matmul_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <system_error>

#include <weir/options/saved_runs.hpp>
#include "bench/support/bad_input.hpp"
#include "bench/support/number_list.hpp"
#include "bench/weir/common/models_file.hpp"
#include "bench/weir/common/named_policy.hpp"
#include "bench/weir/matmul/emulated_network.hpp"
#include "bench/weir/matmul/matmul_network.hpp"

namespace weir::program {
namespace {

constexpr std::int64_t largest_size = 32768;     // 8 GB per matrix
constexpr std::int64_t most_records = 10000000;  // every observation is kept until the end, 80 bytes each

// About 4 s of multiplications on one slow core, and enough sizes for a polynomial of degree 3.
const std::string default_sizes = "200:800:200";
constexpr int default_repeat = 10;

// The predictor of an emulated stage is arbitrary; a fifth either way from its middle is enough to need a model. There
// are 25 records of each size, since the allotment after 30 records is of interest.
const std::string default_emulated_sizes = "80:120:20";
constexpr int default_emulated_repeat = 25;
const std::string default_emulated_machine = "package:4 core:12 pu:1";

std::vector<std::int64_t> sizes_of(const matmul_options& typed, bool emulated) {
  if (!typed.sizes_list.empty() && !typed.sizes.empty()) throw bad_input("--sizes and --sizes-list: give one of them");
  if (!typed.sizes_list.empty()) return parse_list("--sizes-list", typed.sizes_list, 1, largest_size);
  const std::string& otherwise = emulated ? default_emulated_sizes : default_sizes;
  return parse_range("--sizes", typed.sizes.empty() ? otherwise : typed.sizes, 1, largest_size);
}

// Every size `repeat` times. The shuffle is written out because std::shuffle differs between libraries.
std::vector<std::int64_t> inputs_of(const matmul_plan& plan) {
  std::vector<std::int64_t> inputs;
  for (const std::int64_t size : plan.sizes) inputs.insert(inputs.end(), static_cast<std::size_t>(plan.repeat), size);
  if (plan.order == "rising") {
    std::sort(inputs.begin(), inputs.end());
  } else {
    std::mt19937_64 random(plan.seed);
    for (std::size_t i = inputs.size(); i > 1; --i) std::swap(inputs[i - 1], inputs[random() % i]);
  }
  return inputs;
}

measured_time time_of(const std::string& text, bool emulated) {
  if (text == "cpu" && emulated) throw bad_input("--time cpu: kernel emulated only sleeps, which takes no CPU time");
  for (const measured_time time : {measured_time::automatic, measured_time::wall, measured_time::cpu})
    if (text == name_of(time)) return time;
  throw bad_input(fmt::format("--time: there is no time \"{}\"; there are automatic, wall and cpu", text));
}

void add_grid(const matmul_options& typed, matmul_plan& plan) {
  if (plan.emulated) throw bad_input("--cores: only multiply can be given a number of cores, not kernel emulated");
  if (!typed.policies.empty()) throw bad_input("--cores and --policy: give one of them");
  if (typed.objective != "throughput") throw bad_input("--cores and --objective: in a grid nothing adapts");
  if (typed.width && *typed.width != 1) throw bad_input("--cores: each product is on all of them, which is --width 1");
  for (const std::int64_t cores : parse_list("--cores", typed.cores, 1, plan.machine.size())) {
    const std::string text = fmt::format("fixed:multiply={}", cores);
    add_run(plan, text, text, "", matmul_names(), plan.max_width);
  }
}

void add_policies(const matmul_options& typed, matmul_plan& plan, const std::vector<std::string>& components) {
  const std::vector<std::string> texts = typed.policies.empty() ? std::vector<std::string>{"adaptive"} : typed.policies;
  for (const std::string& text : texts) {
    const auto same = [&](const planned_policy& p) { return p.text == text; };
    if (std::any_of(plan.runs.begin(), plan.runs.end(), same))
      throw bad_input(fmt::format("--policy {}: it is given twice; --rounds repeats all of them", text));
    add_run(plan, text, text, "", components, plan.max_width);
  }
  require_objective_used(typed.objective, texts);
}

void take_priors(const std::string& path, matmul_plan& plan) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) {
    plan.prior_models = read_models_file(path);
    return;
  }
  try {
    plan.prior_runs = read_runs(path);
  } catch (const std::invalid_argument& e) {
    throw bad_input(fmt::format("--prior-models: {}", e.what()));
  }
}

}  // namespace

std::string name_of(measured_time time) {
  return time == measured_time::cpu ? "cpu" : time == measured_time::wall ? "wall" : "automatic";
}

matmul_plan plan_of(const matmul_options& typed) {
  matmul_plan plan;
  plan.kernel = typed.kernel;
  plan.emulated = typed.kernel == "emulated";
  if (!plan.emulated) require_kernel(typed.kernel);
  plan.sizes = sizes_of(typed, plan.emulated);
  if (typed.order != "shuffled" && typed.order != "rising")
    throw bad_input(fmt::format("--order: there is no order \"{}\"; there are shuffled and rising", typed.order));
  plan.order = typed.order;
  plan.time = time_of(typed.time, plan.emulated);
  plan.repeat = typed.repeat.value_or(plan.emulated ? default_emulated_repeat : default_repeat);
  plan.rounds = typed.rounds;
  plan.max_width = typed.width.value_or(plan.emulated || !typed.cores.empty() ? 1 : std::numeric_limits<int>::max());
  take_options(plan, typed);
  plan.goal =
      objective::throughput;  // records are sent as fast as they are taken, whatever the policies are to achieve
  const std::vector<std::string> components = plan.emulated ? emulated_names() : matmul_names();
  take_machine(plan, typed.machine, plan.emulated ? default_emulated_machine : "local",
               {"kernel " + plan.kernel, components.size(), plan.emulated});
  plan.grid = !typed.cores.empty();
  if (plan.grid)
    add_grid(typed, plan);
  else
    add_policies(typed, plan, components);
  for (const planned_policy& p : plan.runs) plan.rows.push_back(p.name);
  plan.baseline = plan.rows.front();

  const auto sizes = static_cast<std::int64_t>(plan.sizes.size());
  if (plan.repeat > most_records / sizes / plan.total_runs())
    throw bad_input(fmt::format("--repeat: {} sizes x {} x {} runs is more than {} records", sizes, plan.repeat,
                                plan.total_runs(), most_records));
  plan.inputs = inputs_of(plan);

  if (typed.prior_models) take_priors(*typed.prior_models, plan);
  if (typed.live) plan.live.emplace(*typed.live);
  require_different({{"--out", typed.files.out},
                     {"--save-model", typed.save_model},
                     {"--report", typed.files.report},
                     {"--trace", typed.files.trace}});
  open_files(plan, typed.files);
  if (typed.save_model) plan.save_model.emplace("--save-model", *typed.save_model);
  return plan;
}

}  // namespace weir::program
