#pragma once

#include <concepts>
#include <string>
#include <vector>

#include <weir/network/network.hpp>
#include <weir/network/registry.hpp>

namespace [[gnu::visibility("default")]] weir {

// Runs boxes for another program: the `main` of a worker in C++, which worker() of that program starts.
//
//   int main() { return weir::serve(box("detect", takes(image), gives(found), detect), other_box); }
//
// Serves the box that the other program names when it connects, one call at a time, on the calling thread. Values of
// each_lane() are made at the first call. Code inside the box that uses oneTBB has as many cores as the call says.
// Returns 0 when the other program needs the worker no longer, for example since it has ended. Returns 2 with a line on
// the standard error stream when this process was not started by worker(), or when what comes is no message of the
// protocol.
//
// Each network is that of one box(), no fold and no source; else throws type_error.
int serve(const std::vector<network>& boxes);
// Serves those of a registry that are single boxes, by their names there: for a library of boxes.
int serve(const registry& boxes);
template <class... Box>
requires(std::convertible_to<const Box&, network>&&...) int serve(const network& first, const Box&... boxes) {
  return serve(std::vector<network>{first, boxes...});
}

// Where this process was started to run one of these boxes for isolated(), runs it and ends the process when the other
// needs it no longer. In every other process returns immediately. All that main does before happens in each host, too.
//
//   int main(int argc, char** argv) {
//     weir::host(parse, recognise);       // the boxes that the program isolates; before anything else
//     ..
//
// Throws type_error as serve() does, and for a box that isolated() or worker() has made.
void host(const std::vector<network>& boxes);
template <class... Box>
requires(std::convertible_to<const Box&, network>&&...) void host(const network& first, const Box&... boxes) {
  host(std::vector<network>{first, boxes...});
}

namespace detail {

// Serves over this socket, which is closed at the end. As serve(), for tests.
int serve_on(int socket, const std::vector<network>& boxes);

}  // namespace detail

}  // namespace weir
