#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace weir::detail {

struct node;

// Collects a network's notation, up to some length. Writers stop asking for more once it is full.
class notation_text {
 public:
  using group_names = std::unordered_map<const node*, std::string>;

  // `names`, if not null: of groups that are called otherwise here than they were given.
  explicit notation_text(std::size_t most, const group_names* names = nullptr) : most_(most), names_(names) {}
  const std::string& name_of(const node& group, const std::string& given) const {
    if (!names_) return given;
    const auto at = names_->find(&group);
    return at == names_->end() ? given : at->second;
  }
  bool is_full() const { return text_.size() > most_; }
  void add(std::string_view more) {
    if (!is_full()) text_ += more;
  }
  std::string take() && { return std::move(text_); }

 private:
  const std::size_t most_;
  const group_names* const names_;
  std::string text_;
};

}  // namespace weir::detail
