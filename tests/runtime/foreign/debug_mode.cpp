// Compiled with _GLIBCXX_DEBUG: containers are laid out differently from those of the library that it is linked with.
#include <weir/weir.hpp>

int main() { return weir::record(weir::tag("n") = 1).labels().size() == 1 ? 0 : 1; }
