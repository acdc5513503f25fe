#pragma once

#include <string>
#include <string_view>

#include <weir/network/network.hpp>
#include <weir/network/registry.hpp>
#include <weir/record/errors.hpp>

namespace [[gnu::visibility("default")]] weir {

// A text is no network that can work. what() has all errors, each as `file:line:column: error: ..` with its line and a
// caret under the column; columns are bytes, from 1.
class snet_error : public type_error {
  using type_error::type_error;
};

// The network that a file describes in S-Net: the last one of several nets in it.
//
//   network routing = load_snet("routing.snet", registry{}.add(tokenise).add(count));
//
// Boxes of the text are looked up by name in the registry, and their labels have to agree in names, number and order.
// So are nets without a body, `net filter;`, and names that the text does not define. A field has the C++ type that the
// boxes give it; if no box names it, it is a field<opaque>.
//
// A text is ASCII but for its comments and has at most 64 MB. Networks, parentheses and expressions nest at most 1,000
// deep; chains, sums and other rows are not nested, and may be long. Reading takes linear time. Any thread may call
// these functions.
//
// Throws snet_error with all errors of the text, and std::runtime_error when the file cannot be read.
network load_snet(const std::string& path, const registry& known = {});

// The same for a text; `name` stands for the file in errors. Any text may also end with an expression, which is then
// the network, as what to_string(network) gives does where its names have only letters of ASCII, digits and `_`. There,
// filters may end without `else`.
network read_snet(std::string_view text, const registry& known = {}, const std::string& name = "text");

// Adds the boxes of a shared library, by calling its `extern "C" void weir_boxes(weir::registry&)`; a library in C or
// another language has weir_boxes_c instead (weir_box.h). A program that does this exports weir's functions to the
// library: it is linked with -rdynamic, or with weir as a shared library. The library stays loaded until the process
// ends.
//
// Throws std::runtime_error, naming the library, if it cannot be loaded, has no such function, or was made for another
// version of weir; and type_error as registry::add does. One thread at a time may call it.
void add_boxes(registry& to, const std::string& library);

}  // namespace weir
