#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <weir/network/box_spec.hpp>
#include <weir/network/device.hpp>

namespace weir::detail {

// A slot with its values of each_slot(). The thread of the slot alone uses it.
class slot_values {
 public:
  explicit slot_values(slot s) : at(std::move(s)) {}

  // The value for a component, made when it is first asked for. Throws the exceptions of its maker.
  void* value_of(std::size_t component, const keeping& of) {
    while (values_.size() <= component) values_.emplace_back(nullptr, of.end);
    auto& mine = values_[component];
    if (!mine) mine = {of.make(of.maker.get()), of.end};
    return mine.get();
  }

  const slot at;

 private:
  std::vector<std::unique_ptr<void, void (*)(void*)>> values_;  // by component; null: none is made yet
};

}  // namespace weir::detail
