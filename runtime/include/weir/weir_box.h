/* Boxes in C, and in languages that can call C. A shared library of such boxes defines weir_boxes_c and is given to
 * `weir run --boxes`, or to weir::add_boxes; it need not link weir.
 *
 *   #include <weir/weir_box.h>
 *
 *   static void square(weir_call* call, void* data) {
 *     const int64_t n = weir_get_tag(call, "n");
 *     weir_set_tag(call, "n", n * n);
 *     weir_emit(call);
 *   }
 *
 *   void weir_boxes_c(weir_registry* boxes) {
 *     weir_add_box(boxes, "box square((<n>) -> (<n>));", square, NULL, NULL);
 *   }
 *
 * Values of fields are int64_t, double, strings, or what a weir_type describes. The first three are std::int64_t, double
 * and std::string of boxes in C++, and are read from text. */
#ifndef WEIR_BOX_H
#define WEIR_BOX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface, which the library has as a symbol. A library in another language defines it itself. */
#define WEIR_BOX_INTERFACE 1
#ifndef WEIR_BOX_WITHOUT_SYMBOL
__attribute__((weak, visibility("default"))) extern const int weir_box_interface;
const int weir_box_interface = WEIR_BOX_INTERFACE;
#endif

typedef struct weir_registry weir_registry;
typedef struct weir_call weir_call;

/** A type of values that weir knows by address alone. A value that several records share is not copied; they only read
 * it. All functions may be called by any thread, and several at the same time. */
typedef struct weir_type {
  const char* name;                    /**< for messages, such as "matrix"; not NULL */
  void (*free)(void* value);           /**< when no record has the value any more; NULL: nothing is to be done */
  void* (*copy)(const void* value);    /**< a value of its own, or NULL if there is no memory; NULL: it has no copies */
  const char* (*print)(const void* value); /**< valid until the next call by this thread; NULL: its name is printed */
} weir_type;

/* What a box does for one record. It may emit any number of records. Several threads call it at the same time, with the
 * same data. */
typedef void (*weir_box_function)(weir_call* call, void* data);

/* ---- registering ---- */

/* Defined by the library. */
__attribute__((visibility("default"))) void weir_boxes_c(weir_registry* boxes);

/* The type of every field of this name. To be called before a box is added that names the field. */
void weir_field_int(weir_registry* boxes, const char* field);
void weir_field_double(weir_registry* boxes, const char* field);
void weir_field_string(weir_registry* boxes, const char* field);
void weir_field_value(weir_registry* boxes, const char* field, const weir_type* type); /* type: kept, not copied */

/* Adds a box. `declaration` is the box's definition in S-Net: "box f((a, <t>) -> (b) | (c));". `data` is passed to
 * every call, and to `end`, if that is not NULL, when nothing uses the box any more; of boxes with the same data and
 * end, when nothing uses any of them. Mistakes are reported when weir_boxes_c has returned. */
void weir_add_box(weir_registry* boxes, const char* declaration, weir_box_function function, void* data,
                  void (*end)(void* data));

/* The box that was added last has at most so many calls at the same time; 1: no two. */
void weir_limit_width(weir_registry* boxes, int most);

/* ---- in a call ---- */

/* A name, string or value that is NULL fails the record. A call that has returned is not to be used: getters give 0 or
 * NULL then, weir_emit 1, and the record of the call that does so fails. */

/* The record's value of a label that the box takes. A label that it does not take, or that has another type, fails the
 * record; 0 or NULL comes back. Strings and values belong to the record, and are valid until the call returns. */
int64_t weir_get_tag(weir_call* call, const char* tag);
int64_t weir_get_binding_tag(weir_call* call, const char* tag);
int64_t weir_get_int(weir_call* call, const char* field);
double weir_get_double(weir_call* call, const char* field);
const char* weir_get_string(weir_call* call, const char* field);
const void* weir_get_value(weir_call* call, const char* field);

/* A value of the next record to be emitted. A string is copied; a value belongs to weir from here on, and is not to be
 * set a second time. */
void weir_set_tag(weir_call* call, const char* tag, int64_t value);
void weir_set_binding_tag(weir_call* call, const char* tag, int64_t value);
void weir_set_int(weir_call* call, const char* field, int64_t value);
void weir_set_double(weir_call* call, const char* field, double value);
void weir_set_string(weir_call* call, const char* field, const char* value);
void weir_set_value(weir_call* call, const char* field, void* value);

/* Emits a record of what was set since the last one. Its labels have to be those of one output of the declaration;
 * others of the input are inherited. Returns 0, or 1 when the box should return: the record has failed or the run is
 * being stopped. */
int weir_emit(weir_call* call);

/* The record fails with this message, when the function has returned. */
void weir_fail(weir_call* call, const char* message);

#ifdef __cplusplus
}
#endif

#endif
