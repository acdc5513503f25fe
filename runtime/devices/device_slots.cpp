#include "runtime/devices/device_slots.hpp"

#include <sched.h>

#include <new>

#include "runtime/engine/run_environment.hpp"
#include "runtime/machine/process_threads.hpp"
#include "runtime/threads/cpu_mask.hpp"
#include "runtime/threads/this_thread.hpp"

namespace weir::detail {

device_slots::device_slots(run_environment& run, const weir::device& of) : run_(run), device_(of), state_(of.slots()) {
  for (int i = 0; i < of.slots(); ++i) places_.push_back(std::make_unique<place>());
}

device_slots::~device_slots() { end(); }

void device_slots::end() noexcept {
  {
    const lock_guard lock(mutex_);
    ends_ = true;
    for (auto& p : places_) p->arrived.notify_one();
  }
  for (auto& p : places_)
    if (p->thread.joinable()) p->thread.join();
}

// The boxes take turns, so none of them keeps the slots from another.
void device_slots::dispatch() {
  std::size_t in_vain = 0;
  while (in_vain < users_.size()) {
    device_user& next = *users_[next_user_];
    next_user_ = (next_user_ + 1) % users_.size();
    in_vain = next.begin_one() ? 0 : in_vain + 1;
  }
}

void device_slots::start(waiting_record& record) {
  const std::size_t free = state_.free_slot();
  place& at = *places_[free];
  if (!at.thread.joinable()) at.thread = kept_threads::start(run_.platform, [this, free] { serve(free); });
  state_.begin(free, record);
  at.arrived.notify_one();
}

// A thread whose binding the system refuses runs where it may.
void device_slots::bind() const noexcept try {
  run_.platform.unbind();
  if (device_.cpus().empty() || !run_.platform.is_local()) return;
  const std::vector<cpu_set_t> wanted = cpu_mask(device_.cpus());
  sched_setaffinity(0, wanted.size() * sizeof(cpu_set_t), wanted.data());
} catch (const std::bad_alloc&) {
}

void device_slots::serve(std::size_t index) noexcept {
  const own_thread marked;
  const inside_call now(&run_.run);
  name_this_thread("weir device");
  bind();
  run_.floats.state().keep_all();
  slot_values mine(slot(static_cast<int>(index), run_.life.boxes().get_token()));
  run_all(index, mine);
}

void device_slots::run_all(std::size_t index, slot_values& values) noexcept {
  unique_lock lock(mutex_);
  for (;;) {
    if (!state_.at(index)) {
      if (ends_) break;
      places_[index]->arrived.wait(lock);
      continue;
    }
    waiting_record& record = static_cast<waiting_record&>(*state_.at(index));
    lock.unlock();
    record.run(values);
    lock.lock();
    state_.end(index);
    record.of->ended_on_device(record);  // from here on the record may be gone
    dispatch();
  }
}

}  // namespace weir::detail
