#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/engine/run_environment.hpp"
#include "runtime/placed/hosted_home.hpp"
#include "runtime/placed/untaken_records.hpp"
#include "runtime/remote/rank_message.hpp"
#include "runtime/remote/session.hpp"
#include "runtime/threads/locks.hpp"

namespace weir::detail {

// The homes of a part that this rank runs, and the credit that both sides owe each other. Thread-safe.
class hosted_homes {
 public:
  // cut: the number of the part.
  hosted_homes(run_environment& run, remote::session& ranks, std::uint32_t cut) : run_(run), ranks_(ranks), cut_(cut) {}

  // The home at this rank with this number there, made for its first message. Throws std::bad_alloc.
  hosted_home& find_or_make(int rank, std::uint32_t number);

  // Results for a lost rank are discarded; unlimited credit keeps it from blocking the others.
  void lost(int rank);

  bool has_credit() const;                  // of every home that refused some
  std::vector<int> without_credit() const;  // ranks that records wait for here, until these have taken up more
  // Asks these whether they returned credit that did not come: that ends the run. Throws std::bad_alloc.
  void ask_for_credit();

  // Records of a message came from this home, and wait in the region's inlet.
  void arrived(hosted_home& from, const std::vector<remote::item>& items);
  // all: records taken out of the inlet so far: credit for them is owed, and told where it is due.
  void taken(std::uint64_t all);
  // A record came that never gets to the inlet.
  void refused(hosted_home& from, std::size_t bytes);
  // The home asks for the credit that this rank owes it. Throws std::bad_alloc.
  void answer(hosted_home& to);

 private:
  bool tell_credit() WEIR_REQUIRES(mutex_);

  run_environment& run_;
  remote::session& ranks_;
  const std::uint32_t cut_;
  mutable WEIR_LOCK(calls) mutex_;
  std::map<std::pair<int, std::uint32_t>, std::unique_ptr<hosted_home>> homes_
      WEIR_GUARDED_BY(mutex_);                       // by rank, and their number there
  untaken_records untaken_ WEIR_GUARDED_BY(mutex_);  // in the region's inlet
};

}  // namespace weir::detail
