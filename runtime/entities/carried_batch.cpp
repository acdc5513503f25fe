#include "runtime/entities/carried_batch.hpp"

#include "runtime/streams/stream_monitor.hpp"

namespace weir::detail {

namespace {

const field<carried_batch>& label() {
  static const field<carried_batch> the_only(batch_of_records);
  return the_only;
}

carried_batch& batch_in(record_body& r) { return const_cast<carried_batch&>(word_as<carried_batch>(r.slots()[0])); }

}  // namespace

record_body* carrier_of(carried_batch& all) {
  record_body* const made = std::move(record{label() = carried_batch()}).release();
  batch_in(*made).swap(all);
  return made;
}

std::vector<record_body*> taken_apart(record_body* carrier) {
  carried_batch& carried = batch_in(*carrier);
  std::vector<record_body*> all;
  all.reserve(carried.size());
  for (owned_body& one : carried) {
    share_context(*carrier, *one);
    all.push_back(one.release());
  }
  drop_body(carrier);
  return all;
}

}  // namespace weir::detail
