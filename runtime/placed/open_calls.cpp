#include "runtime/placed/open_calls.hpp"

#include <utility>

#include "runtime/remote/rank_message.hpp"

namespace weir::detail {

std::uint64_t open_calls::open(open_call c) {
  c.order = ++opened_;
  std::uint64_t number;
  if (free_.empty()) {
    free_.reserve(calls_.size() + 1);  // so that close() needs no memory
    calls_.push_back(c);
    number = calls_.size();
  } else {
    number = free_.back();
    free_.pop_back();
    calls_[number - 1] = c;
  }
  ++not_done_;
  return number;
}

void open_calls::close(std::uint64_t number) {
  calls_[number - 1] = {};
  free_.push_back(number);
}

open_call open_calls::cancel(std::uint64_t number) {
  const open_call was = calls_[number - 1];
  close(number);
  --not_done_;
  return was;
}

open_call& open_calls::at(std::uint64_t subcall) {
  const std::uint64_t number = remote::call_of(subcall);
  if (number == 0 || number > calls_.size() || !calls_[number - 1].kept) remote::refuse_index("call", number);
  return calls_[number - 1];
}

open_call open_calls::end(std::uint64_t number, bool done, bool released) {
  open_call& c = at(number);
  if (done && c.is_done) remote::refuse_index("open call", number);
  c.is_done = c.is_done || done;
  c.is_released = c.is_released || released;
  open_call ended = c;
  if (done) {
    c.whole = nullptr;
    c.branch = nullptr;
    --not_done_;
  } else {
    ended.whole = nullptr;
    ended.branch = nullptr;
  }
  if (ended.is_over()) close(remote::call_of(number));
  return ended;
}

std::vector<open_call> open_calls::take_all() noexcept {
  free_.clear();
  not_done_ = 0;
  return std::exchange(calls_, {});
}

}  // namespace weir::detail
