#include "runtime/patterns/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "runtime/patterns/expression_node.hpp"

namespace weir::detail {
namespace {

// Further opcodes. Those of operations are the operation's own number, which is less than these.
enum : std::uint8_t { set_aside = 100, jump, jump_if_false, jump_if_true };

constexpr std::uint8_t opcode(operation what) { return static_cast<std::uint8_t>(what); }

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// A leaf is the right operand. REQUIRES: the operation takes numbers, not conditions.
[[gnu::always_inline]] inline std::int64_t result_of(operation what, std::int64_t x, std::int64_t y) {
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  switch (what) {
    case operation::constant:
    case operation::variable:
      return y;
    case operation::negate:
      return wrapped(-ux);
    case operation::invert:
      return !x;
    case operation::absolute:
      return x < 0 ? wrapped(-ux) : x;
    case operation::add:
      return wrapped(ux + uy);
    case operation::subtract:
      return wrapped(ux - uy);
    case operation::multiply:
      return wrapped(ux * uy);
    case operation::divide:
      if (y == 0) throw division_by_zero{};
      return y == -1 ? wrapped(-ux) : x / y;  // the smallest value / -1 would trap
    case operation::remainder:
      if (y == 0) throw division_by_zero{};
      return y == -1 ? 0 : x % y;
    case operation::minimum:
      return std::min(x, y);
    case operation::maximum:
      return std::max(x, y);
    case operation::equal:
      return x == y;
    case operation::not_equal:
      return x != y;
    case operation::less:
      return x < y;
    case operation::less_equal:
      return x <= y;
    case operation::greater:
      return x > y;
    case operation::greater_equal:
      return x >= y;
    default:
      __builtin_unreachable();
  }
}

}  // namespace

// Makes the steps of an expression.
class program::compiler {
 public:
  explicit compiler(std::span<const label_info* const> variables) : variables_(variables) {}

  std::vector<step> steps_of(const expression_node& root) {
    write(root);
    return std::move(steps_);
  }

 private:
  step with_leaf(std::uint8_t code, const expression_node& leaf, bool swapped) const {
    if (leaf.what == operation::constant) return {code, source::given, swapped, leaf.value};
    const auto at = std::find(variables_.begin(), variables_.end(), leaf.label);
    if (at == variables_.end())
      throw std::invalid_argument("an expression names " + weir::to_string(*leaf.label) +
                                  ", which is not among its variables");
    return {code, source::variable, swapped, at - variables_.begin()};
  }

  void write(std::uint8_t code) { steps_.push_back({code, source::given, false, 0}); }
  void write(std::uint8_t code, const expression_node& leaf, bool swapped) {
    steps_.push_back(with_leaf(code, leaf, swapped));
  }

  // A jump whose target is not known yet, and that its target is here.
  std::size_t write_jump(std::uint8_t code) {
    write(code);
    return steps_.size() - 1;
  }
  void jump_here(std::size_t from) { steps_[from].given = static_cast<std::int64_t>(steps_.size()); }

  static bool takes_conditions(const expression_node& n) {
    return n.what == operation::both || n.what == operation::either;
  }
  // The operand that is evaluated first is the right one, since it keeps more results.
  static bool is_right_first(const expression_node& n) {
    const expression_node *a = n.operands[0].get(), *b = n.operands[1].get();
    return b && !takes_conditions(n) && !b->is_leaf() && (a->is_leaf() || a->kept < b->kept);
  }

  void write(const expression_node& n) {
    std::vector<const expression_node*> behind;  // whose first operand is evaluated before them, the innermost last
    const expression_node* at = &n;
    for (; !at->is_leaf() && at->what != operation::choose; at = at->operands[is_right_first(*at) ? 1 : 0].get())
      behind.push_back(at);
    if (at->is_leaf())
      write(opcode(at->what), *at, false);
    else
      write_choices(*at);
    for (; !behind.empty(); behind.pop_back()) write_rest(*behind.back());
  }

  // An operation whose first operand is in the accumulator.
  void write_rest(const expression_node& n) {
    const expression_node *a = n.operands[0].get(), *b = n.operands[1].get();
    if (takes_conditions(n)) {
      const std::size_t end = write_jump(n.what == operation::both ? jump_if_false : jump_if_true);
      write(*b);
      return jump_here(end);
    }
    const std::uint8_t code = opcode(n.what);
    if (!b) return write(code);
    const bool right_first = is_right_first(n);
    const expression_node& second = right_first ? *a : *b;
    if (second.is_leaf()) return write(code, second, right_first);
    write(set_aside);
    write(second);
    steps_.push_back({code, source::kept, !right_first, 0});
  }

  // `a ? x : b ? y : z`
  void write_choices(const expression_node& n) {
    std::vector<std::size_t> ends;
    const expression_node* at = &n;
    for (; at->what == operation::choose; at = at->goes_on().get()) {
      write(*at->operands[0]);
      const std::size_t otherwise = write_jump(jump_if_false);
      write(*at->operands[1]);
      ends.push_back(write_jump(jump));
      jump_here(otherwise);
    }
    write(*at);
    for (const std::size_t end : ends) jump_here(end);
  }

  std::span<const label_info* const> variables_;
  std::vector<step> steps_;
};

program compile(const expression& e, std::span<const label_info* const> variables) {
  program made;
  made.steps_ = program::compiler(variables).steps_of(*e.root());
  return made;
}

std::int64_t program::operator()(const std::int64_t* values) const {
  std::array<std::int64_t, expression_node::most_kept> kept;
  std::size_t count = 0;
  std::int64_t x = 0;
  const step* const begin = steps_.data();
  const step* const end = begin + steps_.size();
  for (const step* at = begin; at != end;) {
    const step& s = *at++;
    std::int64_t y = s.given;
    if (s.from == source::variable) y = values[y];
    if (s.from == source::kept) y = kept[--count];
    if (s.swapped) std::swap(x, y);
    if (s.code < set_aside)
      x = result_of(operation{s.code}, x, y);
    else if (s.code == set_aside)
      kept[count++] = x;
    else if (s.code == jump || s.code == (x ? jump_if_true : jump_if_false))
      at = begin + y;
  }
  return x;
}

}  // namespace weir::detail
