#include "runtime/patterns/expression.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "runtime/patterns/expression_node.hpp"
#include "runtime/record/errors.hpp"

namespace weir {
namespace detail {
namespace {

using node_pointer = std::shared_ptr<const expression_node>;

// How an operation is written, and how tightly it binds, as in C: from 1 for ?: to 9 for calls and names.
struct infix {
  std::string_view symbol;
  int binds;
};
constexpr int loosest = 1, closed = 9;

infix notation_of(const expression_node& n) {
  switch (n.what) {
    case operation::constant:
      return {"", n.value < 0 ? 8 : closed};
    case operation::variable:
      return {"", closed};
    case operation::negate:
      return {"-", 8};
    case operation::invert:
      return {"!", 8};
    case operation::absolute:
      return {"abs", closed};
    case operation::minimum:
      return {"min", closed};
    case operation::maximum:
      return {"max", closed};
    case operation::multiply:
      return {"*", 7};
    case operation::divide:
      return {"/", 7};
    case operation::remainder:
      return {"%", 7};
    case operation::add:
      return {"+", 6};
    case operation::subtract:
      return {"-", 6};
    case operation::less:
      return {"<", 5};
    case operation::less_equal:
      return {"<=", 5};
    case operation::greater:
      return {">", 5};
    case operation::greater_equal:
      return {">=", 5};
    case operation::equal:
      return {"==", 4};
    case operation::not_equal:
      return {"!=", 4};
    case operation::both:
      return {"&&", 3};
    case operation::either:
      return {"||", 2};
    case operation::choose:
      return {"?", loosest};
  }
  return {};
}

expression wrapped(expression_node n) { return expression(std::make_shared<const expression_node>(std::move(n))); }

bool gives_condition(operation what) {
  return what == operation::invert || (what >= operation::equal && what <= operation::either);
}

bool takes_conditions(operation what) {
  return what == operation::invert || what == operation::both || what == operation::either;
}

// Throws type_error unless each operand is a condition, if the operation takes conditions.
void check(const expression_node& n, const expression& whole) {
  const auto text = [](const node_pointer& operand) { return to_string(expression(operand)); };
  if (n.what == operation::choose) {
    const node_pointer& guard = n.operands.front();
    if (!guard->is_condition)
      throw type_error("a guard that is no condition: " + text(guard) + " in " + to_string(whole) +
                       "\n  expected a comparison, or what &&, || and ! make of comparisons");
    return;
  }
  if (!takes_conditions(n.what)) return;  // a condition is a number, too
  for (const node_pointer& operand : n.operands)
    if (operand && !operand->is_condition)
      throw type_error("an operand that is no condition: " + text(operand) + " in " + to_string(whole) + "\n  " +
                       std::string(notation_of(n).symbol) +
                       " takes comparisons, or what &&, || and ! make of comparisons");
}

expression combined(operation what, std::initializer_list<const expression*> operands) {
  expression_node n{what};
  auto to = n.operands.begin();
  for (const expression* e : operands) {
    *to = e->root();
    n.size += (*to)->size;
    n.depth = std::max(n.depth, (*to)->depth + 1);
    ++to;
  }
  const auto refuse_beyond = [](std::uint32_t most, std::uint32_t given, const char* unit) {
    if (given > most)
      throw type_error("an expression of " + std::to_string(given) + unit + ", expected at most " +
                       std::to_string(most));
  };
  refuse_beyond(expression_node::largest, n.size, " operations");
  refuse_beyond(expression_node::deepest, n.depth, " operations inside each other");

  const auto& [a, b, c] = n.operands;
  n.is_condition = what == operation::choose ? b->is_condition && c->is_condition : gives_condition(what);
  n.kept = a->kept;
  if (b) n.kept = std::max(n.kept, b->kept);
  if (c) n.kept = std::max(n.kept, c->kept);
  const bool keeps_one = b && !c && !takes_conditions(what) && !a->is_leaf() && !b->is_leaf();
  if (keeps_one && a->kept == b->kept) ++n.kept;

  expression whole = wrapped(std::move(n));
  check(*whole.root(), whole);
  return whole;
}

// Writes an expression, in parentheses if it binds less tightly than `binds`.
void write(std::string& to, const expression_node& n, int binds) {
  const infix how = notation_of(n);
  const auto& [a, b, c] = n.operands;
  const bool is_negative = n.what == operation::negate || (n.what == operation::constant && n.value < 0);
  const bool in_parentheses = how.binds < binds || (is_negative && to.ends_with('-'));  // n-(-1)
  if (in_parentheses) to += '(';
  switch (n.what) {
    case operation::constant:
      to += std::to_string(n.value);
      break;
    case operation::variable:
      to += (n.label->kind == label_kind::binding_tag ? "#" : "") + n.label->name;
      break;
    case operation::negate:
    case operation::invert:
      to += how.symbol;
      write(to, *a, how.binds);
      break;
    case operation::absolute:
    case operation::minimum:
    case operation::maximum:
      to += how.symbol;
      to += '(';
      write(to, *a, loosest);
      if (b) write(to += ',', *b, loosest);
      to += ')';
      break;
    case operation::choose:
      write(to, *a, loosest + 1);
      write(to += '?', *b, loosest);
      write(to += ':', *c, loosest);
      break;
    default:  // left-associative
      write(to, *a, how.binds);
      write(to += how.symbol, *b, how.binds + 1);
  }
  if (in_parentheses) to += ')';
}

void add_tags(std::vector<const label_info*>& to, const expression_node& n) {
  if (n.label && std::find(to.begin(), to.end(), n.label) == to.end()) to.push_back(n.label);
  for (const node_pointer& operand : n.operands)
    if (operand) add_tags(to, *operand);
}

}  // namespace

expression least(const expression& x, const expression& y) { return combined(operation::minimum, {&x, &y}); }
expression largest(const expression& x, const expression& y) { return combined(operation::maximum, {&x, &y}); }

}  // namespace detail

using detail::combined;
using detail::operation;

expression expression::constant(std::int64_t value) {
  detail::expression_node n{operation::constant};
  n.value = value;
  return detail::wrapped(std::move(n));
}

expression expression::variable(const detail::label_info* label) {
  detail::expression_node n{operation::variable};
  n.label = label;
  return detail::wrapped(std::move(n));
}

bool expression::is_condition() const { return root_->is_condition; }

std::vector<const detail::label_info*> expression::tags() const {
  std::vector<const detail::label_info*> found;
  detail::add_tags(found, *root_);
  return found;
}

expression operator+(const expression& x, const expression& y) { return combined(operation::add, {&x, &y}); }
expression operator-(const expression& x, const expression& y) { return combined(operation::subtract, {&x, &y}); }
expression operator*(const expression& x, const expression& y) { return combined(operation::multiply, {&x, &y}); }
expression operator/(const expression& x, const expression& y) { return combined(operation::divide, {&x, &y}); }
expression operator%(const expression& x, const expression& y) { return combined(operation::remainder, {&x, &y}); }
expression operator-(const expression& x) { return combined(operation::negate, {&x}); }

expression operator==(const expression& x, const expression& y) { return combined(operation::equal, {&x, &y}); }
expression operator!=(const expression& x, const expression& y) { return combined(operation::not_equal, {&x, &y}); }
expression operator<(const expression& x, const expression& y) { return combined(operation::less, {&x, &y}); }
expression operator<=(const expression& x, const expression& y) { return combined(operation::less_equal, {&x, &y}); }
expression operator>(const expression& x, const expression& y) { return combined(operation::greater, {&x, &y}); }
expression operator>=(const expression& x, const expression& y) { return combined(operation::greater_equal, {&x, &y}); }

expression operator&&(const expression& x, const expression& y) { return combined(operation::both, {&x, &y}); }
expression operator||(const expression& x, const expression& y) { return combined(operation::either, {&x, &y}); }
expression operator!(const expression& x) { return combined(operation::invert, {&x}); }

expression choose(const expression& guard, const expression& x, const expression& y) {
  return combined(operation::choose, {&guard, &x, &y});
}
expression abs(const expression& x) { return combined(operation::absolute, {&x}); }

std::string to_string(const expression& e) {
  std::string text;
  detail::write(text, *e.root(), detail::loosest);
  return text;
}

}  // namespace weir
