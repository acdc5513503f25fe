#include "runtime/streams/scope.hpp"

#include <new>

#include <weir/record/pool.hpp>
#include "runtime/streams/order.hpp"
#include "runtime/streams/schedulable.hpp"

namespace weir::detail {
namespace {

std::size_t size_with(const level& l) {
  return sizeof(scope) + l.states.size() * sizeof(std::unique_ptr<entity_state>);
}

}  // namespace

scope* scope::make(scope* parent, level& of, std::int64_t value) {
  const std::size_t size = size_with(of);
  void* memory = size <= pool::block_size ? pool::allocate() : ::operator new(size);
  auto* made = ::new (memory) scope(parent, of, value);
  for (std::size_t i = 0; i < of.states.size(); ++i) ::new (made->states() + i) std::unique_ptr<entity_state>();
  return made;
}

void scope::all_gone() noexcept { level_.wake->wake_worker(); }

void scope::destroy() noexcept {
  const std::size_t size = size_with(level_);
  for (std::size_t i = 0; i < level_.states.size(); ++i) std::destroy_at(states() + i);
  this->~scope();
  if (size <= pool::block_size)
    pool::release(this);
  else
    ::operator delete(this);
}

void scope::end(order_slot* by) noexcept {
  parent_->hold_with_outer();
  if (by) by->hold();
  ended_by_ = by;
  ended_ = true;
  give_up();
}

void scope::destroy_ended() noexcept {
  scope* const outer = parent_;
  order_slot* const by = ended_by_;
  destroy();
  outer->let_go_with_outer();
  if (by) by->let_go();
}

bool scope::forget(run_environment& run) {
  bool all = true;
  for (std::size_t i = 0; i < level_.states.size(); ++i) {
    auto& one = states()[i];
    if (!one) continue;
    if (one->forget(run, *level_.states[i]))
      one.reset();
    else
      all = false;
  }
  return all;
}

std::string scope::path(const std::string& pattern) const {
  std::vector<std::int64_t> values;
  for (const scope* s = this; s->parent_; s = s->parent_)
    if (s->level_.in_paths) values.push_back(s->value_);
  std::string text;
  for (const char c : pattern) {
    if (c != '*' || values.empty()) {
      text += c;
    } else {
      text += std::to_string(values.back());
      values.pop_back();
    }
  }
  return text;
}

}  // namespace weir::detail
