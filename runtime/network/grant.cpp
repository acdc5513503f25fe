#include <weir/network/grant.hpp>

#include <sched.h>

#include "runtime/network/used_amounts.hpp"
#include "runtime/threads/cpu_mask.hpp"

namespace weir {
namespace {

bool bind_to(const std::vector<int>& units) {
  const std::vector<cpu_set_t> wanted = detail::cpu_mask(units);
  std::vector<cpu_set_t> present(wanted.size());
  const std::size_t bytes = wanted.size() * sizeof(cpu_set_t);
  // Reads the mask first. Setting a mask that is set already would yield the core for a while, and a team of threads
  // waits for its slowest.
  if (sched_getaffinity(0, bytes, present.data()) == 0 && CPU_EQUAL_S(bytes, wanted.data(), present.data()))
    return true;
  return sched_setaffinity(0, bytes, wanted.data()) == 0;
}

}  // namespace

bool grant::bind_this_thread() const { return os_units_.empty() || bind_to(os_units_); }

bool grant::used(const resource& of, std::int64_t amount) const {
  detail::used_amounts* const listener = detail::used_amounts::of_this_thread();
  return listener && amount >= 0 && listener->note(of, amount);
}

grant::wide_binding::wide_binding(const grant& of) {
  if (!of.all_units_ || of.all_units_->empty()) return;
  before_ = detail::permitted_units();
  if (!before_.empty()) bind_to(*of.all_units_);
}
grant::wide_binding::~wide_binding() {
  if (!before_.empty()) bind_to(before_);
}

}  // namespace weir
