#include "runtime/snet/parser.hpp"

#include <optional>
#include <utility>

#include "runtime/snet/nearest_names.hpp"
#include "runtime/snet/network_parser.hpp"
#include "runtime/snet/token_reader.hpp"

namespace weir::detail::snet {
namespace {

class module_parser {
 public:
  module_parser(const source_text& text, fault_list& faults, std::vector<placed_token>* taken)
      : in_(text, faults, taken), networks_(in_) {}

  module run() {
    module made;
    while (!in_.at_end() && !in_.faults().is_full()) definitions(made, made.definitions, nullptr);
    if (!ends_with_network_)
      for (const remark& r : networks_.without_else()) in_.report({{r, {}}});
    return made;
  }

 private:
  // The rest of the text as one network expression. Networks print like that.
  net_syntax alone() {
    ends_with_network_ = true;
    net_syntax made = networks_.network();
    if (!in_.at_end()) in_.fail("a combinator behind a network, or the end of the text");
    return made;
  }

  bool begins_definition() const {
    return in_.is_word("net") || in_.is_word("box") || in_.is_word("type") || in_.is_word("typesig") ||
           in_.text().text().substr(in_.now().begin).starts_with("<metadata>");
  }

  // Up to the end of the text, or of the body that `from` opened.
  void definitions(module& whole, std::vector<definition>& into, const opened* from) {
    begun_.reset();
    while (!in_.at_end() && !(from && (in_.is("}") || in_.is_word("connect"))) && !in_.faults().is_full()) {
      const offset before = in_.now().begin;
      const std::size_t open = in_.open_count();
      try {
        if (in_.is("<") && begins_definition())
          metadata();
        else if (!from && !begins_definition() && networks_.begins_network())
          whole.alone = alone();
        else
          into.push_back(one(whole));
      } catch (syntax_fault& f) {
        in_.report(std::move(f));
        const int filters = in_.open_since(open, "[");
        in_.forget_open(open);
        if (begun_) into.push_back(*std::exchange(begun_, std::nullopt));
        recover(from != nullptr, before, filters);
      }
    }
  }

  // Goes on behind the next `;` outside of filters, of which `filters` are open, or where a definition begins or a body
  // ends.
  void recover(bool is_inside, offset before, int filters) {
    int open = 0;
    if (in_.now().begin == before && !in_.at_end()) in_.take();
    for (; !in_.at_end(); in_.take()) {
      if (in_.is("{")) ++open;
      if (in_.is("[")) ++filters;
      if (in_.is("]") && filters) --filters;
      if (in_.is("}")) {
        const token next = in_.ahead();
        if (is_inside && open == 0 && in_.word_of(next) == "connect") return;
        if (open) --open;
      }
      if (in_.is(";") && open == 0 && filters == 0) {
        in_.take();
        return;
      }
      if (begins_definition() && in_.ahead().kind == token_kind::name && in_.word_of(in_.ahead()) != "connect") return;
      if (is_inside && open == 0 && in_.is_word("connect")) return;
    }
  }

  void metadata() {
    const offset place = in_.now().begin;
    if (!in_.take_raw("</metadata>")) {
      while (!in_.at_end()) in_.take();
      token_reader::fail_at(place, "unclosed <metadata>: there is no </metadata> behind it");
    }
  }

  definition one(module& whole) {
    if (!begins_definition()) {
      std::string expected = "a definition: net, box, type, typesig or <metadata>";
      if (in_.is("::") || in_.is_ahead("::"))
        token_reader::fail_at(in_.now().begin, "a form that S-Net's compiler uses inside: a name with ::");
      if (in_.is_name()) expected += nearest_to(in_.word_now(), {"net", "box", "type", "typesig"});
      in_.fail(expected);
    }
    if (networks_.begins_network()) in_.refuse_keyword();  // as in what a network with such a name prints
    const std::string_view what = in_.word_of(in_.take());
    definition made;
    if (what == "net") return net(whole);
    if (what == "box") return box();
    made.what = what == "type" ? definition::type : definition::typesig;
    made.name = in_.name_of_definition("a name");
    begin(made);
    in_.expect("=", "behind the name", token_role::combinator);
    if (made.what == definition::type)
      made.stands_for = type();
    else
      made.signature = signature();
    end(made);
    return made;
  }

  // The known part of a definition if there is a fault in the rest of it.
  void begin(const definition& made) {
    begun_.emplace();
    begun_->what = made.what;
    begun_->name = made.name;
    begun_->is_broken = true;
  }
  void end(definition& made) {
    if (!in_.is(";")) in_.fail("; at the end of this definition");
    begun_.reset();
    made.end = in_.take(token_role::definition_end).end;
  }

  definition net(module& whole) {
    definition made;
    made.what = definition::net;
    made.name = in_.name_of_definition("the name of a net");
    begin(made);
    if (in_.is("(")) {
      const opened from = in_.open("(", token_role::list_open);
      made.signature = signature();
      in_.close(")", from, token_role::list_close);
    }
    if (in_.is(";")) {
      end(made);
      return made;
    }
    if (in_.is("{")) {
      const std::size_t open = in_.open_count();
      const network_parser::nested here(networks_);
      const opened from = in_.open("{", token_role::body_open);
      definitions(whole, made.inside, &from);
      begin(made);
      if (in_.faults().is_full()) return made;
      if (in_.is_word("connect")) {  // the body goes on as if it were closed
        in_.report({{{in_.now().begin,
                      "expected } in front of connect: unclosed {, which was opened at " + in_.place_of(from.place)},
                     {{from.place, "the body of net " + shown(made.name.text) + " was opened here"}}}});
        in_.forget_open(open);
      } else {
        in_.close("}", from, token_role::body_close);
      }
    }
    if (!in_.is_word("connect"))
      in_.fail(made.inside.empty() ? "connect, {, ( or ; in the definition of net " + shown(made.name.text)
                                   : "connect behind the body of net " + shown(made.name.text));
    in_.take(token_role::combinator);
    made.connects = networks_.network();
    end(made);
    return made;
  }

  definition box() {
    definition made;
    made.what = definition::box;
    made.name = in_.name_of_definition("the name of a box");
    begin(made);
    if (!in_.is("(")) in_.fail("( and the signature of box " + shown(made.name.text));
    const opened from = in_.open("(", token_role::list_open);
    made.is_initialiser = in_.is("->");
    if (!made.is_initialiser) {
      if (!in_.is("(")) in_.fail("( and what the box takes, or -> of an initialiser");
      made.takes = networks_.record("(", ")");
    }
    in_.expect("->", "between what a box takes and gives", token_role::combinator);
    if (!in_.is(")")) {
      do {
        if (made.variants.size() >= most_labels)
          token_reader::fail_at(in_.now().begin, "more than " + std::to_string(most_labels) + " outputs of one box");
        if (!in_.is("(")) in_.fail("( and what the box gives");
        made.variants.push_back(networks_.record("(", ")"));
      } while (in_.take_if("|", token_role::combinator));
    }
    in_.close(")", from, token_role::list_close);
    if (in_.is("{")) {
      const opened body = in_.open("{", token_role::list_open);
      if (in_.now().kind != token_kind::code) in_.fail("<<< language | code >>> in the body of a box");
      in_.take();
      in_.close("}", body, token_role::definition_end);
      begun_.reset();
      return made;
    }
    end(made);
    return made;
  }

  // ---- signatures ----

  std::vector<map_syntax> signature() {
    std::vector<map_syntax> all;
    do all.push_back(map());
    while (in_.take_if(",", token_role::separator));
    return all;
  }

  map_syntax map() {
    map_syntax made;
    made.place = in_.now().begin;
    if (in_.is_name() && !in_.is_ahead("->") && !in_.is_ahead("|")) {
      made.named = in_.name("a typesig");
      return made;
    }
    if (!in_.is("->")) made.in = type();
    in_.expect("->", "between input and output of a signature", token_role::combinator);
    if (in_.take_if("...")) {
      made.is_open = true;
    } else if (in_.is("{") || in_.is_name()) {
      made.out = type().variants;
    }
    return made;
  }

  type_syntax type() {
    type_syntax made;
    do {
      type_syntax::variant& v = made.variants.emplace_back();
      if (in_.is("{"))
        v.labels = networks_.record("{", "}");
      else
        v.named = in_.name("a record type, such as {a, <t>}, or the name of one");
      if (made.variants.size() > most_labels)
        token_reader::fail_at(in_.now().begin, "more than " + std::to_string(most_labels) + " variants of one type");
    } while (in_.take_if("|", token_role::combinator));
    return made;
  }

  token_reader in_;
  network_parser networks_;
  std::optional<definition> begun_;
  bool ends_with_network_ = false;
};

}  // namespace

module parse(const source_text& text, fault_list& faults, std::vector<placed_token>* taken) {
  return module_parser(text, faults, taken).run();
}

}  // namespace weir::detail::snet
