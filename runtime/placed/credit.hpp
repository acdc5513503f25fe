#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/remote/rank_message.hpp"
#include "runtime/remote/window.hpp"

namespace weir::detail {

// Puts into a message what a receiver of records owes their sender; for one that asked, with all so far as a total.
inline void write_credit(remote::rank_message_writer& into, const remote::owed_credit& owed, bool asked) {
  into.add(owed.records(), owed.bytes());
  if (asked) into.add(owed.all_records(), owed.all_bytes(), remote::item::total);
}

// Takes the credit of such a message from a rank. A total that differs from the credit received ends the run: the
// missing credit would block the link for ever. Called by the listener's thread. Throws std::bad_alloc.
inline void take_credit(run_environment& run, remote::sending_window& into, int from,
                        const std::vector<remote::item>& items) {
  for (const remote::item& i : items) {
    if (!i.is(remote::item::total)) {
      into.returned(i.first, i.second);
    } else if (!into.is_complete(i.first, i.second)) {
      failure f;
      f.kind = failure_kind::rank_lost;
      f.entity = "rank " + std::to_string(from);
      f.cause = "the link to it hangs: credit for " + std::to_string(into.returned_records()) + " of " +
                std::to_string(i.first) + " records arrived";
      f.rank = run.settings.rank;
      run.errors.end_by(std::move(f));
      run.run.end_soon();
    }
  }
}

}  // namespace weir::detail
