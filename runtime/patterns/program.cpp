#include "runtime/patterns/program.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <variant>

#include "runtime/patterns/expression_node.hpp"

namespace weir::detail {
namespace {

// Further opcodes. Those of operations are the operation's own number, which is less than these.
enum : std::uint8_t { load = 100, set_aside, jump, jump_if_false, jump_if_true };

constexpr std::uint8_t opcode(operation what) { return static_cast<std::uint8_t>(what); }

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

// Makes the steps of an expression. It keeps the parts still to compile on a stack of its own, since trees may be deep.
class program::compiler {
 public:
  explicit compiler(std::span<const label_info* const> variables) : variables_(variables) {}

  std::vector<step> steps_of(const expression_node& root) {
    open_.emplace_back(&root);
    while (!open_.empty()) {
      const part p = open_.back();
      open_.pop_back();
      if (const auto* tree = std::get_if<const expression_node*>(&p))
        write(**tree);
      else if (const auto* one = std::get_if<step>(&p))
        steps_.push_back(*one);
      else
        places_[std::get<place>(p).number] = static_cast<std::int64_t>(steps_.size());
    }
    for (step& s : steps_)
      if (s.code == jump || s.code == jump_if_false || s.code == jump_if_true)
        s.given = places_[static_cast<std::size_t>(s.given)];
    return std::move(steps_);
  }

 private:
  struct place {  // the target of a jump
    std::size_t number;
  };
  using part = std::variant<const expression_node*, step, place>;

  void later(std::initializer_list<part> parts) {
    for (auto p = parts.end(); p != parts.begin();) open_.push_back(*--p);
  }

  place new_place() {
    places_.push_back(0);
    return {places_.size() - 1};
  }

  step with_leaf(std::uint8_t code, const expression_node& leaf, bool swapped) const {
    if (leaf.what == operation::constant) return {code, source::given, swapped, leaf.value};
    const auto at = std::find(variables_.begin(), variables_.end(), leaf.label);
    if (at == variables_.end())
      throw std::invalid_argument("an expression names " + weir::to_string(*leaf.label) +
                                  ", which is not among its variables");
    return {code, source::variable, swapped, at - variables_.begin()};
  }

  static step plain(std::uint8_t code) { return {code, source::given, false, 0}; }
  static step to(std::uint8_t code, place p) {
    return {code, source::given, false, static_cast<std::int64_t>(p.number)};
  }

  void write(const expression_node& n) {
    const std::uint8_t code = opcode(n.what);
    const expression_node *a = n.operands[0].get(), *b = n.operands[1].get(), *c = n.operands[2].get();
    if (n.is_leaf()) {
      steps_.push_back(with_leaf(load, n, false));
    } else if (n.what == operation::both || n.what == operation::either) {
      const place end = new_place();
      later({a, to(n.what == operation::both ? jump_if_false : jump_if_true, end), b, end});
    } else if (n.what == operation::choose) {
      const place otherwise = new_place(), end = new_place();
      later({a, to(jump_if_false, otherwise), b, to(jump, end), otherwise, c, end});
    } else if (!b) {
      later({a, plain(code)});
    } else if (b->is_leaf()) {
      later({a, with_leaf(code, *b, false)});
    } else if (a->is_leaf()) {
      later({b, with_leaf(code, *a, true)});
    } else if (a->kept >= b->kept) {
      later({a, plain(set_aside), b, step{code, source::kept, true, 0}});
    } else {
      later({b, plain(set_aside), a, step{code, source::kept, false, 0}});
    }
  }

  std::span<const label_info* const> variables_;
  std::vector<part> open_;
  std::vector<step> steps_;
  std::vector<std::int64_t> places_;
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
    const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
    switch (s.code) {
      case load:
        x = y;
        break;
      case set_aside:
        kept[count++] = x;
        break;
      case jump:
        at = begin + y;
        break;
      case jump_if_false:
        if (!x) at = begin + y;
        break;
      case jump_if_true:
        if (x) at = begin + y;
        break;
      case opcode(operation::negate):
        x = wrapped(-ux);
        break;
      case opcode(operation::invert):
        x = !x;
        break;
      case opcode(operation::absolute):
        x = x < 0 ? wrapped(-ux) : x;
        break;
      case opcode(operation::add):
        x = wrapped(ux + uy);
        break;
      case opcode(operation::subtract):
        x = wrapped(ux - uy);
        break;
      case opcode(operation::multiply):
        x = wrapped(ux * uy);
        break;
      case opcode(operation::divide):
        if (y == 0) throw division_by_zero{};
        x = y == -1 ? wrapped(-ux) : x / y;  // the smallest value / -1 would trap
        break;
      case opcode(operation::remainder):
        if (y == 0) throw division_by_zero{};
        x = y == -1 ? 0 : x % y;
        break;
      case opcode(operation::minimum):
        x = std::min(x, y);
        break;
      case opcode(operation::maximum):
        x = std::max(x, y);
        break;
      case opcode(operation::equal):
        x = x == y;
        break;
      case opcode(operation::not_equal):
        x = x != y;
        break;
      case opcode(operation::less):
        x = x < y;
        break;
      case opcode(operation::less_equal):
        x = x <= y;
        break;
      case opcode(operation::greater):
        x = x > y;
        break;
      case opcode(operation::greater_equal):
        x = x >= y;
        break;
    }
  }
  return x;
}

}  // namespace weir::detail
