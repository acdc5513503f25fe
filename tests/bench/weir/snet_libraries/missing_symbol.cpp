// It needs a function that no library defines.
#include <weir/weir.hpp>

extern "C" void a_function_that_is_nowhere();
extern "C" void weir_boxes(weir::registry&) { a_function_that_is_nowhere(); }
