#include <limits>
#include <string>

#include "runtime/network/nodes.hpp"

// Prints networks in S-Net's notation. All nodes write into one text, and stop when it is as long as is needed.
namespace weir {
namespace detail {
namespace {

void write_row(const row_node& row, notation_text& to, std::string_view separator) {
  bool is_first = true;
  row.each([&](const network& n) {
    if (!is_first) to.add(separator);
    is_first = false;
    to.add(n, node::binding::serial);
    return !to.is_full();
  });
}

}  // namespace

void notation_text::add(const network& part, node::binding least) {
  if (is_full()) return;
  const node& n = *part.root();
  const bool is_looser = n.binds() < least;
  if (is_looser) text_ += '(';
  n.write(*this);
  if (is_looser) add(")");
}

std::string node::notation() const {
  notation_text text(std::numeric_limits<std::size_t>::max());
  write(text);
  return std::move(text).take();
}

std::string node::name() const {
  constexpr std::size_t longest = 60;  // characters: the name has to fit in a line of a message
  notation_text written(longest);
  write(written);
  std::string text = std::move(written).take();
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return binds() == binding::closed ? text : "(" + text + ")";
}

std::string serial_node::name() const {
  constexpr std::uint64_t shown = 6;  // elements: the name has to fit in a line of a message
  if (elements <= shown) return node::name();
  return "(" + end(false).name() + " .. " + std::to_string(elements - 2) + " more .. " + end(true).name() + ")";
}

void box_node::write(notation_text& to) const { to.add(spec->name); }
void filter_node::write(notation_text& to) const { to.add(to_string(*spec)); }
void bypass_node::write(notation_text& to) const { to.add("[]"); }

void serial_node::write(notation_text& to) const { write_row(*this, to, " .. "); }

void choice_node::write_joined(notation_text& to, std::string_view separator) const { write_row(*this, to, separator); }

void star_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("*" + to_string(exits));
}

std::string split_node::of() const { return weir::to_string(*by) + (last ? " until " + to_string(*last) : ""); }

void split_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("!" + of());
}

void feedback_node::write(notation_text& to) const {
  to.add(body, binding::closed);
  to.add("\\" + to_string(back));
}

void sync_node::write(notation_text& to) const { to.add(notation_of_cell(patterns)); }

void ordered_node::write(notation_text& to) const {
  if (const auto* choice = as<choice_node>(inner)) {
    choice->write_joined(to, " || ");
  } else if (const auto* star = as<star_node>(inner)) {
    to.add(star->body, binding::closed);
    to.add("**" + to_string(star->exits));
  } else if (const auto* split = as<split_node>(inner)) {
    to.add(split->body, binding::closed);
    to.add("!!" + split->of());
  } else {
    to.add("ordered(");
    inner.root()->write(to);
    to.add(")");
  }
}

void named_node::write(notation_text& to) const { to.add(given); }

void placed_node::write(notation_text& to) const {
  to.add(inner, binding::closed);
  to.add(by ? "!@" + weir::to_string(*by) : "@" + std::to_string(node_number));
}

}  // namespace detail

std::string to_string(const network& n) { return n.root()->notation(); }

}  // namespace weir
