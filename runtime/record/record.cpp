#include <weir/record/record.hpp>

#include <weir/threads/primitives.hpp>
#include "runtime/record/cut_text.hpp"
#include "runtime/record/printed_value.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/record/words.hpp"
#include "runtime/threads/locks.hpp"
#include "runtime/threads/stack_room.hpp"
#include "runtime/threads/thread_memory.hpp"

#include <algorithm>
#include <locale>
#include <new>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace weir {
namespace detail {

void cannot_copy(const std::type_info& type) {
  throw std::logic_error(a_type(type) +
                         " cannot be copied, and cannot be moved out of one record while others share it");
}

record_body* make_body(const shape* s) {
  const int slots = s->size();
  void* memory = slots <= record_body::pooled_slots
                     ? pool::allocate()
                     : ::operator new(sizeof(record_body) + static_cast<std::size_t>(slots) * sizeof(slot_word));
  auto* body = static_cast<record_body*>(memory);
  body->shape = s;
  body->where = nullptr;
  body->order = nullptr;
  return body;
}

record_body* copy_body(const record_body& original) {
  const shape& s = *original.shape;
  record_body* copy = make_body(&s);
  for (int i = 0; i < s.size(); ++i) {
    copy->slots()[i] = original.slots()[i];
    if (i < s.boxed()) hold(copy->slots()[i]);
  }
  return copy;
}

void free_body(record_body* body) noexcept {
  if (body->shape->size() <= record_body::pooled_slots)
    pool::release(body);
  else
    ::operator delete(body);
}

void drop_body(record_body* body) noexcept {
  const shape& s = *body->shape;
  if (s.boxed() > 0) check_no_locks("values of a record end");
  for (int i = 0; i < s.boxed(); ++i) let_go(body->slots()[i], *s[i].type);
  leave_context(*body);
  free_body(body);
}

namespace {
threads::atomic<const context_functions*> context_counters{nullptr};
}  // namespace

// release pairs with the acquire below: a thread that holds a record with a context sees these functions.
void set_context_functions(const context_functions& of) noexcept {
  context_counters.store(&of, std::memory_order_release);
}

void share_context(const record_body& from, record_body& to) noexcept {
  if (from.where || from.order) return context_counters.load(std::memory_order_acquire)->share(from, to);
  to.where = nullptr;
  to.order = nullptr;
}

void leave_context(record_body& body) noexcept {
  if (body.where || body.order) context_counters.load(std::memory_order_acquire)->leave(body);
}

namespace {

// The shape that a sequence of labels makes, and the slot of each.
struct layout {
  std::vector<std::pair<std::uint64_t, const value_type*>> labels;
  const shape* made = nullptr;
  std::vector<int> slot;
};

layout layout_of(const labelled_word* words, std::size_t count) {
  layout fresh;
  std::vector<const label_info*> infos;
  for (std::size_t i = 0; i < count; ++i) {
    infos.push_back(words[i].info());
    fresh.labels.emplace_back(words[i].key, infos[i]->type);
  }
  fresh.made = shape::of(infos);
  for (std::size_t i = 0; i < count; ++i) fresh.slot.push_back(fresh.made->find(words[i].key));
  return fresh;
}

// Every thread remembers some layouts, since `send` and `record{..}` build the same few records again and again.
class known_layouts {
 public:
  const layout& of(const labelled_word* words, std::size_t count) {
    std::uint64_t hash = count;
    for (std::size_t i = 0; i < count; ++i) hash = hash * 31 + words[i].key;
    layout& l = all_[(hash ^ (hash >> 32)) & (remembered - 1)];
    const auto same = [&] {
      if (!l.made || l.labels.size() != count) return false;
      for (std::size_t i = 0; i < count; ++i)
        if (l.labels[i].first != words[i].key || l.labels[i].second != words[i].type) return false;
      return true;
    };
    return same() ? l : l = layout_of(words, count);
  }

 private:
  static constexpr std::size_t remembered =
      16;  // more call sites than a thread usually has; a power of two for the mask
  std::array<layout, remembered> all_;
};

record_body* body_with(const layout& l, const labelled_word* words, std::size_t count) {
  record_body* body = make_body(l.made);
  for (std::size_t i = 0; i < count; ++i) body->slots()[l.slot[i]] = words[i].word;
  return body;
}

// From one level of records in fields of records to the next less than 4 kB is taken.
constexpr std::size_t stack_below_a_level = std::size_t{16} << 10;

// In texts for people a value whose << throws prints as a type without <<, and so does one that no stack is left for.
std::string whole_text(const label_info& label, const slot_word& word) {
  if (label.type && !stack_room::has(stack_below_a_level)) return type_name(*label.type);
  try {
    return printed_value(label, word);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return type_name(*label.type);
  }
}

// The same, cut as messages cut it.
std::string beginning_of(const label_info& label, const slot_word& word) {
  if (!label.type || !label.type->print) return printed_value(label, word);
  cut_output text;
  try {
    label.type->print(text, word);
    return text.text();
  } catch (...) {
    stop_forced_unwind();
    return text.is_over() ? text.text() : type_name(*label.type);
  }
}

std::vector<int> printing_order(const shape& s) {
  std::vector<int> order(static_cast<std::size_t>(s.size()));
  for (int i = 0; i < s.size(); ++i) order[static_cast<std::size_t>(i)] = i;
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return std::tie(s[a].kind, s[a].name) < std::tie(s[b].kind, s[b].name); });
  return order;
}

}  // namespace

record_body* body_of(const labelled_word* words, std::size_t count) {
  known_layouts* const mine = thread_memory<known_layouts>::here();
  return mine ? body_with(mine->of(words, count), words, count) : body_with(layout_of(words, count), words, count);
}

// Each value has a stream of its own, so that a field's << cannot change flags, or leave half a text, for the others.
std::string printed_value(const label_info& label, const slot_word& word) {
  if (!label.type) return std::to_string(static_cast<std::int64_t>(word));
  if (!label.type->print) return type_name(*label.type);
  std::ostringstream text;
  text.imbue(std::locale::classic());
  try {
    label.type->print(text, word);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    throw std::runtime_error("field " + label.name + " of type " + type_name(*label.type) +
                             " cannot be printed: " + thrown_by("its operator<<"));
  }
  return std::move(text).str();
}

std::vector<std::pair<const label_info*, std::string>> printed_values(const record_body& body) {
  std::vector<std::pair<const label_info*, std::string>> all;
  for (const int i : printing_order(*body.shape)) {
    const label_info& label = (*body.shape)[i];
    all.emplace_back(&label, printed_value(label, body.slots()[i]));
  }
  return all;
}

std::string outline(const record_body& body) {
  std::string text = "{";
  for (const int i : printing_order(*body.shape)) {
    const label_info& label = (*body.shape)[i];
    text += (text.size() > 1 ? ", " : "") + weir::to_string(label);
    if (!label.type) text += "=" + printed_value(label, body.slots()[i]);
  }
  return text + "}";
}

std::string cut_text(const record_body& body) {
  constexpr std::size_t enough = 4096;  // bytes: a record of a hundred small values
  std::string text = "{";
  std::size_t left = static_cast<std::size_t>(body.shape->size());
  for (const int i : printing_order(*body.shape)) {
    if (text.size() > enough) return text + ", ... (" + std::to_string(left) + " labels more)}";
    const label_info& label = (*body.shape)[i];
    text += (text.size() > 1 ? ", " : "") + weir::to_string(label) + "=" + beginning_of(label, body.slots()[i]);
    --left;
  }
  return text + "}";
}

std::string to_string(const record_body& body) {
  std::string text = "{";
  for (const int i : printing_order(*body.shape)) {
    const label_info& label = (*body.shape)[i];
    text += (text.size() > 1 ? ", " : "") + weir::to_string(label) + "=" + whole_text(label, body.slots()[i]);
  }
  return text + "}";
}

}  // namespace detail

detail::record_body* record::release() && {
  return body_ ? std::exchange(body_, nullptr) : detail::make_body(detail::shape::empty());
}

std::vector<std::string> record::labels() const {
  std::vector<std::string> names;
  for (const int i : detail::printing_order(shape())) names.push_back(to_string(shape()[i]));
  return names;
}

void record::missing(const detail::label_info& label) const {
  const int other = shape().find(label.key);
  if (other >= 0)
    throw std::out_of_range("field '" + label.name + "' of the record " + detail::cut_text(*this) + " holds " +
                            detail::a_type(*shape()[other].type) + ", asked for was " + detail::a_type(*label.type));
  throw std::out_of_range("no label " + to_string(label) + " in the record " + detail::cut_text(*this));
}

std::string detail::cut_text(const record& r) { return r.body() ? cut_text(*r.body()) : "{}"; }
std::string to_string(const record& r) { return r.body_ ? detail::to_string(*r.body_) : "{}"; }
std::ostream& operator<<(std::ostream& to, const record& r) { return to << to_string(r); }

}  // namespace weir
