#include "runtime/split_stages.hpp"

#include <unordered_map>

#include "runtime/run_state.hpp"

namespace weir::detail {

class split_entry_stage::branches : public entity_state {
 public:
  ~branches() override {
    for (const auto& [value, branch] : by_value)
      if (branch) branch->give_up();
  }
  void each_scope(const std::function<void(scope&)>& f) const override {
    for (const auto& [value, branch] : by_value)
      if (branch) f(*branch);
  }
  std::unordered_map<std::int64_t, scope*> by_value;  // null: there was no memory for the scope
};

scope* split_entry_stage::branch_for(scope& outer, std::int64_t value) {
  auto& state = outer.state(state_index_);
  if (!state) state = std::make_unique<branches>();
  scope*& branch = static_cast<branches&>(*state).by_value[value];
  if (!branch) {
    branch = scope::make(&outer, inside_, value);
    run_.unfolded(*this, *branch, ":I*");
  }
  return branch;
}

stage* split_entry_stage::step(record_body*& r, context&) {
  const int slot = r->shape->find(by_->key);
  if (slot < 0) {
    fail(failure_kind::tag_missing, r, "the record lacks the tag " + weir::to_string(*by_) + " that says which branch");
    return nullptr;
  }
  scope* const branch = branch_for(run_.scope_of(*r), static_cast<std::int64_t>(r->slots()[slot]));
  branch->hold();
  if (r->where) r->where->let_go();
  r->where = branch;
  return next;
}

stage* split_exit_stage::step(record_body*& r, context&) {
  scope* const branch = r->where;
  scope* const outer = branch->parent();
  r->where = outer->parent() ? outer : nullptr;  // outside of all scopes a record is nowhere
  if (r->where) outer->hold();
  branch->let_go();
  return next;
}

}  // namespace weir::detail
