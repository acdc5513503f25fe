/* A library with a mistake that is found when it registers its boxes. */
#include <weir/weir_box.h>

static void nothing(weir_call* call, void* data) { (void)call, (void)data; }

void weir_boxes_c(weir_registry* boxes) { weir_add_box(boxes, "box f((a) -> (a));", nothing, 0, 0); }
