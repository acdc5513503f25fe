#include <string>
#include <utility>

#include "runtime/network/nodes.hpp"

// Prints a network in Graphviz' DOT language.
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

  // The first and the last point of a drawn network, to connect arrows to.
  using ends = std::pair<std::string, std::string>;
  ends draw(const network& net) {
    return visit(net, overloads{
                          [&](const bypass_node&) { return both(point("[]", "plaintext")); },
                          [&](const filter_node& n) { return both(point(n.notation(), "note")); },
                          [&](const sync_node& n) { return both(point(n.notation(), "component")); },
                          [&](const box_node& n) { return both(point(n.notation(), "box")); },
                          [&](const serial_node& n) { return draw_chain(n); },
                          [&](const choice_node& n) { return draw_choice(n); },
                          [&](const star_node& n) { return frame("* " + to_string(n.exits), n.body); },
                          [&](const split_node& n) { return frame("! " + n.of(), n.body); },
                          [&](const feedback_node& n) {
                            const ends body = frame("\\ " + to_string(n.back), n.body);
                            arrow(body.second, body.first);
                            return body;
                          },
                          [&](const ordered_node& n) { return frame("ordered", n.inner); },
                          [&](const named_node& n) { return frame(n.given, n.inner); },
                          [&](const wrapped_node& n) { return draw(n.inner); },
                      });
  }

  void arrow(const std::string& from, const std::string& to) { text += "  " + from + " -> " + to + ";\n"; }
  std::string point(const std::string& label, const std::string& form) {
    const std::string id = "n" + std::to_string(points_++);
    text += "  " + id + " [shape=" + form + ", label=" + quoted(label) + "];\n";
    return id;
  }

 private:
  static ends both(const std::string& id) { return {id, id}; }

  ends draw_chain(const serial_node& chain) {
    ends all;
    for (const network& part : chain.flat()) {
      const ends one = draw(part);
      if (all.first.empty())
        all.first = one.first;
      else
        arrow(all.second, one.first);
      all.second = one.second;
    }
    return all;
  }

  ends draw_choice(const choice_node& choice) {
    const ends all{point("|", "diamond"), point("", "point")};
    for (const network& branch : choice.flat()) {
      const ends one = draw(branch);
      arrow(all.first, one.first);
      arrow(one.second, all.second);
    }
    return all;
  }

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
