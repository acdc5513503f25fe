#include "runtime/run/device_set.hpp"

#include <algorithm>

#include <weir/model/named/estimators.hpp>
#include "runtime/record/cut_text.hpp"

namespace weir::detail {
namespace {

// A name that the user chose, as notes have it.
std::string shown(const std::string& name) { return visible_text(name, false); }

}  // namespace

device_set::device_set(run_environment& run, const std::vector<std::unique_ptr<component_state>>& components,
                       const options& o) {
  for (const device& one : o.devices) devices_.push_back(std::make_unique<device_slots>(run, one));
  std::vector<std::string> used;
  for (const auto& c : components) {
    if (!c->spec->on) continue;
    const std::string& name = c->spec->on->device;
    const auto at =
        std::find_if(devices_.begin(), devices_.end(), [&](const auto& d) { return d->device().name() == name; });
    used.push_back(name);
    if (at == devices_.end()) {
      notes_.push_back(shown(c->spec->name) + " runs on cores alone: option devices does not name " + shown(name));
    } else if (!run.platform.has_threads()) {
      notes_.push_back(shown(c->spec->name) + " runs on cores alone: this machine has no threads for device " +
                       shown(name));
    } else {
      choices_.push_back(std::make_unique<device_choice>(
          run, **at, *c->spec, c->index, [&] { return make_estimator(o.estimator, degree{c->spec->degree}); }));
      (*at)->attach(*choices_.back());
      c->on_device = choices_.back().get();
    }
  }
  for (const device& one : o.devices)
    if (std::find(used.begin(), used.end(), one.name()) == used.end())
      notes_.push_back("option devices: no box runs on " + shown(one.name()));
}

void device_set::end() noexcept {
  for (const auto& d : devices_) d->end();
}

}  // namespace weir::detail
