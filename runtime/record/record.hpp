#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "runtime/record/label.hpp"
#include "runtime/record/shape.hpp"

namespace [[gnu::visibility("default")]] weir {
namespace detail {

class [[gnu::visibility("hidden")]] scope;
class [[gnu::visibility("hidden")]] order_slot;

// A record as the runtime moves it: its shape, where in an unfolded network it is, then one word a label. Owned by
// whoever holds the pointer.
struct record_body {
  const detail::shape* shape;
  scope* where;       // the instance of a star or split it is in; null outside of all. Counted, as those around it
  order_slot* order;  // its position in the innermost ordered network around it, or the probe of its latency. Counted

  // shape->size() words follow the body in memory.
  slot_word* slots() { return reinterpret_cast<slot_word*>(this + 1); }
  const slot_word* slots() const { return reinterpret_cast<const slot_word*>(this + 1); }

  // The same slot by its place in bytes, which costs those who compile a box less than its number.
  static std::uint32_t offset_of(int slot) {
    return static_cast<std::uint32_t>(sizeof(record_body) + static_cast<std::size_t>(slot) * sizeof(slot_word));
  }
  slot_word& at_offset(std::uint32_t offset) {
    return *reinterpret_cast<slot_word*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  static constexpr int pooled_slots = static_cast<int>((pool::block_size - 3 * sizeof(void*)) / sizeof(slot_word));
};

record_body* make_body(const shape* s);               // slots are not yet written; it is nowhere
record_body* copy_body(const record_body& original);  // shares boxed fields; the copy is nowhere
void free_body(record_body* body) noexcept;           // the memory only: values and place have gone elsewhere
void drop_body(record_body* body) noexcept;           // the values too, and its place and position are given up

// Puts `to`, which is nowhere, where `from` is: as one more record there, or in its stead.
void share_context(const record_body& from, record_body& to) noexcept;
inline void move_context(record_body& from, record_body& to) noexcept {
  to.where = std::exchange(from.where, nullptr);
  to.order = std::exchange(from.order, nullptr);
}
void leave_context(record_body& body) noexcept;  // gives up place and position

// How places and positions are counted is known to what moves records. To be set before a record is anywhere.
struct context_functions {
  void (*share)(const record_body& from, record_body& to) noexcept;
  void (*leave)(record_body& body) noexcept;
};
void set_context_functions(const context_functions& of) noexcept;

struct drop_owned {
  void operator()(record_body* body) const noexcept { drop_body(body); }
};
using owned_body = std::unique_ptr<record_body, drop_owned>;

// A labelled word on its way into a record. Owns a boxed word until it is placed.
struct labelled_word {
  const char* name;
  std::uint64_t key;
  label_kind kind;
  const value_type* type;
  slot_word word;
  const label_info* info() const { return intern(name, {kind, type}); }
};

// Makes the words of bindings; those not placed are let go.
template <std::size_t N>
class word_list {
 public:
  word_list() = default;
  template <class... B>
  requires(sizeof...(B) == N && N > 0) explicit word_list(B&... bindings)
      : word_list() {  // whole from here on: if one throws, the others are let go
    (add(bindings), ...);
  }
  ~word_list() {
    for (std::size_t i = 0; i < count_; ++i)
      if (words_[i].type && !words_[i].type->inlined) let_go(words_[i].word, *words_[i].type);
  }
  word_list(const word_list&) = delete;
  word_list& operator=(const word_list&) = delete;

  const labelled_word* data() const { return words_.data(); }
  std::size_t size() const { return count_; }
  void placed() { count_ = 0; }

 private:
  template <class B>
  void add(B& b) {
    labelled_word& w = words_[count_];
    w.name = b.name, w.key = b.key, w.kind = b.kind(), w.type = b.type(), w.word = b.make();
    ++count_;
  }
  std::array<labelled_word, N ? N : 1> words_;
  std::size_t count_ = 0;
};

record_body* body_of(const labelled_word* words, std::size_t count);

}  // namespace detail

class record;

// `{a=1, by=L, <t>=3, <#k>=7}`: fields, tags, binding tags, each group sorted by name; a field prints by its own <<,
// else, and when that throws, as its type.
std::string to_string(const record& r);
std::ostream& operator<<(std::ostream& to, const record& r);

// A finite map from labels to values, as in S-Net: fields (any C++ value), tags and binding tags
// (64-bit integers). A value: a copy shares the field values and copies the tags. Not thread-safe, like any value;
// different records may be used by different threads at once even when they share fields.
class record {
 public:
  record() = default;

  // record{n = 3, a = matrix}. Throws type_error when a label stands twice.
  template <detail::binding... B>
  requires(sizeof...(B) > 0) record(B&&... bindings) {
    detail::word_list<sizeof...(B)> words(bindings...);
    body_ = detail::body_of(words.data(), words.size());
    words.placed();
  }

  record(const record& other) : body_(other.body_ ? detail::copy_body(*other.body_) : nullptr) {}
  record(record&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}  // leaves the empty record
  record& operator=(record other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~record() {
    if (body_) detail::drop_body(body_);
  }

  // True when the record has this label; for a field with a value of the label's type.
  template <class Label>
  bool contains(const Label& label) const {
    return slot(label) >= 0;
  }

  // The value under a label: `const T&` for a field, std::int64_t for tags. Throws std::out_of_range naming label and
  // record when there is none. The reference lives as long as the record.
  template <class T>
  const T& operator[](const field<T>& label) const {
    const int s = slot(label);
    if (s < 0) missing(*label.info());
    return detail::word_as<T>(body_->slots()[s]);
  }
  std::int64_t operator[](const tag& label) const { return integer(label); }
  std::int64_t operator[](const btag& label) const { return integer(label); }

  // The labels as they print: fields, tags, binding tags, each group sorted by name.
  std::vector<std::string> labels() const;

  // For the runtime: gives the body up (never null) / takes one over.
  detail::record_body* release() &&;
  static record adopt(detail::record_body* body) { return record(body); }
  const detail::shape& shape() const { return body_ ? *body_->shape : *detail::shape::empty(); }

 private:
  explicit record(detail::record_body* body) : body_(body) {}

  template <class Label>
  int slot(const Label& label) const {
    const int s = body_ ? body_->shape->find(label.key()) : -1;
    if (s < 0) return s;
    if constexpr (Label::kind() == label_kind::field)
      if ((*body_->shape)[s].type != &value_type_of<typename Label::type>) return -1;
    return s;
  }
  template <class Label>
  std::int64_t integer(const Label& label) const {
    const int s = slot(label);
    if (s < 0) missing(*label.info());
    return static_cast<std::int64_t>(body_->slots()[s]);
  }
  [[noreturn]] void missing(const detail::label_info& label) const;

  detail::record_body* body_ = nullptr;  // null: the empty record

  friend std::string to_string(const record& r);
};

namespace detail {

std::string to_string(const record_body& body);

// A body that is shown as a record meanwhile; it stays its owner's.
struct lent_record {
  explicit lent_record(record_body* body) : shown(record::adopt(body)) {}
  ~lent_record() { std::move(shown).release(); }
  lent_record(const lent_record&) = delete;
  record shown;
};

}  // namespace detail

}  // namespace weir
