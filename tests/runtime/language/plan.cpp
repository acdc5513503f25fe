#include "tests/runtime/language/plan.hpp"

#include <algorithm>

namespace weir::testing::language {
namespace {

int rank(const std::string& label) { return is_binding(label) ? 2 : is_tag(label) ? 1 : 0; }

std::int64_t integer(const plain_record& r, const std::string& label) { return std::get<std::int64_t>(r.at(label)); }

using word = std::uint64_t;  // wraps around
std::int64_t wrapped(word w) { return static_cast<std::int64_t>(w); }
word bits(std::int64_t v) { return static_cast<word>(v); }

}  // namespace

bool label_order::operator()(const std::string& x, const std::string& y) const {
  return rank(x) != rank(y) ? rank(x) < rank(y) : x < y;
}

std::string to_string(const label_set& labels) {
  std::string text = "{";
  for (const std::string& l : labels) text += (text.size() > 1 ? ", " : "") + l;
  return text + "}";
}

label_set labels_of(const plain_record& r) {
  label_set all;
  for (const auto& [label, v] : r) all.insert(all.end(), label);
  return all;
}

std::string to_string(const plain_record& r) {
  std::string text = "{";
  for (const auto& [label, v] : r) {
    text += (text.size() > 1 ? ", " : "") + label + "=";
    text += std::holds_alternative<std::string>(v) ? std::get<std::string>(v) : std::to_string(std::get<0>(v));
  }
  return text + "}";
}

// ---- expressions and patterns ----

term constant(std::int64_t value) { return {term::number, value}; }
term value_of(const std::string& tag) { return {term::label, 0, tag}; }
term made(term::operation what, std::vector<term> parts) { return {what, 0, {}, std::move(parts)}; }

std::int64_t evaluate(const term& t, const plain_record& r) {
  const auto part = [&](std::size_t i) { return evaluate(t.parts[i], r); };
  switch (t.what) {
    case term::number:
      return t.value;
    case term::label:
      return integer(r, t.name);
    case term::negated:
      return wrapped(word{0} - bits(part(0)));
    case term::opposite:
      return !part(0);
    case term::absolute: {
      const std::int64_t v = part(0);
      return v < 0 ? wrapped(word{0} - bits(v)) : v;
    }
    case term::both:
      return part(0) && part(1);  // skips the second if the first is false
    case term::either:
      return part(0) || part(1);  // ... true
    case term::chosen:
      return part(0) ? part(1) : part(2);
    default:
      break;
  }
  const std::int64_t x = part(0), y = part(1);
  switch (t.what) {
    case term::plus:
      return wrapped(bits(x) + bits(y));
    case term::minus:
      return wrapped(bits(x) - bits(y));
    case term::times:
      return wrapped(bits(x) * bits(y));
    case term::over:
      if (y == 0) throw record_ends("division by zero");
      return y == -1 ? wrapped(word{0} - bits(x)) : x / y;
    case term::rest:
      if (y == 0) throw record_ends("division by zero");
      return y == -1 ? 0 : x % y;
    case term::least:
      return std::min(x, y);
    case term::most:
      return std::max(x, y);
    case term::equal:
      return x == y;
    case term::unequal:
      return x != y;
    case term::less:
      return x < y;
    case term::at_most:
      return x <= y;
    case term::greater:
      return x > y;
    default:
      return x >= y;
  }
}

std::string to_string(const term& t) {
  static const char* const signs[] = {"",    "",   "-",  "!", "abs", "+", "-",  "*",  "/",  "%", "min",
                                      "max", "==", "!=", "<", "<=",  ">", ">=", "&&", "||", "?"};
  if (t.what == term::number) return std::to_string(t.value);
  if (t.what == term::label) return t.name;
  std::string text = std::string("(") + signs[t.what];
  for (const term& p : t.parts) text += " " + to_string(p);
  return text + ")";
}

bool fits(const label_set& wanted, const label_set& there) {
  for (const std::string& l : wanted)
    if (!there.count(l)) return false;
  return std::all_of(there.begin(), there.end(),
                     [&](const std::string& l) { return !is_binding(l) || wanted.count(l); });
}

bool matches(const plain_pattern& p, const plain_record& r) {
  return fits(p.labels, labels_of(r)) && (!p.guard || evaluate(*p.guard, r));
}

std::string to_string(const plain_pattern& p) {
  return to_string(p.labels) + (p.guard ? " if " + to_string(*p.guard) : "");
}

// ---- boxes ----

std::int64_t mixed(std::int64_t v, std::int64_t salt) { return wrapped(bits(v) * 31 + bits(salt)) % 97 - 20; }
std::int64_t phase(std::int64_t v, std::int64_t salt, std::int64_t of) {
  return static_cast<std::int64_t>((bits(v) + bits(salt) * 7) % bits(of));
}
std::int64_t added(std::int64_t x, std::int64_t y) { return wrapped(bits(x) + bits(y)); }
std::string shortened(const std::string& text, std::int64_t v) { return text.substr(0, 45) + "/" + std::to_string(v); }
std::int64_t length(const std::string& text) { return static_cast<std::int64_t>(text.size()); }

label_set taken(const plain_box& b) {
  const auto& l = b.labels;
  switch (b.kind) {
    case box_kind::constant:
      return {};
    case box_kind::mixing:
    case box_kind::unmarking:
    case box_kind::stepping:
      return {l[0], l[1]};
    default:
      return {l[0]};
  }
}

std::vector<label_set> given(const plain_box& b) {
  const auto& l = b.labels;
  switch (b.kind) {
    case box_kind::computing:
    case box_kind::copying:
      return {{l[1]}};
    case box_kind::mixing:
      return {{l[2], l[3]}};
    case box_kind::deciding:
      return {{l[0], l[1]}, {l[0], l[2]}};
    case box_kind::texting:
      return {{l[1], l[2]}};
    case box_kind::marking:
      return {{l[0], l[1]}, {l[0]}};
    case box_kind::unmarking:
      return {{l[0], l[2]}};
    case box_kind::stepping:
      return {{l[0]}, {l[2]}};
    case box_kind::sinking:
      return {};
    default:
      return {{l[0]}};
  }
}

// ---- folds ----

namespace {
label_set half_of(const std::vector<std::string>& labels, std::ptrdiff_t from) {
  const auto half = static_cast<std::ptrdiff_t>(labels.size() / 2);
  return {labels.begin() + from * half, labels.begin() + (from + 1) * half};
}
}  // namespace

label_set taken(const plain_fold& f) { return half_of(f.labels, 0); }
label_set given(const plain_fold& f) { return half_of(f.labels, 1); }

bool gives_for_each(fold_kind kind) { return kind == fold_kind::running || kind == fold_kind::telling; }
bool has_end(fold_kind kind) { return kind != fold_kind::running; }
bool knows_order(fold_kind kind) {
  return gives_for_each(kind) || kind == fold_kind::chaining || kind == fold_kind::recalling ||
         kind == fold_kind::lasting;
}

// ---- properties of a plan ----

bool has_end(const plan& p) {
  return (p.what == plan::fold && has_end(p.kept.kind)) ||
         std::any_of(p.parts.begin(), p.parts.end(), [](const plan_ptr& q) { return has_end(*q); });
}

bool is_single(const plan& p) {
  const bool parts = std::all_of(p.parts.begin(), p.parts.end(), [](const plan_ptr& q) { return is_single(*q); });
  switch (p.what) {
    case plan::box:
      return p.basis.kind != box_kind::copying && p.basis.kind != box_kind::deciding &&
             p.basis.kind != box_kind::stepping;
    case plan::fold:
      return p.kept.kind != fold_kind::gathering && p.kept.kind != fold_kind::recalling;
    case plan::split:  // a record that ends a branch causes the results that its folds give then
      return parts && (p.patterns.empty() || !has_end(p));
    case plan::filter:
      return std::all_of(p.clauses.begin(), p.clauses.end(), [](const auto& c) { return c.records.size() <= 1; });
    default:
      return parts;
  }
}

order order_of(const plan& p) {
  order worst = order::sequence;
  for (const plan_ptr& q : p.parts) worst = std::max(worst, order_of(*q));
  switch (p.what) {
    case plan::choice:
    case plan::split:
      if (!p.ordered) return order::none;
      break;
    case plan::star:
    case plan::feedback:
      if (!p.ordered) return order::none;
      return is_single(*p.parts[0]) ? order::sequence : order::groups;
    default:
      break;
  }
  return p.ordered ? std::min(worst, order::groups) : worst;
}

std::string to_string(const plan& p) {
  const auto joined = [&](const std::string& sign) {
    std::string text;
    for (const plan_ptr& q : p.parts) text += (text.empty() ? "" : sign) + to_string(*q);
    return "(" + text + ")";
  };
  std::string patterns;
  for (const plain_pattern& q : p.patterns) patterns += (patterns.empty() ? "" : ", ") + to_string(q);
  const std::string o = p.ordered ? "ordered" : "";
  switch (p.what) {
    case plan::box:
    case plan::source: {
      std::string labels;
      for (const std::string& l : p.basis.labels) labels += (labels.empty() ? "" : ",") + l;
      return p.basis.name + "#" + std::to_string(static_cast<int>(p.basis.kind)) + "(" + labels + ";" +
             std::to_string(p.basis.salt) + ";w" + std::to_string(p.basis.width) + ")";
    }
    case plan::fold: {
      std::string labels;
      for (const std::string& l : p.kept.labels) labels += (labels.empty() ? "" : ",") + l;
      return "fold " + p.kept.name + "#" + std::to_string(static_cast<int>(p.kept.kind)) + "(" + labels + ";" +
             std::to_string(p.kept.salt) + ";w" + std::to_string(p.kept.width) + ")";
    }
    case plan::filter: {
      std::string text = "[" + to_string(p.pattern) + " ->";
      for (const plain_clause& c : p.clauses) {
        text += c.guard ? " if " + to_string(*c.guard) : " else";
        for (const auto& record : c.records) {
          text += " {";
          for (const output_item& i : record)
            text += i.label + (i.how == output_item::copied    ? " "
                               : i.how == output_item::renamed ? "=" + i.from + " "
                                                               : "=" + to_string(i.value) + " ");
          text += "}";
        }
      }
      return text + "]";
    }
    case plan::sync:
      return "[|" + patterns + "|]";
    case plan::bypass:
      return "[]";
    case plan::serial:
      return o + joined(" .. ");
    case plan::choice:
      return joined(p.ordered ? " || " : " | ");
    case plan::star:
      return to_string(*p.parts[0]) + (p.ordered ? "**(" : "*(") + patterns + ")";
    case plan::split:
      return to_string(*p.parts[0]) + (p.ordered ? "!!" : "!") + (p.indexed ? "@" : "") + p.by +
             (patterns.empty() ? "" : " until(" + patterns + ")");
    case plan::feedback:
      return o + to_string(*p.parts[0]) + "\\(" + patterns + ")";
    case plan::observed:
      return "observe" + joined("");
  }
  return "?";
}

int depth_of(const plan& p) {
  int deepest = 0;
  for (const plan_ptr& q : p.parts) deepest = std::max(deepest, depth_of(*q));
  switch (p.what) {
    case plan::choice:
    case plan::star:
    case plan::split:
    case plan::feedback:
      return deepest + 1;
    default:
      return std::max(deepest, 1);
  }
}

}  // namespace weir::testing::language
