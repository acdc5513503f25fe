#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weir/record/label.hpp>
#include <weir/record/shape.hpp>

namespace [[gnu::visibility("default")]] weir {
namespace detail {

class [[gnu::visibility("hidden")]] scope;
class [[gnu::visibility("hidden")]] order_slot;

// A record as the runtime moves it: its shape, its context in a running network, then one word per label. The holder of
// the pointer owns the body. The context is the pair of `where` and `order`; a body outside of networks has none.
struct record_body {
  const detail::shape* shape;
  scope* where;       // the innermost star or split instance it is in, or null; counted, as are those around it
  order_slot* order;  // its position in the innermost ordered network around it, or its latency probe; counted

  // shape->size() words follow the body in memory.
  slot_word* slots() { return reinterpret_cast<slot_word*>(this + 1); }
  const slot_word* slots() const { return reinterpret_cast<const slot_word*>(this + 1); }

  // A slot as an offset in bytes from the body. Boxes use it: it compiles faster than a slot's number.
  static std::uint32_t offset_of(int slot) {
    return static_cast<std::uint32_t>(sizeof(record_body) + static_cast<std::size_t>(slot) * sizeof(slot_word));
  }
  slot_word& at_offset(std::uint32_t offset) {
    return *reinterpret_cast<slot_word*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  // A body with more slots than this has memory of its own instead of a block of the pool.
  static constexpr int pooled_slots = static_cast<int>((pool::block_size - 3 * sizeof(void*)) / sizeof(slot_word));
};

// All of these throw std::bad_alloc, unless noexcept. Bodies may be made, copied and dropped by any thread.
record_body* make_body(const shape* s);               // slots are not yet written; no context
record_body* copy_body(const record_body& original);  // shares boxed fields; the copy has no context
void free_body(record_body* body) noexcept;           // the memory only; values and context were moved elsewhere
void drop_body(record_body* body) noexcept;           // lets go of the values and leaves the context, too

// Gives `to`, which has no context, the context of `from`: as one more record there, or in place of `from`.
void share_context(const record_body& from, record_body& to) noexcept;
inline void move_context(record_body& from, record_body& to) noexcept {
  to.where = std::exchange(from.where, nullptr);
  to.order = std::exchange(from.order, nullptr);
}
void leave_context(record_body& body) noexcept;  // gives up the holds on scope and position

// How scopes and positions are counted. streams/ sets these functions before any record has a context.
struct context_functions {
  void (*share)(const record_body& from, record_body& to) noexcept;
  void (*leave)(record_body& body) noexcept;
};
void set_context_functions(const context_functions& of) noexcept;

struct drop_owned {
  void operator()(record_body* body) const noexcept { drop_body(body); }
};
using owned_body = std::unique_ptr<record_body, drop_owned>;

// A label and its value on the way into a record. A boxed word belongs to the word_list until the record has it.
struct labelled_word {
  const char* name;
  std::uint64_t key;
  label_kind kind;
  const value_type* type;
  slot_word word;
  const label_info* info() const { return intern(name, {kind, type}); }
};

// Makes the words of bindings. Its destructor lets go of the boxed ones, unless placed() said that a record has them.
template <std::size_t N>
class word_list {
 public:
  word_list() {}  // as a defaulted one it would first clear all words, which takes longer than to write them
  template <class... B>
  requires(sizeof...(B) == N && N > 0) explicit word_list(B&... bindings)
      : word_list() {  // complete from here on: if a binding throws, the destructor lets go of the others
    std::size_t at = 0;
    ((write(bindings, words_[at]), count_ = ++at), ...);
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
  static void write(B& b, labelled_word& w) {
    w.name = b.name;
    w.key = b.key;
    w.kind = b.kind();
    w.type = b.type();
    w.word = b.make();
  }
  std::array<labelled_word, N ? N : 1> words_;
  std::size_t count_ = 0;
};

record_body* body_of(const labelled_word* words, std::size_t count);

}  // namespace detail

class record;

// The record as text, `{a=1, by=L, <t>=3, <#k>=7}`: fields, tags, binding tags, each group sorted by name. A field
// prints by operator<< of its type. It prints as its type's name when there is no such operator, or when that throws.
std::string to_string(const record& r);
std::ostream& operator<<(std::ostream& to, const record& r);

// A record: a finite map from labels to values, as in S-Net. Labels are fields (any C++ value), tags and binding tags
// (64-bit integers). Records are what networks take and give:
//
//   run.send(record{n = 3, a = matrix});                 // or run.send(n = 3, a = matrix)
//   for (const record& r : run) use(r[c], r[n]);
//
// A value type: a copy copies the tags and shares the field values, which cannot be changed through a record. A copied
// record outlives the run that it came from.
//
// One record is not thread-safe, like any value. Different records may be used by different threads at the same time,
// even when they share field values. The thread that drops the last record with a value destroys the value.
class record {
 public:
  record() = default;  // without labels

  // record{n = 3, a = matrix}. Values are copied into the record, or moved when they are rvalues. Throws type_error
  // when a label stands twice, or one field name with two types.
  template <detail::binding... B>
  requires(sizeof...(B) > 0) record(B&&... bindings) {
    static_assert((detail::has_its_value<B> && ...),
                  "weir::field: a named binding refers to a value that may have ended: write a = x in the call, or "
                  "pass it by std::forward");
    detail::word_list<sizeof...(B)> words(bindings...);
    body_ = detail::body_of(words.data(), words.size());
    words.placed();
  }

  // Copies and moves as said above: a copy shares the field values.
  record(const record& other) : body_(other.body_ ? detail::copy_body(*other.body_) : nullptr) {}
  record(record&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}  // leaves the empty record
  record& operator=(record other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~record() {
    if (body_) detail::drop_body(body_);
  }

  // True when the record has this label. A field must also hold a value of exactly the label's C++ type.
  template <class Label>
  bool contains(const Label& label) const {
    return slot(label) >= 0;
  }

  // The value under a label: `const T&` for a field, std::int64_t for tags. Throws std::out_of_range, naming label and
  // record, when contains(label) is false. The reference is valid until the record is assigned to, moved from or
  // destroyed.
  template <class T>
  const T& operator[](const field<T>& label) const {
    const int s = slot(label);
    if (s < 0) missing(*label.info());
    return detail::word_as<T>(body_->slots()[s]);
  }
  std::int64_t operator[](const tag& label) const { return integer(label); }
  std::int64_t operator[](const btag& label) const { return integer(label); }

  // Takes the value of a field out: moved when no other record shares it, copied otherwise. The label stays, with what
  // a moved-from T is. Throws std::out_of_range as operator[] does, and std::logic_error when the value is shared and T
  // cannot be copied.
  template <class T>
  T take(const field<T>& label) {
    const int s = slot(label);
    if (s < 0) missing(*label.info());
    return detail::taken_out<T>(body_->slots()[s]);
  }

  // The labels as they print: fields, tags, binding tags, each group sorted by name.
  std::vector<std::string> labels() const;

  // For the runtime. release() gives the body up, which is never null; adopt() takes one over.
  detail::record_body* release() &&;
  static record adopt(detail::record_body* body) { return record(body); }
  const detail::record_body* body() const { return body_; }  // null: the empty record
  const detail::shape& shape() const { return body_ ? *body_->shape : *detail::shape::empty(); }

 private:
  explicit record(detail::record_body* body) : body_(body) {}

  template <class Label>
  int slot(const Label& label) const {
    const int s = body_ ? body_->shape->find(label.key()) : -1;
    if (s < 0) return s;
    if constexpr (Label::kind() == label_kind::field)
      if ((*body_->shape)[s].type != detail::quick_type_of<typename Label::type>())
        return (*body_->shape)[s].type == detail::type_of<typename Label::type>() ? s : -1;
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

// Whether one argument is given, which is or becomes a record.
template <class... T>
concept is_record = sizeof...(T) == 1 && (std::is_convertible_v<T, record> && ...);

std::string to_string(const record_body& body);
// The same for errors and messages: of each value the beginning (cut_text.hpp), and of many labels the first.
std::string cut_text(const record_body& body);
std::string cut_text(const record& r);
// The same without the values of fields: a name stands for each, "{a, <t>=3}". For a record whose fields another thread
// may be changing.
std::string outline(const record_body& body);

// Its labels and the texts of their values, in the order in which they print.
std::vector<std::pair<const label_info*, std::string>> printed_values(const record_body& body);

// Shows a body as a record while it exists. The body keeps its owner.
struct lent_record {
  explicit lent_record(record_body* body) : shown(record::adopt(body)) {}
  ~lent_record() { std::move(shown).release(); }
  lent_record(const lent_record&) = delete;
  record shown;
};

}  // namespace detail

}  // namespace weir
