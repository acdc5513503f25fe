#include <weir/process/make_command.hpp>

#include <memory>
#include <utility>

#include <weir/network/box.hpp>

#include "runtime/process/command_lane.hpp"
#include "runtime/process/command_plan.hpp"

namespace weir {

namespace detail {
namespace {

using processes::command_lane;
using processes::command_plan;

bool call(void*, invocation& i) { return static_cast<command_lane*>(i.kept)->run(i); }

invocation_use use_of(const void* kept) { return static_cast<const command_lane*>(kept)->use(); }

void list_processes(void* kept, std::shared_ptr<box_processes> in) {
  static_cast<command_lane*>(kept)->list_processes(std::move(in));
}

box_code code_for(const command_settings& s) {
  box_code c{};
  c.call = &call;
  c.takes_grant = true;
  c.returns_one = !s.in_lines && !s.is_sink;
  c.gives_none = s.is_sink;
  c.use_of = &use_of;
  c.list_processes = &list_processes;
  c.check_at_start = &processes::check_at_start;
  return c;
}

// A box with these settings, and the properties of `spec`.
network made_of(box_spec spec, const command_settings& settings) {
  const auto plan = std::make_shared<command_plan>(settings, code_for(settings));
  spec.name = plan->settings.name;
  spec.takes = plan->settings.takes;
  spec.variants.clear();
  if (!plan->settings.is_sink) spec.variants.push_back(plan->settings.gives);
  spec.callable = plan;
  spec.code = &plan->code;
  spec.identity = plan.get();
  spec.keeps = std::make_shared<const keeping>(
      keeping{std::make_shared<std::shared_ptr<command_plan>>(plan),
              [](void* by) -> void* { return new command_lane(*static_cast<std::shared_ptr<command_plan>*>(by)); },
              [](void* lane) { delete static_cast<command_lane*>(lane); }});
  return make_box(std::make_shared<const box_spec>(std::move(spec)));
}

}  // namespace

network make_command(command_settings settings) { return made_of({}, settings); }

network with_command(const network& command, const std::function<void(command_settings&)>& change) {
  const box_spec& before = spec_of(command);
  command_settings settings = static_cast<const command_plan*>(before.callable.get())->settings;
  change(settings);
  return made_of(before, settings);
}

}  // namespace detail
}  // namespace weir
