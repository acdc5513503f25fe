#include "runtime/entities/device_entity.hpp"

#include "runtime/entities/device_invocation.hpp"

namespace weir::detail {

// One record at the box, and its invocation on the device.
template <class Base>
class device_entity<Base>::one_record final : public device_invocation {
 public:
  one_record(device_entity& at, record_body& input, const box_plan& plan, context& c)
      : device_invocation(at, input, c), at_(at), plan_(plan), i_{&input, plan.take.data(), words_,
                                                                  0,      nullptr,          nullptr} {}

  // Where it goes on; null: it has ended.
  entity* take_result(record_body*& r) {
    if (!at_.returns_one_) at_.taken.add();
    if (!gave_ || at_.component.spec->variants.empty()) {
      drop_body(r);
      return nullptr;
    }
    r = output_of(i_, plan_.variants[0]);
    if (!at_.returns_one_) at_.given.add();
    return at_.next;
  }

 private:
  std::span<invocation> each() noexcept override { return {&i_, 1}; }
  void call(const device_box& on) override { gave_ = on.call(on.callable.get(), i_); }

  device_entity& at_;
  const box_plan& plan_;
  slot_word words_[max_given];
  invocation i_;
  bool gave_ = false;
};

template <class Base>
entity* device_entity<Base>::step(record_body*& r, context& c) {
  if (!this->component.on_device || !c.by.lease->cores.empty())
    return Base::step(r, c);  // with cores: inside another invocation
  const box_plan* const plan = this->component.plan_for(r->shape);
  if (!plan) return this->no_match(r);
  one_record waiting(*this, *r, *plan, c);
  const bool reads = this->component.spec->predict != nullptr;
  predictor_values_read values;
  if (reads && !this->predict(r, c, *plan, values)) {
    if (!this->returns_one_) this->taken.add();
    return nullptr;
  }
  waiting.x = values.x;
  entity* to = nullptr;
  switch (waiting.run_where_first(c, [&] { to = Base::step_with(r, c, reads ? &values : nullptr); })) {
    case device_invocation::place::on_device:
      return waiting.take_result(r);
    case device_invocation::place::nowhere:
      this->run_.errors.drop(1);
      drop_body(r);
      return nullptr;
    case device_invocation::place::on_cores:
      break;
  }
  return to;
}

template class device_entity<box_entity>;
template class device_entity<lane_entity>;

}  // namespace weir::detail
