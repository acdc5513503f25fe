#include "runtime/snet/c_boxes.hpp"

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weir/network/box.hpp>
#include <weir/record/errors.hpp>
#include <weir/record/kept_exception.hpp>
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/parser.hpp"

#define WEIR_BOX_WITHOUT_SYMBOL
#include <weir/weir_box.h>
#include "runtime/threads/thread_memory.hpp"

namespace weir::detail::snet {

static_assert(snet::c_interface == WEIR_BOX_INTERFACE);

// A value of a type that C describes.
struct c_value {
  const weir_type* type;
  void* value;

  c_value(const weir_type* of, void* v) : type(of), value(v) {}
  c_value(c_value&& other) noexcept : type(other.type), value(std::exchange(other.value, nullptr)) {}
  c_value(const c_value& other) : type(other.type), value(nullptr) {
    if (!type->copy) throw std::logic_error(std::string(type->name) + " has no copies");
    value = type->copy(other.value);
    if (!value) throw std::bad_alloc();
  }
  ~c_value() {
    if (value && type->free) type->free(value);
  }
};

std::ostream& operator<<(std::ostream& to, const c_value& v) {
  const char* const text = v.type->print ? v.type->print(v.value) : nullptr;
  return to << (text ? text : v.type->name);
}

struct field_type {
  const value_type* type;
  const weir_type* of_c = nullptr;
};

struct c_box {
  weir_box_function function;
  std::shared_ptr<void> data;
  std::vector<const label_info*> takes{};
  std::map<std::string, field_type, std::less<>> fields{};
};

// The inside of a weir_registry.
struct registry_for_c {
  registry& to;
  std::map<std::string, field_type, std::less<>> fields{};
  std::map<std::pair<void*, void (*)(void*)>, std::shared_ptr<void>> data{};
  std::shared_ptr<box_spec> last{};
  std::string mistake{};

  void declare(const char* field, field_type type) {
    if (!field) return note("a field is declared whose name is NULL");
    const auto [at, fresh] = fields.try_emplace(field, type);
    if (!fresh && (at->second.type != type.type || at->second.of_c != type.of_c))
      note("field " + std::string(field) + " has two types");
  }
  void note(const std::string& what) {
    if (mistake.empty()) mistake = what;
  }
  void finish_last() {
    if (last) to.add(make_box(std::move(last)));
    last.reset();
  }
  // A value that several boxes share ends once.
  std::shared_ptr<void> owned(void* with, void (*end)(void*)) {
    std::shared_ptr<void>& held = data[{with, end}];
    if (!held && end) held = std::shared_ptr<void>(with, end);
    return held ? held : std::shared_ptr<void>(std::shared_ptr<void>(), with);
  }
};

// The inside of a weir_call.
struct call_of_c {
  invocation* of = nullptr;  // null: it has returned
  const c_box* box = nullptr;
  std::vector<labelled_word> set{};
  std::exception_ptr thrown{};

  void drop() {
    for (const labelled_word& w : set)
      if (w.type && !w.type->inlined) let_go(w.word, *w.type);
    set.clear();
  }
  void fail(const std::string& why) {
    if (!thrown) thrown = std::make_exception_ptr(std::runtime_error(why));
  }

  const slot_word* taken(const char* name, label_kind kind, const value_type* type) {
    if (!name) return fail("the box asks for a label whose name is NULL"), nullptr;
    const std::uint64_t key = label_key(name, kind);
    for (std::size_t i = 0; i < box->takes.size(); ++i)
      if (box->takes[i]->key == key && box->takes[i]->type == type) return &of->taken(i);
    fail("the box asks for " + std::string(name) + ", which it does not take as such");
    return nullptr;
  }

  // Adds a word to the record to come. Nothing may be thrown through C.
  template <class Make>
  void put(const char* name, label_kind kind, const value_type* type, Make&& make) noexcept {
    try {
      if (!name) return fail("the box sets a label whose name is NULL");
      const char* const kept = kept_name(name);
      set.reserve(set.size() + 1);
      set.push_back({kept, label_key(kept, kind), kind, type, make()});
    } catch (...) {
      if (!thrown) thrown = kept_exception();
    }
  }
};

}  // namespace weir::detail::snet

struct weir_registry : weir::detail::snet::registry_for_c {};
struct weir_call : weir::detail::snet::call_of_c {};

namespace weir::detail::snet {
namespace {

struct thread_calls;
constinit thread_local thread_calls* calls = nullptr;  // null: the thread has had none, or has ended

// The calls of a thread. Calls that have returned are kept for a while, so that a box which uses one is found out.
struct thread_calls {
  std::vector<weir_call*> running;  // the innermost last: what a box emits may be taken by others before it returns
  std::deque<weir_call*> returned;  // the newest last
  std::deque<weir_call> all;

  ~thread_calls() { calls = nullptr; }
};
thread_local weir_registry* being_filled = nullptr;

class running_call {
 public:
  running_call(invocation& of, const c_box& box) : mine_(here()) {
    constexpr std::size_t kept = 16;
    if (mine_.returned.size() < kept) mine_.returned.push_front(&mine_.all.emplace_back());
    call_ = mine_.returned.front();
    mine_.running.push_back(call_);
    mine_.returned.pop_front();
    call_->of = &of;
    call_->box = &box;
  }
  ~running_call() {
    call_->drop();
    call_->thrown = nullptr;
    call_->of = nullptr;
    mine_.running.pop_back();
    mine_.returned.push_back(call_);
  }
  running_call(const running_call&) = delete;
  weir_call& call() { return *call_; }

 private:
  thread_calls& here() {
    if (!calls) calls = thread_memory<thread_calls>::here();
    if (!calls) calls = (own_ = std::make_unique<thread_calls>()).get();
    return *calls;
  }

  std::unique_ptr<thread_calls> own_;  // of the outermost call in a thread that has ended
  thread_calls& mine_;
  weir_call* call_;
};

// The call that a box gives, if it runs. Else null, and the call of this thread, if there is one, fails.
weir_call* checked(weir_call* given) {
  if (given && given->of) return given;
  if (calls && !calls->running.empty())
    calls->running.back()->fail(given ? "the box uses a call that has returned" : "the box gives NULL as its call");
  return nullptr;
}

// The same for a registry.
weir_registry* checked(weir_registry* given) {
  if (given && given == being_filled) return given;
  if (being_filled) being_filled->note("a registry is given that is not the one of weir_boxes_c");
  return nullptr;
}

bool call_c_box(void* callable, invocation& i) {
  const c_box& box = *static_cast<c_box*>(callable);
  running_call running(i, box);
  weir_call& call = running.call();
  box.function(&call, box.data.get());
  if (call.thrown) std::rethrow_exception(call.thrown);
  if (!call.set.empty()) throw std::logic_error("the box returned with a record that it did not emit");
  return false;
}
constexpr box_code code_of_c_box{&call_c_box, nullptr, false, false, false, {nullptr, 0}, {nullptr, 0}};

const slot_word* taken(weir_call* call, const char* name, label_kind kind, const value_type* type) {
  weir_call* const running = checked(call);
  return running ? running->taken(name, kind, type) : nullptr;
}

template <class T>
T scalar(weir_call* call, const char* name, label_kind kind, const value_type* type) {
  const slot_word* const word = taken(call, name, kind, type);
  return word ? word_as<T>(*word) : T{};
}

template <class Make>
void put(weir_call* call, const char* name, label_kind kind, const value_type* type, Make&& make) {
  if (weir_call* const running = checked(call)) running->put(name, kind, type, make);
}

void declare(weir_registry* boxes, const char* field, const value_type& type) {
  if (weir_registry* const filled = checked(boxes)) filled->declare(field, {&type});
}

// The labels of a declared record, with the types of the fields.
std::vector<const label_info*> labels_of(const weir_registry& boxes, const record_syntax& r) {
  std::vector<const label_info*> all;
  for (const label_syntax& l : r.labels) {
    const value_type* type = nullptr;
    if (l.kind == label_kind::field) {
      const auto at = boxes.fields.find(l.name);
      if (at == boxes.fields.end())
        throw type_error("field " + std::string(l.name) +
                         " has no type: call weir_field_int or another of these first");
      type = at->second.type;
    }
    all.push_back(intern(std::string(l.name).c_str(), {l.kind, type}));
  }
  return all;
}

std::shared_ptr<box_spec> spec_from(const weir_registry& boxes, const char* declaration) {
  const source_text text("declaration", declaration);
  fault_list faults;
  const module parsed = parse(text, faults);
  if (!faults.empty()) throw type_error(faults.to_string(text));
  if (parsed.definitions.size() != 1 || parsed.definitions.front().what != definition::box)
    throw type_error("expected the definition of one box, got: " + std::string(declaration));
  const definition& d = parsed.definitions.front();
  auto spec = std::make_shared<box_spec>();
  spec->name = std::string(d.name.text);
  spec->takes = labels_of(boxes, d.takes);
  for (const record_syntax& r : d.variants) {
    if (r.labels.size() > static_cast<std::size_t>(max_given))
      throw type_error("box " + spec->name + " gives more than " + std::to_string(max_given) +
                       " labels in one variant");
    spec->variants.push_back(labels_of(boxes, r));
  }
  spec->initialiser = d.is_initialiser;
  return spec;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void weir_field_int(weir_registry* boxes, const char* field) {
  declare(boxes, field, value_type_of<std::int64_t>);
}
[[gnu::visibility("default")]] void weir_field_double(weir_registry* boxes, const char* field) {
  declare(boxes, field, value_type_of<double>);
}
[[gnu::visibility("default")]] void weir_field_string(weir_registry* boxes, const char* field) {
  declare(boxes, field, value_type_of<std::string>);
}
[[gnu::visibility("default")]] void weir_field_value(weir_registry* boxes, const char* field, const weir_type* type) {
  weir_registry* const filled = checked(boxes);
  if (!filled) return;
  if (!type || !type->name)
    filled->note("field " + std::string(field ? field : "NULL") +
                 " is declared with a type that is NULL or has no name");
  else
    filled->declare(field, {type_of<c_value>(), type});
}

[[gnu::visibility("default")]] void weir_add_box(weir_registry* boxes, const char* declaration,
                                                 weir_box_function function, void* data, void (*end)(void*)) {
  weir_registry* const filled = checked(boxes);
  if (!filled) return;
  try {
    const auto box = std::make_shared<c_box>(c_box{function, filled->owned(data, end), {}, filled->fields});
    filled->finish_last();
    if (!declaration) throw type_error("a box is added whose declaration is NULL");
    const std::shared_ptr<box_spec> spec = spec_from(*filled, declaration);
    if (!function) throw type_error("box " + spec->name + " is added with a function that is NULL");
    box->takes = spec->takes;
    spec->callable = box;
    spec->code = &code_of_c_box;
    spec->identity = box.get();
    filled->last = spec;
  } catch (const std::exception& e) {
    filled->note(e.what());
  }
}

[[gnu::visibility("default")]] void weir_limit_width(weir_registry* boxes, int most) {
  weir_registry* const filled = checked(boxes);
  if (!filled) return;
  if (filled->last)
    filled->last->max_width = most;
  else
    filled->note("weir_limit_width: no box was added before");
}

[[gnu::visibility("default")]] int64_t weir_get_tag(weir_call* call, const char* tag) {
  return scalar<std::int64_t>(call, tag, label_kind::tag, nullptr);
}
[[gnu::visibility("default")]] int64_t weir_get_binding_tag(weir_call* call, const char* tag) {
  return scalar<std::int64_t>(call, tag, label_kind::binding_tag, nullptr);
}
[[gnu::visibility("default")]] int64_t weir_get_int(weir_call* call, const char* field) {
  return scalar<std::int64_t>(call, field, label_kind::field, type_of<std::int64_t>());
}
[[gnu::visibility("default")]] double weir_get_double(weir_call* call, const char* field) {
  return scalar<double>(call, field, label_kind::field, type_of<double>());
}
[[gnu::visibility("default")]] const char* weir_get_string(weir_call* call, const char* field) {
  const slot_word* const word = taken(call, field, label_kind::field, type_of<std::string>());
  return word ? word_as<std::string>(*word).c_str() : nullptr;
}
[[gnu::visibility("default")]] const void* weir_get_value(weir_call* call, const char* field) {
  const slot_word* const word = taken(call, field, label_kind::field, type_of<c_value>());
  if (!word) return nullptr;
  const c_value& v = word_as<c_value>(*word);
  const weir_type* const wanted = call->box->fields.find(std::string_view(field))->second.of_c;
  if (v.type == wanted || std::string_view(v.type->name) == wanted->name) return v.value;
  call->fail("field " + std::string(field) + " is " + v.type->name + ", and " + wanted->name + " is wanted");
  return nullptr;
}

[[gnu::visibility("default")]] void weir_set_tag(weir_call* call, const char* tag, int64_t value) {
  put(call, tag, label_kind::tag, nullptr, [&] { return static_cast<slot_word>(value); });
}
[[gnu::visibility("default")]] void weir_set_binding_tag(weir_call* call, const char* tag, int64_t value) {
  put(call, tag, label_kind::binding_tag, nullptr, [&] { return static_cast<slot_word>(value); });
}
[[gnu::visibility("default")]] void weir_set_int(weir_call* call, const char* field, int64_t value) {
  put(call, field, label_kind::field, type_of<std::int64_t>(), [&] { return make_word<std::int64_t>(value); });
}
[[gnu::visibility("default")]] void weir_set_double(weir_call* call, const char* field, double value) {
  put(call, field, label_kind::field, type_of<double>(), [&] { return make_word<double>(value); });
}
[[gnu::visibility("default")]] void weir_set_string(weir_call* call, const char* field, const char* value) {
  put(call, field, label_kind::field, type_of<std::string>(), [&] {
    if (!value) throw std::runtime_error("the box sets " + std::string(field) + " to a string that is NULL");
    return make_word<std::string>(value);
  });
}
[[gnu::visibility("default")]] void weir_set_value(weir_call* call, const char* field, void* value) {
  weir_call* const running = checked(call);
  if (!running) return;
  if (!field) return running->fail("the box sets a label whose name is NULL");
  const auto at = running->box->fields.find(std::string_view(field));
  if (at == running->box->fields.end() || !at->second.of_c)
    return running->fail("field " + std::string(field) + " was not declared by weir_field_value");
  if (!value) return running->fail("the box sets " + std::string(field) + " to a value that is NULL");
  running->put(field, label_kind::field, type_of<c_value>(),
               [&, owned = c_value(at->second.of_c, value)]() mutable { return make_word<c_value>(std::move(owned)); });
}

[[gnu::visibility("default")]] int weir_emit(weir_call* given) {
  weir_call* const call = checked(given);
  if (!call || call->thrown) return 1;
  try {
    record_body* const body = call->of->out->build(call->set.data(), call->set.size());
    call->set.clear();
    call->of->out->deliver(body);
    return 0;
  } catch (...) {
    call->thrown = kept_exception();
    call->drop();
    return 1;
  }
}

[[gnu::visibility("default")]] void weir_fail(weir_call* call, const char* message) {
  if (weir_call* const running = checked(call)) running->fail(message ? message : "the box gives no message");
}

}  // extern "C"

void add_c_boxes(registry& to, void* weir_boxes_c) {
  weir_registry boxes{{to}};
  struct filling {
    explicit filling(weir_registry& which) { being_filled = &which; }
    ~filling() { being_filled = nullptr; }
  } const now(boxes);
  reinterpret_cast<void (*)(weir_registry*)>(weir_boxes_c)(&boxes);
  if (boxes.mistake.empty()) boxes.finish_last();
  if (!boxes.mistake.empty()) throw std::runtime_error(boxes.mistake);
}

}  // namespace weir::detail::snet
