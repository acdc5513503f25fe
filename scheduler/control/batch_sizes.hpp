#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir {

// How many records an invocation of a component takes: learns the time of a record for each size, and prefers the size
// with the least. Sizes are 1 to 16, then four in each octave, and the largest. The powers of two are tried first, four
// times each, in every second invocation. The sizes within an octave of the best come next, in every fourth. After that
// one invocation in 64 tries another size again. One thread at a time.
class batch_sizes {
 public:
  // `most`: records of the largest, 1 or more.
  explicit batch_sizes(std::size_t most);

  // The size of an invocation that begins while this number of records waits, at least 1.
  std::size_t next(std::size_t waiting);

  // An invocation for `records` took `seconds_of_a_record` for each, also where it failed and they ran one by one. It
  // was the first after the component's cores changed: earlier times count less. `longest`: no size is preferred whose
  // invocation would take longer, in seconds.
  void note(std::size_t records, double seconds_of_a_record, bool after_move, double longest);

  std::size_t preferred() const { return sizes_[preferred_].records; }  // now
  std::size_t tried() const { return tried_; }                          // that an invocation is to try; 0: none
  std::size_t largest_next() const { return preferred() > tried_ ? preferred() : tried_; }  // that next() may give
  std::size_t most() const { return sizes_.back().records; }

 private:
  // The times of a record in the last 32 or so invocations of about this size.
  struct size_state {
    std::size_t records;
    double seconds = 0;  // their mean
    double variance = 0;
    double seen = 0;
    bool is_tried() const;  // often enough for its mean to be compared
  };
  std::size_t at_or_below(std::size_t records) const;
  std::size_t best(double longest) const;
  std::size_t next_to_try(double longest) const;

  std::vector<size_state> sizes_;  // ascending
  double waiting_ = 1;             // the most records that waited, recently: larger sizes cannot be tried
  std::uint64_t since_try_ = 0;    // invocations
  std::size_t preferred_ = 0;      // its place in sizes_
  std::size_t tried_ = 0;
};

}  // namespace weir
