/* Boxes in C: a bank whose accounts are values that only C knows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/weir_box.h>

typedef struct account {
  char owner[32];
  int64_t balance;
} account;

static void* copy_of(const void* value) {
  account* copy = malloc(sizeof *copy);
  if (copy) memcpy(copy, value, sizeof *copy);
  return copy;
}

static const char* text_of(const void* value) {
  static _Thread_local char text[64];
  const account* a = value;
  snprintf(text, sizeof text, "%s:%lld", a->owner, (long long)a->balance);
  return text;
}

static const weir_type account_type = {"account", free, copy_of, text_of};

/* box open((owner) -> (account)) */
static void open_account(weir_call* call, void* data) {
  account* made = calloc(1, sizeof *made);
  (void)data;
  if (!made) {
    weir_fail(call, "there is no memory");
    return;
  }
  strncpy(made->owner, weir_get_string(call, "owner"), sizeof made->owner - 1);
  weir_set_value(call, "account", made);
  weir_emit(call);
}

/* box post((account, <amount>) -> (account) | (account, <overdrawn>)): the second output is for what is not there */
static void post(weir_call* call, void* data) {
  const account* before = weir_get_value(call, "account");
  const int64_t amount = weir_get_tag(call, "amount");
  account* after = copy_of(before);
  int64_t* calls = data;
  __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
  if (!after) {
    weir_fail(call, "there is no memory");
    return;
  }
  if (before->balance + amount < 0) weir_set_tag(call, "overdrawn", -(before->balance + amount));
  after->balance = before->balance + amount < 0 ? 0 : before->balance + amount;
  weir_set_value(call, "account", after);
  weir_emit(call);
}

/* box halves((number, share) -> (number, share, <#half>)): two records for one */
static void halves(weir_call* call, void* data) {
  const int64_t number = weir_get_int(call, "number");
  const double share = weir_get_double(call, "share");
  (void)data;
  for (int64_t half = 1; half <= 2; ++half) {
    weir_set_int(call, "number", number * 10 + half);
    weir_set_double(call, "share", share / 2);
    weir_set_binding_tag(call, "half", half);
    if (weir_emit(call)) return;
  }
}

/* box numbers(-> (number, share)) */
static void numbers(weir_call* call, void* data) {
  (void)data;
  for (int64_t i = 1; i <= 3; ++i) {
    weir_set_int(call, "number", i);
    weir_set_double(call, "share", 1.0);
    if (weir_emit(call)) return;
  }
}

/* box careless((<n>) -> (<m>)): each mistake that a box can make, by number */
static void careless(weir_call* call, void* data) {
  (void)data;
  switch (weir_get_tag(call, "n")) {
    case 0:
      weir_set_tag(call, "m", 7);
      weir_emit(call);
      break;
    case 1:
      weir_get_int(call, "n");
      weir_set_tag(call, "m", 1);
      weir_emit(call);
      break;
    case 2:
      weir_set_tag(call, "x", 1);
      weir_emit(call);
      break;
    case 3:
      weir_set_tag(call, "m", 1);
      break;
    case 4:
      weir_fail(call, "it is four");
      break;
    case 5:
      weir_set_value(call, "m", NULL);
      break;
    default:
      break;
  }
}

void weir_boxes_c(weir_registry* boxes) {
  weir_field_string(boxes, "owner");
  weir_field_value(boxes, "account", &account_type);
  weir_field_int(boxes, "number");
  weir_field_double(boxes, "share");
  weir_add_box(boxes, "box open((owner) -> (account));", open_account, NULL, NULL);
  weir_add_box(boxes, "box post((account, <amount>) -> (account) | (account, <overdrawn>));", post,
               calloc(1, sizeof(int64_t)), free);
  weir_limit_width(boxes, 1);
  weir_add_box(boxes, "box halves((number, share) -> (number, share, <#half>));", halves, NULL, NULL);
  weir_add_box(boxes, "box numbers(-> (number, share));", numbers, NULL, NULL);
  weir_add_box(boxes, "box careless((<n>) -> (<m>));", careless, NULL, NULL);
}
