#include "runtime/placed/hosted_exit_entity.hpp"

#include <memory>
#include <new>
#include <utility>

#include "runtime/engine/run_environment.hpp"
#include "runtime/record/thrown.hpp"

namespace weir::detail {

using remote::item;
using remote::topic;

hosted_exit_entity::hosted_exit_entity(run_environment& run, std::string path, remote::session& ranks)
    : entity(run, std::move(path)), ranks_(ranks) {}

hosted_exit_entity::~hosted_exit_entity() = default;

std::size_t hosted_exit_entity::give(record_body* const* records, std::size_t count) {
  std::size_t i = 0;
  while (i < count) {
    hosted_home& to = hosted_home::of(*records[i]->order);
    std::size_t n = 1;
    while (i + n < count && &hosted_home::of(*records[i + n]->order) == &to) ++n;
    std::size_t given;
    try {
      given = give_some(to, records + i, n);
    } catch (const std::bad_alloc&) {
      if (i == 0) throw;
      given = 0;
    }
    i += given;
    if (given == n) continue;
    to.credit.refuse();
    return i;
  }
  return count;
}

std::size_t hosted_exit_entity::give_some(hosted_home& to, record_body* const* records, std::size_t count) {
  const std::size_t most = to.credit.take(count);
  if (most == 0) return 0;
  remote::rank_message_writer message = to.result_message(topic::give, topic::forward);
  std::vector<record_body*> sent;
  std::size_t done = 0;
  try {
    sent.reserve(most);
    for (; done < most && (done == 0 || to.credit.has_bytes()); ++done) {
      record_body* const r = records[done];
      if (pack(message, to, *r, done + 1 < count && records[done + 1]->order == r->order)) sent.push_back(r);
    }
  } catch (const std::bad_alloc&) {
    if (done > 0) send(to, std::move(message), sent);
    give_back(to, most - sent.size());
    if (done == 0) throw;
    return done;
  }
  send(to, std::move(message), sent);
  give_back(to, most - sent.size());
  return done;
}

// As call_sender::give_back().
void hosted_exit_entity::give_back(hosted_home& to, std::size_t records) {
  if (records == 0) return;
  to.credit.give_back(records, 0);
  has_more_credit();
}

// Records are counted before, since the run may be over once they have come. They end behind it: what another thread
// then says of their calls comes after their message.
void hosted_exit_entity::send(hosted_home& to, remote::rank_message_writer&& message,
                              const std::vector<record_body*>& sent) {
  if (sent.empty()) return;
  gave_.fetch_add(sent.size(), std::memory_order_relaxed);
  ranks_.send(to.gives_to(), std::move(message));
  for (record_body* const r : sent) drop_body(r);
}

// False: the record has ended by an error. Throws std::bad_alloc, and has done nothing then.
bool hosted_exit_entity::pack(remote::rank_message_writer& into, hosted_home& to, record_body& r,
                              bool shares_with_next) {
  const remote::packing* const how =
      packings_.find(r.shape, [&] { return std::make_unique<remote::packing>(ranks_.packs().pack_result(*r.shape)); });
  if (how->refused) {
    fail_saying(failure_kind::not_sent, &r, [&] { return how->why_refused(to.gives_to()); });
    return false;
  }
  std::uint8_t flags = 0;
  std::uint64_t labels_of = 0, number = r.order->number;
  remote::kept_handle* only = nullptr;
  if (how->kept >= 0) {
    const slot_word word = r.slots()[how->kept];
    labels_of = word_as<remote::kept_handle>(word).call();
    only = unshared<remote::kept_handle>(word);
    if (only && only->tells()) flags |= item::released;
  }
  const bool is_last = to.is_last(*r.order);
  if (!to.gives_home()) {
    flags = how->kept >= 0 ? item::keeps : 0;
    if (!is_last) number = remote::divided(number);
  } else if (is_last) {
    flags |= item::done;
  }
  std::size_t bytes;
  try {
    bytes = into.add(number, labels_of, flags, r, *how);
  } catch (const std::exception& e) {
    fail_saying(failure_kind::not_sent, &r, [&] { return said_by(e); });
    return false;
  }
  to.credit.spend(bytes);
  if (only) only->disarm();
  if (!to.gives_home() && !is_last) hosted_home::goes_on(*r.order);
  if (is_last)
    order_slot::destroy(std::exchange(r.order, nullptr));
  else if (shares_with_next)
    std::exchange(r.order, nullptr)->let_go();  // the next holds it
  return true;
}

}  // namespace weir::detail
