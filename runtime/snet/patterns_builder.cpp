#include "runtime/snet/patterns_builder.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/snet/nearest_names.hpp"

namespace weir::detail::snet {
namespace {

bool has(std::span<const label_info* const> labels, const label_info* l) {
  return std::find(labels.begin(), labels.end(), l) != labels.end();
}

std::string written(const label_syntax& l) {
  const std::string name = shown(l.name);
  return l.kind == label_kind::field ? name : l.kind == label_kind::tag ? "<" + name + ">" : "<#" + name + ">";
}

std::string in_braces(std::span<const label_info* const> labels) {
  std::string text;
  for (const label_info* l : labels) text += (text.empty() ? "" : ", ") + weir::to_string(*l);
  return "{" + shown(text, 200) + "}";
}

// One of the operations; y is x where there is one operand. Throws type_error.
expression applied(std::string_view o, const expression& x, const expression& y) {
  if (o == "!") return !x;
  if (o == "neg") return -x;
  if (o == "abs") return abs(x);
  if (o == "min") return weir::min(x, y);
  if (o == "max") return weir::max(x, y);
  if (o == "||") return x || y;
  if (o == "&&") return x && y;
  if (o == "==") return x == y;
  if (o == "!=") return x != y;
  if (o == "<") return x < y;
  if (o == "<=") return x <= y;
  if (o == ">") return x > y;
  if (o == ">=") return x >= y;
  if (o == "+") return x + y;
  if (o == "-") return x - y;
  if (o == "*") return x * y;
  if (o == "/") return x / y;
  return x % y;
}

}  // namespace

const label_info* patterns_builder::label(const label_syntax& l) const {
  const value_type* type = nullptr;
  if (l.kind == label_kind::field) type = opaque_ ? type_of<opaque>() : types_.of(l.name);
  return intern(std::string(l.name).c_str(), {l.kind, type});
}

std::optional<std::vector<const label_info*>> patterns_builder::labels(const record_syntax& r) {
  std::vector<const label_info*> all;
  std::vector<const label_info*> sorted;
  bool well = true;
  for (const label_syntax& l : r.labels) {
    const label_info* const info = label(l);
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), info);
    if (at != sorted.end() && *at == info) {
      faults_.add(l.place, "label " + written(l) + " stands twice in one record");
      well = false;
      continue;
    }
    sorted.insert(at, info);
    all.push_back(info);
  }
  if (!well) return std::nullopt;
  return all;
}

std::optional<variant_type> patterns_builder::record_type(const record_syntax& r) {
  auto all = labels(r);
  if (!all) return std::nullopt;
  return variant_type(*std::move(all));
}

std::optional<std::vector<pattern>> patterns_builder::patterns(const std::vector<pattern_syntax>& all) {
  std::vector<pattern> made;
  for (const pattern_syntax& p : all) {
    auto type = record_type(p.labels);
    if (!type) continue;
    const auto labels = type->labels();
    const auto when = p.guard ? guard(*p.guard, labels) : std::nullopt;
    if (p.guard && !when) continue;
    const pattern plain(*type);
    made.push_back(when ? plain.where(*when) : plain);
  }
  if (made.size() < all.size()) return std::nullopt;
  return made;
}

std::optional<pattern_list> patterns_builder::list(const std::vector<pattern_syntax>& all) {
  const auto each = patterns(all);
  if (!each) return std::nullopt;
  pattern_list made(each->front());
  for (std::size_t i = 1; i < each->size(); ++i) made = std::move(made) | (*each)[i];
  return made;
}

// ---- filters ----

std::optional<filter_spec> patterns_builder::filter(const filter_syntax& f) {
  filter_spec spec;
  const auto takes = labels(f.pattern);
  if (!takes) return std::nullopt;
  spec.takes = *takes;
  bool well = true;
  for (const clause_syntax& c : f.clauses) {
    auto made = clause(c, *takes);
    if (made) spec.clauses.push_back(*std::move(made));
    well = well && made;
  }
  if (!well) return std::nullopt;
  return spec;
}

std::optional<filter_clause> patterns_builder::clause(const clause_syntax& c,
                                                      const std::vector<const label_info*>& takes) {
  filter_clause made;
  bool well = true;
  if (c.guard) {
    made.guard = guard(*c.guard, takes);
    well = made.guard.has_value();
  }
  for (const output_syntax& o : c.outputs) {
    auto one = output(o, takes);
    if (one) made.outputs.push_back(*std::move(one));
    well = well && one;
  }
  if (!well) return std::nullopt;
  return made;
}

std::optional<filter_output> patterns_builder::output(const output_syntax& o,
                                                      const std::vector<const label_info*>& takes) {
  filter_output made;
  std::vector<const label_info*> given;
  bool well = true;
  for (const item_syntax& i : o.items) {
    auto one = item(i, takes);
    well = well && one;
    if (!one) continue;
    const auto at = std::lower_bound(given.begin(), given.end(), one->label);
    if (at != given.end() && *at == one->label) {
      faults_.add(i.to.place, "label " + written(i.to) + " stands twice in one output");
      well = false;
      continue;
    }
    given.insert(at, one->label);
    made.items.push_back(*std::move(one));
  }
  if (!well) return std::nullopt;
  return made;
}

std::optional<filter_item> patterns_builder::item(const item_syntax& i, const std::vector<const label_info*>& takes) {
  filter_item made{label(i.to)};
  if (i.value) {
    made.value = value(*i.value, takes);
    if (!made.value) return std::nullopt;
    return made;
  }
  if (i.to.kind != label_kind::field) {
    if (has(takes, made.label)) made.from = made.label;  // else a new tag
    return made;
  }
  const label_syntax from{label_kind::field, i.from ? i.from->text : i.to.name, i.from ? i.from->place : i.to.place};
  made.from = label(from);
  if (has(takes, made.from)) return made;
  faults_.add(from.place, (i.from ? "field " + written(from) + " is not in the pattern "
                                  : "a new field needs a value: " + written(from) + " is not in the pattern ") +
                              in_braces(takes) +
                              (i.from ? "" : "; write {" + written(from) + " = a field of the pattern}"));
  return std::nullopt;
}

// ---- expressions ----

std::optional<expression> patterns_builder::guard(const term& t, std::span<const label_info* const> takes) {
  auto made = value(t, takes);
  if (!made || made->is_condition()) return made;
  no_condition(t, *made, "a guard that is no condition");
  return std::nullopt;
}

void patterns_builder::no_condition(const term& t, const weir::expression& got, const std::string& what) {
  const term* first = &t;
  while (!first->operands.empty() && first->operands.front().place < first->place) first = &first->operands.front();
  faults_.add(first->place, what + ": " + shown(to_string(got), 100) +
                                "; expected a comparison, or what &&, || and ! make of comparisons");
}

std::optional<expression> patterns_builder::value(const term& t, std::span<const label_info* const> takes) {
  if (t.variable) {
    const label_syntax& l = *t.variable;
    const label_info* const info = label(l);
    if (has(takes, info))
      return l.kind == label_kind::tag ? weir::expression(weir::tag(std::string(l.name)))
                                       : weir::expression(btag(std::string(l.name)));
    std::vector<std::string_view> tags;
    for (const label_info* known : takes)
      if (known->kind == l.kind) tags.push_back(known->name);
    faults_.add(t.place,
                "tag " + written(l) + " is not in the pattern " + in_braces(takes) + did_you_mean(l.name, tags));
    return std::nullopt;
  }
  if (t.operands.empty()) return weir::expression(t.value);
  std::vector<weir::expression> operands;
  for (const term& o : t.operands)
    if (auto one = value(o, takes)) operands.push_back(*std::move(one));
  if (operands.size() < t.operands.size()) return std::nullopt;
  if (t.operation.empty()) return row(t, operands);
  if (t.operation == "?") return choices(t, operands);
  try {
    return applied(t.operation, operands.front(), operands.back());
  } catch (const type_error& e) {
    path_.refused(t.place, e.what());
    return std::nullopt;
  }
}

// `a + b - c`
std::optional<expression> patterns_builder::row(const term& t, const std::vector<weir::expression>& x) {
  weir::expression made = x.front();
  for (std::size_t i = 0; i < t.signs.size(); ++i) {
    try {
      made = applied(t.signs[i].text, made, x[i + 1]);
    } catch (const type_error& e) {
      path_.refused(t.signs[i].place, e.what());
      return std::nullopt;
    }
  }
  return made;
}

// `a ? x : b ? y : z`
std::optional<expression> patterns_builder::choices(const term& t, const std::vector<weir::expression>& x) {
  bool well = true;
  for (std::size_t i = 0; i < t.signs.size(); ++i) {
    if (x[2 * i].is_condition()) continue;
    no_condition(t.operands[2 * i], x[2 * i], "a number in front of ?, which needs a condition");
    well = false;
  }
  if (!well) return std::nullopt;
  weir::expression made = x.back();
  for (std::size_t i = t.signs.size(); i-- > 0;) {
    try {
      made = choose(x[2 * i], x[2 * i + 1], made);
    } catch (const type_error& e) {
      path_.refused(t.signs[i].place, e.what());
      return std::nullopt;
    }
  }
  return made;
}

}  // namespace weir::detail::snet
