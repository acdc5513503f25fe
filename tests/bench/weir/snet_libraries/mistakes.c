/* Mistakes in C, by number: of a box while it runs, and where WEIR_MISTAKE says so, of a library that registers its
 * boxes. */
#include <stdlib.h>
#include <string.h>

#include <weir/weir_box.h>

static const char* no_text(const void* value) {
  (void)value;
  return NULL;
}
static const weir_type plain = {"plain", free, NULL, no_text};
static const weir_type nameless = {NULL, NULL, NULL, NULL};

/* box wrong((<n>) -> (<m>) | (s) | (v)) */
static void wrong(weir_call* call, void* data) {
  (void)data;
  switch (weir_get_tag(call, "n")) {
    case 0:
      weir_set_tag(call, NULL, 1);
      break;
    case 1:
      weir_get_tag(call, NULL);
      break;
    case 2:
      weir_set_string(call, "s", NULL);
      break;
    case 3:
      weir_fail(call, NULL);
      break;
    case 4:
      weir_set_value(call, NULL, data);
      break;
    case 5:
      weir_set_value(call, "v", NULL);
      break;
    case 6:
      weir_emit(NULL);
      break;
    case 7:
      weir_set_value(call, "v", strdup("x"));
      break;
    case 8:
      weir_set_tag(call, "m", 1);
      weir_set_tag(call, "m", 2);
      break;
    case 9:
      weir_fail(call, "nine");
      weir_set_tag(call, "m", weir_emit(call));
      break;
    default:
      weir_get_value(call, "v");
      break;
  }
  weir_emit(call);
}

/* box late((<m>) -> (<m>)): at its second record it uses the call of the first */
static void late(weir_call* call, void* data) {
  static weir_call* before = NULL;
  (void)data;
  if (before) {
    weir_set_tag(before, "m", 7);
    weir_emit(before);
  }
  before = call;
  weir_set_tag(call, "m", weir_get_tag(call, "m"));
  weir_emit(call);
}

static void nothing(weir_call* call, void* data) { (void)call, (void)data; }

void weir_boxes_c(weir_registry* boxes) {
  const char* which = getenv("WEIR_MISTAKE");
  char* shared = calloc(1, 1);
  weir_field_string(boxes, "s");
  weir_field_value(boxes, "v", &plain);
  weir_add_box(boxes, "box wrong((<n>) -> (<m>) | (s) | (v));", wrong, shared, free);
  weir_add_box(boxes, "box late((<m>) -> (<m>));", late, shared, free);
  weir_limit_width(boxes, 1);
  switch (which ? atoi(which) : 0) {
    case 1:
      weir_field_int(boxes, NULL);
      break;
    case 2:
      weir_field_value(boxes, "x", NULL);
      break;
    case 3:
      weir_field_value(boxes, "x", &nameless);
      break;
    case 4:
      weir_add_box(boxes, NULL, nothing, NULL, NULL);
      break;
    case 5:
      weir_add_box(boxes, "box f((<a>) -> (<b>));", NULL, NULL, NULL);
      break;
    case 6:
      weir_limit_width(boxes, -3);
      break;
    case 7:
      weir_field_int(NULL, "x");
      break;
    case 8:
      weir_add_box(boxes, "net f connect [];", nothing, NULL, NULL);
      break;
    case 9:
      weir_add_box(boxes, "box wrong((<n>) -> (<m>));", nothing, NULL, NULL);
      break;
    case 10:
      weir_add_box(boxes, "box f((<n> -> (<m>));", nothing, NULL, NULL);
      break;
    default:
      break;
  }
}
