#include <weir/network/filter.hpp>

#include <algorithm>

#include <weir/patterns/pattern.hpp>
#include <weir/record/errors.hpp>

namespace weir {
namespace detail {
namespace {

std::string notation(const filter_item& item) {
  if (item.from && item.from != item.label) return item.label->name + "=" + item.from->name;
  if (!item.value) return weir::to_string(*item.label);
  std::string text = weir::to_string(*item.label);
  text.insert(text.size() - 1, "=" + weir::to_string(*item.value));
  return text;
}

std::string notation(const filter_output& output) {
  std::string text;
  for (const filter_item& item : output.items) text += (text.empty() ? "" : ", ") + notation(item);
  return "{" + text + "}";
}

std::string notation(const std::vector<filter_output>& outputs) {
  std::string text;
  for (const filter_output& output : outputs) text += (text.empty() ? "" : " ; ") + notation(output);
  return text;
}

std::string notation(const std::vector<const label_info*>& pattern) {
  std::string text;
  for (const label_info* l : pattern) text += (text.empty() ? "" : ", ") + weir::to_string(*l);
  return "{" + text + "}";
}

// Why an item of an output can never work, in words; "" when it can.
std::string wrong_item(const filter_item& item, const filter_spec& spec) {
  if (item.value) return wrong_tags(*item.value, spec.takes);
  if (!item.from || std::find(spec.takes.begin(), spec.takes.end(), item.from) != spec.takes.end()) return "";
  for (const label_info* l : spec.takes)
    if (l->key == item.from->key)
      return "field '" + l->name + "' has two types\n  the pattern has it as " + type_name(*l->type) + ", emit as " +
             type_name(*item.from->type);
  if (item.from == item.label)
    return "a new field needs a value: " + item.label->name +
           " is not in the pattern\n  emit(a) copies field a of the pattern, emit(a = b) renames field b of it";
  return item.label->name + "=" + item.from->name + " renames " + item.from->name + ", which is not in the pattern";
}

// Why a filter can never work, in words; "" when it can.
std::string wrong(const filter_spec& spec) {
  for (auto l = spec.takes.begin(); l != spec.takes.end(); ++l)
    if (std::any_of(spec.takes.begin(), l, [&](const label_info* before) { return before->key == (*l)->key; }))
      return "label " + weir::to_string(**l) + " stands twice in the pattern";
  for (const filter_clause& clause : spec.clauses) {
    if (!clause.guard && &clause != &spec.clauses.back())
      return "a clause after an unconditional one, which leaves it no record\n  expected .when(..) clauses first, then "
             ".otherwise() at most once, and neither after an .emit(..) without them";
    std::string found = clause.guard ? wrong_guard(*clause.guard, spec.takes) : "";
    if (!found.empty()) return found;
    for (const filter_output& output : clause.outputs)
      for (auto item = output.items.begin(); item != output.items.end(); ++item) {
        found = wrong_item(*item, spec);
        if (!found.empty()) return found;
        if (std::any_of(output.items.begin(), item,
                        [&](const filter_item& before) { return before.label->key == item->label->key; }))
          return "label " + weir::to_string(*item->label) + " stands twice in " + notation(output);
      }
  }
  return "";
}

std::shared_ptr<const filter_spec> checked(filter_spec spec) {
  const std::string found = wrong(spec);
  if (!found.empty()) throw type_error("filter " + to_string(spec) + ": " + found);
  return std::make_shared<const filter_spec>(std::move(spec));
}

}  // namespace

std::string to_string(const filter_spec& spec) {
  std::string text = "[" + notation(spec.takes) + " ->";
  for (const filter_clause& clause : spec.clauses) {
    if (&clause != &spec.clauses.front()) text += " else";
    if (clause.guard) text += " if <" + weir::to_string(*clause.guard) + "> then";
    if (!clause.outputs.empty()) text += " " + notation(clause.outputs);
  }
  return text + (text.ends_with('}') ? "]" : " ]");
}

filter_item item_of(const tag& label) { return {label.info(), label.info()}; }
filter_item item_of(const btag& label) { return {label.info(), label.info()}; }
filter_item item_of(const renamed_field& item) { return {item.label, item.from}; }
filter_item item_of(const computed_tag& item) { return {item.label, nullptr, item.value}; }
filter_item item_of(const tag_binding& item) {
  return {intern(item.name, {item.which, nullptr}), nullptr, expression(item.value)};
}

}  // namespace detail

filter_network::filter_network(detail::filter_spec spec)
    : network(detail::make_filter(detail::checked(std::move(spec)))) {}

filter_network filter_network::when(const expression& guard) const { return with_clause(guard); }
filter_network filter_network::otherwise() const { return with_clause(std::nullopt); }

filter_network filter_network::with_clause(std::optional<expression> guard) const {
  detail::filter_spec more = detail::filter_spec_of(*this);
  more.clauses.push_back({std::move(guard), {}});
  return filter_network(std::move(more));
}

filter_network filter_network::with_output(std::vector<detail::filter_item> items) const {
  detail::filter_spec more = detail::filter_spec_of(*this);
  for (detail::filter_item& item : items) {
    const bool is_new = std::find(more.takes.begin(), more.takes.end(), item.from) == more.takes.end();
    if (!item.label->type && item.from && is_new) item.from = nullptr;
  }
  if (more.clauses.empty()) more.clauses.push_back({});
  more.clauses.back().outputs.push_back({std::move(items)});
  return filter_network(std::move(more));
}

}  // namespace weir
