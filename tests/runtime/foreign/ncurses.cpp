// The macros that <ncurses.h> defines for C, and keeps for C++ in part.
#define box(win, v, h) wborder(win, v, v, h, h, 0, 0, 0, 0)
#define clear() wclear(stdscr)
#define erase() werase(stdscr)
#define filter() nofilter()
#define move(y, x) wmove(stdscr, (y), (x))
#define refresh() wrefresh(stdscr)
#define timeout(delay) wtimeout(stdscr, (delay))

#include <weir/snet.hpp>
#include <weir/weir.hpp>

namespace {
inline constexpr weir::tag n{"n"};
}
weir::network under_ncurses();
weir::network under_ncurses() {
  return (weir::box)("next", weir::takes(n), weir::gives(n), [](std::int64_t k) { return k + 1; });
}
