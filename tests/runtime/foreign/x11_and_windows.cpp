// Macros of <X11/X.h>, <X11/Xlib.h>, <windows.h> (the latter without NOMINMAX), and <complex.h>.
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
#define Above 0
#define Below 1
#define Complex 0
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define near
#define far
#define small char
#define interface struct
#define I _Complex_I

#include <weir/snet.hpp>
#include <weir/weir.hpp>

namespace {
inline constexpr weir::tag n{"n"};
}
weir::expression under_windows();
weir::expression under_windows() { return (weir::min)(n, 3) + max(1, 2); }
