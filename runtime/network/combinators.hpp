#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/network/box.hpp"
#include "runtime/network/network.hpp"
#include "runtime/patterns/pattern.hpp"
#include "runtime/record/record.hpp"
#include "scheduler/view/held_function.hpp"

// How networks are put together, beside `>>` and `.as` (network.hpp). All of it throws type_error, in a few lines that
// name both sides, for what can never work. Networks are values; all of this may be used from any thread.
namespace [[gnu::visibility("default")]] weir {

// Parallel composition: each record goes to the one branch that it matches best, that is whose input type has the
// variant of most labels that the record has all of; of equals to the leftmost. What comes out is merged as it comes,
// in order for each branch. `a | b | c` is one choice of three; `.as` and `ordered` close a group.
network operator|(const network& left, const network& right);

// The same for branches that are made in a loop. Throws type_error when there is none.
network choice(const std::vector<network>& branches);

// A chain of instances of body, one behind the other, that grows as records need it. A record that matches an exit when
// it arrives at an instance, the first included, leaves. All records at one depth share its instance. There is no end
// to it when nothing matches: see options::max_depth. Where the body is a synchrocell, or one and a choice of boxes,
// filters and bypass() behind it, an instance whose cell has fired is removed, and records skip it; `ordered` or
// `observe` inside such a body forbid that, and make each record visit every instance: put them round the star.
network star(const network& body, const pattern_list& exits);

// One instance of body for each value of the tag, made when its first record comes. The tag stays in the record; what a
// synchrocell inside merges has it for certain, as far as types can tell, only if its first pattern names it.
network split(const network& body, const tag& by);

// What body emits and `back` matches goes back into body, before new input; the rest leaves.
network feedback(const network& body, const pattern_list& back);

// A synchrocell: keeps the first record for each pattern and, when it has one for each, emits the first pattern's
// record with the labels that the other patterns name put into it. A record that fills no empty slot passes; after the
// merged record everything does. A record that matches several patterns whose slots are empty fills all of them at
// once: sync({n}, {n}) pairs nothing. 2 to 8 patterns, or a vector of 2 to 32. It is open, as bypass() is: what matches
// none of its patterns passes, whatever its binding tags, and scores 0 where the cell is a branch of a choice.
network sync(std::vector<pattern> patterns);
network sync(const pattern& a, const pattern& b);
network sync(const pattern& a, const pattern& b, const pattern& c);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e,
             const pattern& f);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g);
network sync(const pattern& a, const pattern& b, const pattern& c, const pattern& d, const pattern& e, const pattern& f,
             const pattern& g, const pattern& h);

// The identity, S-Net's `[]`: takes every record. As a branch of a choice it is the "else": it scores 0.
network bypass();

// Everything that an input causes leaves before anything that a later input causes, in the order in which the inputs
// arrived here, whatever happens inside. `ordered(a | b)`, `ordered(star(..))`, `ordered(split(..))` are S-Net's `||`,
// `**` and `!!`. Records of one input that a star or feedback inside emits may leave in any order.
network ordered(const network& net);

// Where a network runs, in a cluster: accepted, and without effect, since weir is one process.
network at(const network& net, int node);
network at(const network& net, const tag& node);

// The same network; `see` is called with every record that comes out of it, and the path of this place in this run. One
// call at a time, whatever places a star or split makes of this one and in how many runs, by whoever moves the record:
// it should be short. To wait for a run of this network throws std::logic_error in it. If it throws, the record ends as
// with a box.
network observe(const network& net, held_function<void(const record&, std::string_view path)> see);

namespace detail {
network make_source(const network& box);
}

// An initialiser: a box that takes nothing and runs once when the network starts; inside ordered(..) what it gives
// comes before all else. The callable is one for a box without inputs; with an emitter& it emits any number of records.
// Legal only alone, or as a branch of a choice (which may be wrapped in .as, ordered, observe and at) that is not
// inside a star, split or feedback.
template <class Gives, class F>
network source(detail::given_name name, const Gives& out, F f) {
  return detail::make_source(box(name, takes(), out, std::move(f)));
}

}  // namespace weir
