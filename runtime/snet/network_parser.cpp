#include "runtime/snet/network_parser.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace weir::detail::snet {

// ---- networks ----

namespace {

// The part of a network that was read at one level of parentheses.
struct level {
  opened from{};            // of the parenthesis
  bool is_ordered = false;  // `ordered(`
  offset place = 0;         // of `ordered`
  net_syntax choice{net_syntax::choice}, in_order{net_syntax::choice, true}, chain{net_syntax::serial};
};

}  // namespace

// A row that has ended. One of one part is that part.
net_syntax network_parser::ended(net_syntax& row) const {
  net_syntax whole = std::exchange(row, net_syntax{row.what, row.in_order});
  if (whole.parts.size() == 1) return std::exchange(whole.parts.front(), net_syntax());
  whole.place = whole.signs.front();
  for (const net_syntax& part : whole.parts) whole.depth = std::max(whole.depth, part.depth + 1);
  if (whole.depth > deepest) token_reader::fail_too_deep(whole.place);
  return whole;
}

// `|` binds loosest, then `||`, then `..`. Parentheses wait in a list, so that deep ones take no stack.
net_syntax network_parser::network() {
  std::vector<level> open(1);
  for (;;) {
    const offset place = in_.now().begin;
    const bool is_ordered = in_.is_word("ordered") && in_.is_ahead("(");
    if (is_ordered || in_.is("(")) {
      count_network(place);
      if (depth_ + open.size() > deepest) token_reader::fail_too_deep(place);
      level& inner = open.emplace_back();
      inner.is_ordered = is_ordered;
      inner.place = place;
      if (is_ordered) in_.take();
      inner.from = in_.open("(", token_role::list_open);
      continue;
    }
    net_syntax part = primary();
    for (;;) {
      level& here = open.back();
      here.chain.parts.push_back(with_postfixes(std::move(part)));
      const offset sign = in_.now().begin;
      if (in_.take_if("..", token_role::combinator)) {
        here.chain.signs.push_back(sign);
        break;
      }
      here.in_order.parts.push_back(ended(here.chain));
      if (in_.take_if("||", token_role::combinator)) {
        here.in_order.signs.push_back(sign);
        break;
      }
      here.choice.parts.push_back(ended(here.in_order));
      if (in_.take_if("|", token_role::combinator)) {
        here.choice.signs.push_back(sign);
        break;
      }
      part = ended(here.choice);
      if (open.size() == 1) return part;
      in_.close(")", here.from, token_role::list_close);
      if (here.is_ordered) part = around(std::move(part), net_syntax::ordered, here.place);
      open.pop_back();
    }
  }
}

// A word that no combinator follows is more likely a keyword with a fault: `nett x connect ..`, `boxx f(..)`.
bool network_parser::begins_network() const {
  if (in_.is("(") || in_.is("[") || in_.is("[|")) return true;
  if (!in_.is_name()) return false;
  if (in_.is_word("ordered") && in_.is_ahead("(")) return true;
  const token next = in_.ahead();
  if (next.kind == token_kind::end || next.kind == token_kind::bad) return true;
  constexpr std::array<std::string_view, 9> signs{"..", "||", "|", "**", "*", "!!", "!", "@", "\\"};
  return next.kind == token_kind::sign && std::find(signs.begin(), signs.end(), in_.word_of(next)) != signs.end();
}

net_syntax network_parser::around(net_syntax inner, net_syntax::form what, offset place) const {
  net_syntax made{what};
  made.place = place;
  made.depth = inner.depth + 1;
  if (made.depth > deepest) token_reader::fail_too_deep(place);
  made.parts.push_back(std::move(inner));
  return made;
}

bool network_parser::begins_postfix() const {
  return in_.is("*") || in_.is("**") || in_.is("!") || in_.is("!!") || in_.is("@") || in_.is("\\");
}

net_syntax network_parser::with_postfixes(net_syntax net) {
  if (!begins_postfix()) return net;
  net_syntax made = around(std::move(net), net_syntax::postfixed, in_.now().begin);
  while (begins_postfix()) made.forms.push_back(postfix());
  return made;
}

postfix_syntax network_parser::postfix() {
  const offset place = in_.now().begin;
  count_network(place);
  const bool in_order = in_.is("**") || in_.is("!!");
  const auto made_of = [&](postfix_syntax::form what) { return postfix_syntax{what, in_order, place}; };
  if (in_.take_if("*", token_role::postfix) || in_.take_if("**", token_role::postfix)) {
    postfix_syntax made = made_of(postfix_syntax::star);
    made.patterns = patterns();
    return made;
  }
  if (in_.take_if("!", token_role::postfix) || in_.take_if("!!", token_role::postfix)) {
    const bool places = in_.take_if("@", token_role::postfix);
    postfix_syntax made = made_of(places ? postfix_syntax::placed : postfix_syntax::split);
    if (!in_.is("<")) in_.fail("a tag, such as <t>, behind !");
    made.by = tag();
    if (in_.is(":"))
      token_reader::fail_at(in_.now().begin,
                            "a form that S-Net's compiler uses inside: a range of tags, <a>:<b>; write ! <a>");
    if (!places && in_.is_word("until")) {
      in_.take(token_role::combinator);
      made.patterns = patterns();
    }
    return made;
  }
  if (in_.take_if("@", token_role::postfix)) {
    postfix_syntax made = made_of(postfix_syntax::placed);
    if (in_.is("<")) token_reader::fail_at(place, "a placement by a tag is written !@ <t>");
    if (in_.now().kind != token_kind::number) in_.fail("the number of a node behind @");
    const offset at = in_.now().begin;
    const std::int64_t node = expressions_.number(false);
    if (node > std::numeric_limits<int>::max()) token_reader::fail_at(at, "the number of a node is too large");
    made.node = static_cast<int>(node);
    return made;
  }
  in_.take(token_role::postfix);
  postfix_syntax made = made_of(postfix_syntax::feedback);
  made.patterns = patterns();
  return made;
}

void network_parser::count_network(offset place) {
  if (++networks_ > most_networks)
    token_reader::fail_at(place, "more than " + std::to_string(most_networks) + " networks in one text");
}

void network_parser::refuse_inner_forms() const {
  const offset place = in_.now().begin;
  if (in_.is("|") || in_.is("||") || in_.is("..") || in_.is("*") || in_.is("!"))
    token_reader::fail_at(place,
                          "expected a network, found " + in_.found() +
                              "; a combinator in front of its networks is a form that S-Net's compiler uses inside");
  if (in_.is("{"))
    token_reader::fail_at(place, "expected a network, found a record type; a filter is written [{..} -> {..}]");
}

net_syntax network_parser::primary() {
  const offset place = in_.now().begin;
  count_network(place);
  net_syntax made;
  made.place = place;
  if (in_.is("[|")) return cell();
  if (in_.is("[")) {
    const opened from = in_.open("[", token_role::list_open);
    if (in_.close_if("]", from)) return made;
    return filter(from);
  }
  refuse_inner_forms();
  made.what = net_syntax::name;
  made.called = in_.name_of_definition("a network: a name, (, [ or [|").text;
  if (in_.is("::"))
    token_reader::fail_at(place, "a form that S-Net's compiler uses inside: a name with ::, such as tag::A");
  return made;
}

net_syntax network_parser::cell() {
  const opened from = in_.open("[|", token_role::list_open);
  net_syntax made{net_syntax::cell};
  made.place = from.place;
  made.patterns = patterns();
  in_.close("|]", from, token_role::list_close);
  return made;
}

// ---- filters ----

namespace {

// Behind a field that is renamed.
void refuse_operation(const token_reader& in) {
  constexpr std::array<std::string_view, 14> signs{"+",  "-",  "*",  "/", "%",  "(",  "?",
                                                   "==", "!=", "<=", ">", ">=", "&&", "||"};
  if (in.now().kind == token_kind::sign && std::find(signs.begin(), signs.end(), in.word_now()) != signs.end())
    token_reader::fail_at(in.now().begin, "expected , or } behind the field to rename, found " + in.found() +
                                              "; only tags are computed, as in <t = t + 1>");
}

}  // namespace

net_syntax network_parser::filter(const opened& from) {
  net_syntax made{net_syntax::filter};
  made.place = from.place;
  made.of = std::make_unique<filter_syntax>();
  if (!in_.is("{")) in_.fail("the pattern of a filter, such as {a, <t>}, or ]");
  made.of->pattern = record("{", "}");
  pattern_ = &made.of->pattern;
  if (in_.is_word("if"))
    token_reader::fail_at(in_.now().begin,
                          "a guard in front of -> is a form of an older S-Net; write if <..> then {..} else behind ->");
  in_.expect("->", "behind the pattern of a filter", token_role::combinator);
  for (;;) {
    const bool is_guarded = in_.is_word("if") && in_.is_ahead("<");
    made.of->clauses.push_back(clause(is_guarded));
    if (!is_guarded) break;
    if (!in_.is_word("else")) {
      constexpr const char* words = "else behind the outputs of a guard: a filter with if ends with else";
      if (!in_.is("]")) in_.fail(words);
      without_else_.push_back({in_.now().begin, "expected " + std::string(words) + ", found ']'"});
      break;
    }
    in_.take(token_role::combinator);
  }
  in_.close("]", from, token_role::list_close);
  return made;
}

clause_syntax network_parser::clause(bool is_guarded) {
  clause_syntax made;
  made.place = in_.now().begin;
  if (is_guarded) {
    made.guard = guard();
    if (!in_.is_word("then")) in_.fail("then behind a guard");
    in_.take(token_role::combinator);
  }
  outputs(made);
  return made;
}

void network_parser::outputs(clause_syntax& into) {
  if (in_.is("]") || in_.is_word("else")) return;  // consumes the record
  do {
    if (!in_.is("{")) in_.fail("an output, such as {a, <t>}");
    into.outputs.push_back(output());
  } while (in_.take_if(";", token_role::separator));
}

output_syntax network_parser::output() {
  const opened from = in_.open("{", token_role::list_open);
  output_syntax made;
  made.place = from.place;
  if (in_.close_if("}", from)) return made;
  do {
    if (made.items.size() >= most_labels)
      token_reader::fail_at(in_.now().begin, "more than " + std::to_string(most_labels) + " labels in one record");
    made.items.push_back(item());
  } while (in_.take_if(",", token_role::separator));
  in_.close("}", from, token_role::list_close);
  return made;
}

item_syntax network_parser::item() {
  item_syntax made;
  if (in_.is("<")) {
    const opened from = in_.open("<", token_role::tag_open);
    const bool is_binding = in_.take_if("#", token_role::prefix);
    made.to = {is_binding ? label_kind::binding_tag : label_kind::tag, in_.name("the name of a tag").text, from.place};
    if (in_.take_if("=", token_role::operation)) made.value = expression();
    in_.close_tag(from);
    if (in_.is("="))  // as records print
      token_reader::fail_at(in_.now().begin, "the value of a tag stands between < and >, as in <t = t + 1>");
    return made;
  }
  made.to = label("a label: a field, <t> or <#t>");
  if (in_.take_if("=", token_role::combinator)) {
    if (in_.now().kind == token_kind::number)
      token_reader::fail_at(in_.now().begin, "a constant cannot be put into a field; only tags are computed");
    if (in_.is("<"))
      token_reader::fail_at(in_.now().begin, "a tag cannot be put into a field; a field is renamed as in {b = a}");
    made.from = in_.name("the field to rename");
    refuse_operation(in_);
  }
  return made;
}

// ---- patterns, labels ----

std::vector<pattern_syntax> network_parser::patterns() {
  std::vector<pattern_syntax> all;
  do all.push_back(pattern());
  while (in_.take_if(",", token_role::separator));
  return all;
}

pattern_syntax network_parser::pattern() {
  pattern_syntax made;
  if (!in_.is("{")) in_.fail("a pattern, such as {a, <t>}");
  made.labels = record("{", "}");
  if (in_.is_word("if")) {
    pattern_ = &made.labels;
    made.guard = guard();
  }
  return made;
}

term network_parser::guard() {
  in_.take(token_role::combinator);
  if (!in_.is("<")) in_.fail("< behind if");
  const opened from = in_.open("<", token_role::tag_open);
  term made = expression();
  in_.close_tag(from);
  return made;
}

record_syntax network_parser::record(std::string_view open, std::string_view close) {
  record_syntax made;
  if (!in_.is(open)) in_.fail(std::string(open));
  const opened from = in_.open(open, token_role::list_open);
  made.place = from.place;
  if (in_.close_if(close, from)) return made;
  do {
    if (made.labels.size() >= most_labels)
      token_reader::fail_at(in_.now().begin, "more than " + std::to_string(most_labels) + " labels in one record");
    made.labels.push_back(label("a label: a field, <t> or <#t>"));
    if (in_.is("="))
      token_reader::fail_at(in_.now().begin,
                            "a label of a type or pattern has no value; = stands in outputs of filters alone");
  } while (in_.take_if(",", token_role::separator));
  in_.close(close, from, token_role::list_close);
  return made;
}

label_syntax network_parser::label(const char* what) {
  if (in_.is("<")) return tag();
  const word w = in_.name(what);
  if (in_.is("::"))
    token_reader::fail_at(w.place, "a form that S-Net's compiler uses inside: a label with ::, such as tag::A");
  return {label_kind::field, w.text, w.place};
}

label_syntax network_parser::tag() {
  const opened from = in_.open("<", token_role::tag_open);
  const bool is_binding = in_.take_if("#", token_role::prefix);
  const word w = in_.name("the name of a tag");
  in_.close_tag(from);
  return {is_binding ? label_kind::binding_tag : label_kind::tag, w.text, from.place};
}

}  // namespace weir::detail::snet
