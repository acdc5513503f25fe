#include <string>
#include <utility>

#include "runtime/network/node.hpp"

// A network for Graphviz.
namespace weir {
namespace detail {
namespace {

std::string quoted(const std::string& text) {
  std::string q = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q + "\"";
}

class drawing {
 public:
  std::string text;

  // Draws a network between what leads to it and what comes out of it: its first and its last points.
  using ends = std::pair<std::string, std::string>;
  ends draw(const network& net) {
    const node* n = net.root().get();
    if (dynamic_cast<const bypass_node*>(n)) return both(point("[]", "plaintext"));
    if (dynamic_cast<const filter_node*>(n)) return both(point(n->notation(), "note"));
    if (dynamic_cast<const sync_node*>(n)) return both(point(n->notation(), "component"));
    if (dynamic_cast<const box_node*>(n)) return both(point(n->notation(), "box"));
    if (const auto* serial = dynamic_cast<const serial_node*>(n)) {
      ends all;
      for (const network& part : serial->flat()) {
        const ends one = draw(part);
        if (all.first.empty())
          all.first = one.first;
        else
          arrow(all.second, one.first);
        all.second = one.second;
      }
      return all;
    }
    if (const auto* choice = dynamic_cast<const choice_node*>(n)) {
      const ends all{point("|", "diamond"), point("", "point")};
      for (const network& branch : choice->flat()) {
        const ends one = draw(branch);
        arrow(all.first, one.first);
        arrow(one.second, all.second);
      }
      return all;
    }
    if (const auto* star = dynamic_cast<const star_node*>(n)) return frame("* " + to_string(star->exits), star->body);
    if (const auto* split = dynamic_cast<const split_node*>(n))
      return frame("! " + weir::to_string(*split->by), split->body);
    if (const auto* feedback = dynamic_cast<const feedback_node*>(n)) {
      const ends body = frame("\\ " + to_string(feedback->back), feedback->body);
      arrow(body.second, body.first);
      return body;
    }
    const auto& wrapped = dynamic_cast<const wrapped_node&>(*n);
    if (dynamic_cast<const ordered_node*>(n)) return frame("ordered", wrapped.inner);
    if (const auto* named = dynamic_cast<const named_node*>(n)) return frame(named->given, wrapped.inner);
    return draw(wrapped.inner);
  }

  void arrow(const std::string& from, const std::string& to) { text += "  " + from + " -> " + to + ";\n"; }
  std::string point(const std::string& label, const std::string& form) {
    const std::string id = "n" + std::to_string(points_++);
    text += "  " + id + " [shape=" + form + ", label=" + quoted(label) + "];\n";
    return id;
  }

 private:
  static ends both(const std::string& id) { return {id, id}; }

  ends frame(const std::string& label, const network& inside) {
    text += "  subgraph cluster" + std::to_string(frames_++) + " {\n  label=" + quoted(label) + ";\n";
    const ends all = draw(inside);
    text += "  }\n";
    return all;
  }

  int points_ = 0, frames_ = 0;
};

}  // namespace
}  // namespace detail

std::string network::dot() const {
  detail::drawing d;
  const std::string in = d.point("in", "plaintext");
  const auto all = d.draw(*this);
  const std::string out = d.point("out", "plaintext");
  d.arrow(in, all.first);
  d.arrow(all.second, out);
  return "digraph weir {\n  rankdir=LR;\n" + d.text + "}\n";
}

}  // namespace weir
