#pragma once

#include <string>
#include <string_view>

namespace weir::detail::processes {

// The last lines of a text that comes in pieces, in bounded memory.
class text_tail {
 public:
  void add(std::string_view piece);
  std::string lines() const;  // the last ten, of the last 800 bytes, without white space at the ends

 private:
  std::string kept_;
  bool is_cut_ = false;
};

}  // namespace weir::detail::processes
