#include <weir/patterns/expression.hpp>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/patterns/expression_node.hpp"

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

// By operation.
constexpr infix notations[] = {
    {"", closed},     // constant
    {"", closed},     // variable
    {"-", 8},         // negate
    {"!", 8},         // invert
    {"abs", closed},  // absolute
    {"+", 6},         // add
    {"-", 6},         // subtract
    {"*", 7},         // multiply
    {"/", 7},         // divide
    {"%", 7},         // remainder
    {"min", closed},  // minimum
    {"max", closed},  // maximum
    {"==", 4},        // equal
    {"!=", 4},        // not_equal
    {"<", 5},         // less
    {"<=", 5},        // less_equal
    {">", 5},         // greater
    {">=", 5},        // greater_equal
    {"&&", 3},        // both
    {"||", 2},        // either
    {"?", loosest},   // choose
};
static_assert(std::size(notations) == static_cast<std::size_t>(operation::choose) + 1);

infix notation_of(const expression_node& n) {
  if (n.what == operation::constant && n.value < 0) return {"", 8};
  return notations[static_cast<std::size_t>(n.what)];
}

bool is_infix(const expression_node& n) {
  return n.operands[1] && notation_of(n).binds < closed && n.what != operation::choose;
}

// Whether an operand is written in a row with the operation, so that it is not inside it: `a + b` in `a + b + c`, and
// `b ? y : z` in `a ? x : b ? y : z`.
bool is_in_row(const expression_node& n, const expression_node& operand) {
  if (&operand != n.goes_on().get() || operand.is_leaf()) return false;
  return n.what == operation::choose || (is_infix(n) && notation_of(operand).binds >= notation_of(n).binds);
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
      throw type_error("no condition in front of ?: " + text(guard) + " in " + to_string(whole) +
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
  n.size = 1;
  std::transform(operands.begin(), operands.end(), n.operands.begin(), [](const expression* e) { return e->root(); });
  for (std::size_t i = 0; i < operands.size(); ++i) {
    n.size += n.operands[i]->size;
    n.depth = std::max(n.depth, n.operands[i]->depth + (is_in_row(n, *n.operands[i]) ? 0 : 1));
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
void write(std::string& to, const expression_node& n, int binds);

void write_row(std::string& to, const expression_node& n) {
  std::vector<const expression_node*> row{&n};  // from its last operation
  while (is_in_row(*row.back(), *row.back()->goes_on()) && is_infix(*row.back()->goes_on()))
    row.push_back(row.back()->goes_on().get());
  write(to, *row.back()->operands[0], notation_of(*row.back()).binds);
  for (auto one = row.rbegin(); one != row.rend(); ++one) {
    const infix how = notation_of(**one);
    write(to += how.symbol, *(*one)->operands[1], how.binds + 1);
  }
}

void write_choices(std::string& to, const expression_node& n) {
  const expression_node* at = &n;
  for (; at->what == operation::choose; at = at->goes_on().get()) {
    write(to, *at->operands[0], loosest + 1);
    write(to += '?', *at->operands[1], loosest);
    to += ':';
  }
  write(to, *at, loosest);
}

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
      write_choices(to, n);
      break;
    default:
      write_row(to, n);
  }
  if (in_parentheses) to += ')';
}

// In the order of their first use.
std::vector<const label_info*> tags_of(const expression_node& root) {
  std::vector<const label_info*> found;
  std::vector<const expression_node*> open{&root};
  while (!open.empty()) {
    const expression_node& n = *open.back();
    open.pop_back();
    if (n.label && std::find(found.begin(), found.end(), n.label) == found.end()) found.push_back(n.label);
    for (auto operand = n.operands.rbegin(); operand != n.operands.rend(); ++operand)
      if (*operand) open.push_back(operand->get());
  }
  return found;
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

std::vector<const detail::label_info*> expression::tags() const { return detail::tags_of(*root_); }

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
