#include "runtime/snet/c_boxes.hpp"

#include <exception>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/network/box.hpp"
#include "runtime/record/errors.hpp"
#include "runtime/snet/parser.hpp"
#include "runtime/snet/source_text.hpp"

#define WEIR_BOX_WITHOUT_SYMBOL
#include "runtime/snet/weir_box.h"

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
  return to << (v.type->print ? v.type->print(v.value) : v.type->name);
}

struct field_type {
  const value_type* type;
  const weir_type* of_c = nullptr;
};

struct c_box {
  c_box(weir_box_function f, void* with, void (*at_end)(void*)) : function(f), data(with), end(at_end) {}
  c_box(const c_box&) = delete;
  ~c_box() {
    if (end) end(data);
  }
  const weir_box_function function;
  void* const data;
  void (*const end)(void*);
  std::vector<const label_info*> takes{};
  std::map<std::string, field_type, std::less<>> fields{};
};

}  // namespace weir::detail::snet

using namespace weir;
using namespace weir::detail;
using weir::detail::snet::c_box, weir::detail::snet::c_value, weir::detail::snet::field_type;

struct weir_registry {
  registry& to;
  std::map<std::string, field_type, std::less<>> fields{};
  std::shared_ptr<box_spec> last{};
  std::string mistake{};

  void declare(const char* field, field_type type) {
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
};

struct weir_call {
  invocation& of;
  const c_box& box;
  std::vector<labelled_word> set{};
  std::exception_ptr thrown{};

  ~weir_call() { drop(); }
  void drop() {
    for (const labelled_word& w : set)
      if (w.type && !w.type->inlined) let_go(w.word, *w.type);
    set.clear();
  }
  void fail(const std::string& why) {
    if (!thrown) thrown = std::make_exception_ptr(std::runtime_error(why));
  }

  const slot_word* taken(const char* name, label_kind kind, const value_type* type) {
    const std::uint64_t key = label_key(name, kind);
    for (std::size_t i = 0; i < box.takes.size(); ++i)
      if (box.takes[i]->key == key && box.takes[i]->type == type) return &of.taken(i);
    fail("the box asks for " + std::string(name) + ", which it does not take as such");
    return nullptr;
  }

  // Adds a word to the record to come. Nothing may be thrown through C.
  template <class Make>
  void put(const char* name, label_kind kind, const value_type* type, Make make) noexcept {
    try {
      const char* const kept = kept_name(name);
      set.reserve(set.size() + 1);
      set.push_back({kept, label_key(kept, kind), kind, type, make()});
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }
};

namespace {

bool call_c_box(void* callable, invocation& i) {
  const c_box& box = *static_cast<c_box*>(callable);
  weir_call call{i, box};
  box.function(&call, box.data);
  if (call.thrown) std::rethrow_exception(call.thrown);
  if (!call.set.empty()) throw std::logic_error("the box returned with a record that it did not emit");
  return false;
}
constexpr box_code code_of_c_box{&call_c_box, nullptr, false, false, {nullptr, 0}, {nullptr, 0}};

template <class T>
T scalar(weir_call* call, const char* name, label_kind kind, const value_type* type) {
  const slot_word* const word = call->taken(name, kind, type);
  return word ? word_as<T>(*word) : T{};
}

// The labels of a declared record, with the types of the fields.
std::vector<const label_info*> labels_of(const weir_registry& boxes, const snet::record_syntax& r) {
  std::vector<const label_info*> all;
  for (const snet::label_syntax& l : r.labels) {
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
  const snet::source_text text("declaration", declaration);
  snet::fault_list faults;
  const snet::module parsed = snet::parse(text, faults);
  if (!faults.empty()) throw type_error(faults.to_string(text));
  if (parsed.definitions.size() != 1 || parsed.definitions.front().what != snet::definition::box)
    throw type_error("expected the definition of one box, got: " + std::string(declaration));
  const snet::definition& d = parsed.definitions.front();
  auto spec = std::make_shared<box_spec>();
  spec->name = std::string(d.name.text);
  spec->takes = labels_of(boxes, d.takes);
  for (const snet::record_syntax& r : d.variants) {
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
  boxes->declare(field, {&value_type_of<std::int64_t>});
}
[[gnu::visibility("default")]] void weir_field_double(weir_registry* boxes, const char* field) {
  boxes->declare(field, {&value_type_of<double>});
}
[[gnu::visibility("default")]] void weir_field_string(weir_registry* boxes, const char* field) {
  boxes->declare(field, {&value_type_of<std::string>});
}
[[gnu::visibility("default")]] void weir_field_value(weir_registry* boxes, const char* field, const weir_type* type) {
  boxes->declare(field, {&value_type_of<c_value>, type});
}

[[gnu::visibility("default")]] void weir_add_box(weir_registry* boxes, const char* declaration,
                                                 weir_box_function function, void* data, void (*end)(void*)) {
  try {
    const auto box = std::make_shared<c_box>(function, data, end);
    box->fields = boxes->fields;
    boxes->finish_last();
    const std::shared_ptr<box_spec> spec = spec_from(*boxes, declaration);
    box->takes = spec->takes;
    spec->callable = box;
    spec->code = &code_of_c_box;
    spec->identity = box.get();
    boxes->last = spec;
  } catch (const std::exception& e) {
    boxes->note(e.what());
  }
}

[[gnu::visibility("default")]] void weir_limit_width(weir_registry* boxes, int most) {
  if (boxes->last)
    boxes->last->max_width = most;
  else
    boxes->note("weir_limit_width: no box was added before");
}

[[gnu::visibility("default")]] int64_t weir_get_tag(weir_call* call, const char* tag) {
  return scalar<std::int64_t>(call, tag, label_kind::tag, nullptr);
}
[[gnu::visibility("default")]] int64_t weir_get_binding_tag(weir_call* call, const char* tag) {
  return scalar<std::int64_t>(call, tag, label_kind::binding_tag, nullptr);
}
[[gnu::visibility("default")]] int64_t weir_get_int(weir_call* call, const char* field) {
  return scalar<std::int64_t>(call, field, label_kind::field, &value_type_of<std::int64_t>);
}
[[gnu::visibility("default")]] double weir_get_double(weir_call* call, const char* field) {
  return scalar<double>(call, field, label_kind::field, &value_type_of<double>);
}
[[gnu::visibility("default")]] const char* weir_get_string(weir_call* call, const char* field) {
  const slot_word* const word = call->taken(field, label_kind::field, &value_type_of<std::string>);
  return word ? word_as<std::string>(*word).c_str() : nullptr;
}
[[gnu::visibility("default")]] const void* weir_get_value(weir_call* call, const char* field) {
  const slot_word* const word = call->taken(field, label_kind::field, &value_type_of<c_value>);
  if (!word) return nullptr;
  const c_value& v = word_as<c_value>(*word);
  const weir_type* const wanted = call->box.fields.find(std::string_view(field))->second.of_c;
  if (v.type == wanted || std::string_view(v.type->name) == wanted->name) return v.value;
  call->fail("field " + std::string(field) + " is " + v.type->name + ", and " + wanted->name + " is wanted");
  return nullptr;
}

[[gnu::visibility("default")]] void weir_set_tag(weir_call* call, const char* tag, int64_t value) {
  call->put(tag, label_kind::tag, nullptr, [&] { return static_cast<slot_word>(value); });
}
[[gnu::visibility("default")]] void weir_set_binding_tag(weir_call* call, const char* tag, int64_t value) {
  call->put(tag, label_kind::binding_tag, nullptr, [&] { return static_cast<slot_word>(value); });
}
[[gnu::visibility("default")]] void weir_set_int(weir_call* call, const char* field, int64_t value) {
  call->put(field, label_kind::field, &value_type_of<std::int64_t>, [&] { return make_word<std::int64_t>(value); });
}
[[gnu::visibility("default")]] void weir_set_double(weir_call* call, const char* field, double value) {
  call->put(field, label_kind::field, &value_type_of<double>, [&] { return make_word<double>(value); });
}
[[gnu::visibility("default")]] void weir_set_string(weir_call* call, const char* field, const char* value) {
  call->put(field, label_kind::field, &value_type_of<std::string>, [&] { return make_word<std::string>(value); });
}
[[gnu::visibility("default")]] void weir_set_value(weir_call* call, const char* field, void* value) {
  const auto at = call->box.fields.find(std::string_view(field));
  if (at == call->box.fields.end() || !at->second.of_c)
    return call->fail("field " + std::string(field) + " was not declared by weir_field_value");
  call->put(field, label_kind::field, &value_type_of<c_value>,
            [&, owned = c_value(at->second.of_c, value)]() mutable { return make_word<c_value>(std::move(owned)); });
}

[[gnu::visibility("default")]] int weir_emit(weir_call* call) {
  if (call->thrown) return 1;
  try {
    record_body* const body = call->of.out->build(call->set.data(), call->set.size());
    call->set.clear();
    call->of.out->deliver(body);
    return 0;
  } catch (...) {
    call->thrown = std::current_exception();
    call->drop();
    return 1;
  }
}

[[gnu::visibility("default")]] void weir_fail(weir_call* call, const char* message) { call->fail(message); }

}  // extern "C"

namespace weir::detail::snet {

void add_c_boxes(registry& to, void* weir_boxes_c) {
  weir_registry boxes{to};
  reinterpret_cast<void (*)(weir_registry*)>(weir_boxes_c)(&boxes);
  if (boxes.mistake.empty()) boxes.finish_last();
  if (!boxes.mistake.empty()) throw std::runtime_error(boxes.mistake);
}

}  // namespace weir::detail::snet
