#include <weir/process/worker.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>

#include <weir/process/command_settings.hpp>
#include <weir/process/field_bytes.hpp>
#include <weir/record/errors.hpp>
#include "runtime/network/leaf_nodes.hpp"
#include "runtime/process/variables.hpp"
#include "runtime/process/worker_lane.hpp"
#include "runtime/process/worker_on_device.hpp"
#include "runtime/process/worker_plan.hpp"

namespace weir::detail {
namespace {

using processes::host_variable;
using processes::wire_labels;
using processes::worker_box;
using processes::worker_lane;
using processes::worker_plan;

bool call_worker(void* callable, invocation& i) {
  static_cast<worker_lane*>(i.kept)->call(*static_cast<const worker_box*>(callable), {&i, 1});
  return false;
}
void call_worker_for_several(void* callable, std::span<invocation> each, bool* gave) {
  static_cast<worker_lane*>(each[0].kept)->call(*static_cast<const worker_box*>(callable), each);
  std::fill_n(gave, each.size(), false);
}
invocation_use use_of_worker(const void* kept) { return static_cast<const worker_lane*>(kept)->use(); }

void list_processes_of_worker(void* kept, std::shared_ptr<box_processes> in) {
  static_cast<worker_lane*>(kept)->list_processes(std::move(in));
}

// A program that is not there is an error before anything runs. A host whose main has not called host() ends here,
// since all that follows is the work of the first process.
void check_program(const box_spec& box) {
  if (const char* const own = std::getenv(host_variable)) {
    std::fprintf(stderr,
                 "weir: this process was started to run the box \"%s\" of isolated(), and main() has not called "
                 "weir::host(..) with it\n",
                 own);
    _exit(2);
  }
  const worker_plan& plan = static_cast<const worker_box*>(box.callable.get())->plan;
  if (!plan.program) processes::find_program(plan.arguments.front());
}

constexpr box_code code_of_worker{&call_worker,
                                  nullptr,
                                  true,
                                  false,
                                  false,
                                  {nullptr, 0},
                                  {nullptr, 0},
                                  &use_of_worker,
                                  &check_program,
                                  &call_worker_for_several,
                                  &list_processes_of_worker};

// Each thread that runs a worker's box keeps a process.
std::shared_ptr<const keeping> a_lane_each() {
  // never destroyed: threads may make networks during static destruction
  static const auto* const lanes = new std::shared_ptr<const keeping>(
      std::make_shared<const keeping>(keeping{nullptr, [](void*) -> void* { return new worker_lane; },
                                              [](void* kept) { delete static_cast<worker_lane*>(kept); }}));
  return *lanes;
}

network make(box_spec spec, worker_plan plan) {
  plan.in_batches = spec.most_in_batch > 1;
  auto box = std::make_shared<worker_box>(spec.name, wire_labels(spec), std::move(plan));
  auto made = std::make_shared<box_spec>(std::move(spec));
  made->code = &code_of_worker;
  made->identity = box.get();
  const worker_plan& planned = box->plan;
  made->callable = std::move(box);
  made->keeps = a_lane_each();
  const network result = make_box(std::move(made));
  return planned.device.empty() ? result : with_device(result, processes::worker_on_device(spec_of(result), planned));
}

const worker_box& box_of(const box_spec& spec) { return *static_cast<const worker_box*>(spec.callable.get()); }

template <class Change>
network with_plan(const network& box, Change change) {
  const box_spec& spec = spec_of(box);
  worker_plan plan = box_of(spec).plan;
  change(plan);
  return make(spec, std::move(plan));
}

[[noreturn]] void refuse(const network& box, const std::string& why) {
  throw type_error("box " + spec_of(box).name + ": " + why);
}

const box_spec& spec_to_isolate(const network& box) {
  const auto* const found = as<box_node>(box);
  if (!found) throw type_error("isolated() of the network " + to_string(box) + ", expected a box");
  const box_spec& spec = *found->spec;
  if (processes::runs_in_workers(spec)) refuse(box, "isolated() of a box that is in a process of its own already");
  if (spec.initialiser || spec.is_fold()) refuse(box, "isolated() of a source or a fold, expected a box");
  return spec;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < all.size(); at += arguments.back().size() + 1) arguments.emplace_back(all.c_str() + at);
  return arguments;
}

}  // namespace

bool processes::runs_in_workers(const box_spec& box) { return box.code == &code_of_worker; }

// Where its code lies in the program or library that it is of.
std::string processes::code_place(const box_spec& box) {
  const auto* const code = reinterpret_cast<const std::byte*>(box.code->call);
  Dl_info of{};
  if (dladdr(reinterpret_cast<const void*>(code), &of) == 0 || !of.dli_fbase) return "";
  return std::to_string(code - static_cast<const std::byte*>(of.dli_fbase));
}

network make_worker(const char* name, std::vector<const label_info*> takes,
                    std::vector<std::vector<const label_info*>> variants, std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front().empty())
    throw type_error("box " + std::string(name) + ": no program is given that runs it");
  box_spec spec;
  spec.name = name;
  spec.takes = std::move(takes);
  spec.variants = std::move(variants);
  worker_plan plan;
  plan.arguments = std::move(arguments);
  plan.arguments.front() = processes::lasting_name(plan.arguments.front());
  return make(std::move(spec), std::move(plan));
}

network make_isolated(const network& box) {
  const box_spec& spec = spec_to_isolate(box);
  worker_plan plan;
  plan.arguments = own_arguments();
  plan.program.emplace();
  plan.environment = {{host_variable, spec.name}};
  plan.code = processes::code_place(spec);
  return make(spec, std::move(plan));
}

network make_hosted(const network& box, const std::filesystem::path& library) {
  const box_spec& spec = spec_to_isolate(box);
  if (library.empty()) refuse(box, "isolated() with a library without a name, expected its path");
  worker_plan plan;
  plan.arguments = {"weir", "host", std::filesystem::absolute(library)};
  return make(spec, std::move(plan));
}

network worker_within(const network& box, any_time time) {
  const std::chrono::nanoseconds bound = bounded_time("box " + spec_of(box).name, time);
  return with_plan(box, [&](worker_plan& p) { p.within = bound; });
}

network worker_with_memory(const network& box, std::uint64_t bytes) {
  if (bytes == 0) refuse(box, "memory(0), expected a number of bytes");
  return with_plan(box, [&](worker_plan& p) { p.memory = bytes; });
}

network worker_with_retries(const network& box, int count) {
  if (count < 0 || count > most_retries)
    refuse(box, "retries(" + std::to_string(count) + "), expected 0 to " + std::to_string(most_retries));
  return with_plan(box, [&](worker_plan& p) { p.retries = count; });
}

network worker_batched(const network& box, int most, bool is_fixed) {
  return with_plan(with_batches(box, most, is_fixed), [](worker_plan&) {});
}

network worker_on_device(const network& box, const device& where, std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front().empty())
    refuse(box, "on(" + where.name() + ", ..): no program is given that runs it there");
  arguments.front() = processes::lasting_name(arguments.front());
  return with_plan(box, [&](worker_plan& p) { p.device = where.name(), p.device_arguments = std::move(arguments); });
}

network worker_restarted_for_cores(const network& box) {
  return with_plan(box, [](worker_plan& p) { p.restarts_for_cores = true; });
}

network worker_printing_to_error_stream(const network& box) {
  return with_plan(box, [](worker_plan& p) { p.prints_to_error_stream = true; });
}

}  // namespace weir::detail
