#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <weir/record/record.hpp>

namespace weir::detail {

// Calls that let folds at another rank finish, and the positions that these open there: one for each instance that
// finishes. Owns no record. The caller's lock guards it.
class finishing_calls {
 public:
  // has_begun: of the instances in the call's scope. outer: of the ordered networks around the part, those in which all
  // that the call causes has one position.
  void begin(std::uint64_t call, bool& has_begun, std::size_t outer) { calls_[call] = {&has_begun, outer}; }
  // A call of any kind is done; more: another instance in its scope may have to finish, so `has_begun` is set.
  void end(std::uint64_t call, bool more);

  // The `outer` of a call for which a rank opens a position. Throws std::runtime_error if it may not.
  std::size_t outer_of(std::uint64_t call, int from, std::uint64_t position) const;
  void open(int from, std::uint64_t position, record_body* kept) { positions_[{from, position}] = kept; }
  // The record with a position's context. Both throw std::runtime_error if there is none.
  record_body* kept_of(int from, std::uint64_t position) const;
  record_body* close(int from, std::uint64_t position);

  // Forgets all, and returns the records of positions.
  std::vector<record_body*> take_all();

 private:
  struct finishing_call {
    bool* has_begun;
    std::size_t outer;
  };
  std::map<std::uint64_t, finishing_call> calls_;
  std::map<std::pair<int, std::uint64_t>, record_body*> positions_;  // by rank, and its number there
};

}  // namespace weir::detail
