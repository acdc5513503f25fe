#include "runtime/snet/source_text.hpp"

#include <algorithm>
#include <utility>

namespace weir::detail::snet {

source_text::source_text(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lines_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') lines_.push_back(static_cast<offset>(i + 1));
}

line_and_column source_text::at(offset place) const {
  const auto behind = std::upper_bound(lines_.begin(), lines_.end(), place);
  return {static_cast<std::size_t>(behind - lines_.begin()), place - *(behind - 1) + std::size_t{1}};
}

std::string_view source_text::line(std::size_t number) const {
  const std::size_t from = lines_[number - 1];
  std::size_t to = number < lines_.size() ? lines_[number] - 1 : text_.size();
  if (to > from && text_[to - 1] == '\r') --to;
  return std::string_view(text_).substr(from, to - from);
}

}  // namespace weir::detail::snet
