// The macros that <QObject> defines unless QT_NO_KEYWORDS is defined.
#define slots
#define signals public
#define emit
#define foreach(a, b) for (a : b)
#define forever for (;;)

#include <weir/snet.hpp>
#include <weir/weir.hpp>

namespace {
inline constexpr weir::tag n{"n"};
}
weir::network under_qt();
weir::network under_qt() { return weir::filter(weir::takes(n)).gives(n = n + 1); }
struct object {
 signals:
  int is_public = 0;
};
int keywords_are_back();
int keywords_are_back() {
  forever { return object{}.is_public; }
}
