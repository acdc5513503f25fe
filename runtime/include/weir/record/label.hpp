#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <weir/record/is_view.hpp>
#include <weir/record/value_type.hpp>

namespace [[gnu::visibility("default")]] weir {

class expression;  // <weir/patterns/expression.hpp>

// The type of a field into which no box of the network looks, so that its C++ type does not matter. Patterns and
// filters with a field<opaque> take records whose field of that name has any type. They carry or rename the value as it
// is.
//
//   inline constexpr field<opaque> left{"left"}, right{"right"};
//   network pairs = star(sync({left}, {right}), pattern{left, right});
//
// There are no values of this type. Boxes cannot take or give such a field.
struct opaque {
  opaque() = delete;
};
template <>
struct codec<opaque> {};

// The three namespaces of labels. The same name may be used in each: `a`, `<a>` and `<#a>` are three different labels.
enum class label_kind : std::uint8_t { field, tag, binding_tag };

namespace detail {

struct computed_tag;  // what `tag = expression` gives: <weir/patterns/expression.hpp>

// The key by which the record path compares labels: 64-bit FNV-1a of the kind and the name. Equal keys mean equal
// names, since intern() refuses a name whose key another name already has.
constexpr std::uint64_t label_key(const char* name, label_kind kind) {
  std::uint64_t hash = (14695981039346656037ull ^ (static_cast<std::uint64_t>(kind) + 1)) * 1099511628211ull;
  for (; *name; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 1099511628211ull;
  return hash;
}

// A copy of the name, with a NUL behind it, that lives as long as the process. Equal names share one copy. Thread-safe.
// Throws type_error when the name contains a NUL.
const char* kept_name(std::string_view name);

[[noreturn]] const char* no_name();  // throws type_error

// The name of a label or a box as the user writes it, as a string that ends with NUL. A `const char*` is not copied:
// the literal or array must outlive everything that has this name. A std::string or string_view is copied by
// kept_name(). A constant cannot copy, so there a string_view must be a whole literal; others do not compile.
// A null pointer throws type_error.
struct given_name {
  constexpr given_name(const char* name) : text(name ? name : no_name()) {}
  constexpr given_name(std::string_view name) : text(std::is_constant_evaluated() ? whole(name) : kept_name(name)) {}
  given_name(const std::string& name) : text(kept_name(name)) {}
  const char* text;

 private:
  static constexpr const char* whole(std::string_view name) {
    return name.data()[name.size()] == 0 ? name.data() : throw "weir: a constant name is a whole literal";
  }
};

// A label of a signature, pattern or shape. There is one object for each kind, name and type, made by intern(). It
// lives as long as the process, so labels are compared by address.
struct label_info {
  std::string name;
  label_kind kind;
  const value_type* type;  // the process's own; null for tags
  std::uint64_t key;
};

// Whether a record with one of two labels of one name and kind fits where the other is wanted: they are the same, or
// fields of which one is opaque.
inline bool agree(const label_info* a, const label_info* b) {
  const value_type* const any = type_of<opaque>();
  return a == b || a->type == any || b->type == any;
}

// A label without its name.
struct label_sort {
  label_kind kind;
  const value_type* type;  // null for tags
};
struct label_sorts {  // of a list of labels
  const label_sort* of;
  std::size_t count;
};

// The label_info of this name, kind and type, made at the first call. Thread-safe. Throws type_error when the name is
// empty, or when another name has the same key.
const label_info* intern(const char* name, const label_sort& sort);

// Whether converting a number of type From to To may change its value. False for types that are not arithmetic.
template <class From, class To>
constexpr bool may_lose() {
  if constexpr (!std::is_arithmetic_v<From> || !std::is_arithmetic_v<To> || std::is_same_v<From, To>)
    return false;
  else if constexpr (std::is_same_v<To, bool> || (std::is_integral_v<To> && !std::is_integral_v<From>))
    return true;
  else
    return (std::is_signed_v<From> && !std::is_signed_v<To>) ||
           std::numeric_limits<From>::digits > std::numeric_limits<To>::digits;
}
template <class From, class To>
inline constexpr bool loses = may_lose<From, To>();

// Whether a field of type T takes such a value: T can be made of it, and no number is narrowed.
template <class T, class Value>
inline constexpr bool can_be_bound = std::is_constructible_v<T, Value&&> && !loses<std::remove_cvref_t<Value>, T>;

// The value of `field = value`: a value bound to a label. It refers to the value, so it is valid only within the same
// full expression.
template <class T, class Value>
struct field_binding {
  using value_type_tag = T;
  const char* name;
  std::uint64_t key;
  Value&& value;
  label_kind kind() const { return label_kind::field; }
  const value_type* type() const { return quick_type_of<T>(); }
  slot_word make() {
    if constexpr (can_be_bound<T, Value>)
      return make_word<T>(std::forward<Value>(value));
    else
      return 0;  // never runs: operator= refuses to compile this binding
  }
};

// The value of `tag = integer`.
struct tag_binding {
  const char* name;
  std::uint64_t key;
  label_kind which;
  std::int64_t value;
  label_kind kind() const { return which; }
  static const value_type* type() { return nullptr; }
  slot_word make() const { return static_cast<slot_word>(value); }
};

// The value of `field = field` for two fields of one type. In a filter the output has the value of `from` under
// `label`.
struct renamed_field {
  const label_info* label;
  const label_info* from;
};

// A label with a value, as record{..}, send(..) and emit(..) take it.
template <class B>
concept binding = requires(std::remove_cvref_t<B>& b) {
  { b.make() } -> std::same_as<slot_word>;
  { b.key } -> std::convertible_to<std::uint64_t>;
};

// Whether the value of a binding that is passed as B&& surely exists. A binding with a name refers to the value of
// another statement, which has ended unless the value has a name, too.
template <class B>
inline constexpr bool has_its_value = true;
template <class T, class Value>
requires(!std::is_reference_v<Value>) inline constexpr bool has_its_value<field_binding<T, Value>&> = false;
template <class T, class Value>
requires(!std::is_reference_v<Value>) inline constexpr bool has_its_value<const field_binding<T, Value>&> = false;

template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool>;

template <class T>
inline constexpr bool is_field = false;

struct unsaid_type {};  // for a message about a field without a type

// For a message about a tag's value.
template <class T>
inline constexpr bool is_no_integer = std::is_enum_v<T> || std::is_convertible_v<const T&, std::string_view>;

// For a message about a field in a guard. E is an expression, of which only the name is known here.
template <class E>
E compared_field() {
  static_assert(!std::is_same_v<E, expression>,
                "weir::field: coordination does not look into fields: guards and filters compute with tags; let a box "
                "give a tag that says what the guard asks");
  __builtin_unreachable();
}
struct compared {
  template <class V, class E = expression>
  friend E operator==(const compared&, const V&) {
    return compared_field<E>();
  }
  template <class V, class E = expression>
  friend E operator!=(const compared&, const V&) {
    return compared_field<E>();
  }
  template <class V, class E = expression>
  friend E operator<(const compared&, const V&) {
    return compared_field<E>();
  }
  template <class V, class E = expression>
  friend E operator>(const compared&, const V&) {
    return compared_field<E>();
  }
  template <class V, class E = expression>
  friend E operator<=(const compared&, const V&) {
    return compared_field<E>();
  }
  template <class V, class E = expression>
  friend E operator>=(const compared&, const V&) {
    return compared_field<E>();
  }
};

}  // namespace detail

// A field: the label of a value of C++ type T that boxes read and coordination does not look into. Declare a label
// once, as a constant:
//
//   inline constexpr field<Matrix> a{"a"}, b{"b"};
//
// Then `a = matrix` binds a value, in `record{..}`, `send(..)` and a box's `emit(..)`. In a filter `b = a` gives field
// b the value of field a.
//
// Values: T may be any type of objects without const or &, move-only ones included, except arrays and views. A view
// refers to an object that it does not own, which the record may outlive: `is_view` lists them, and has the way out. A
// box may still take a field<std::string> as std::string_view, and return one for it, which is copied.
//
// Records share a value instead of copying it, so several threads may read it at the same time. The thread that drops
// the last record of a value destroys it; the destructor must not throw. Trivially copyable values of up to 8 bytes are
// stored in the record itself.
//
// Numbers are not narrowed. Every value of the bound type must be a value of T, constants included: for a
// field<std::size_t> bind std::size_t{5} or std::size_t(x), not 5 or x. Others do not compile.
//
// Names: two fields of one name and one type are the same label. A literal or other array must outlive the label. A
// std::string or string_view is copied, once for the life of the process; it throws type_error when it contains a NUL.
// An empty name throws type_error at its first use in a record, pattern or network.
//
// Immutable: labels cannot be assigned to, and any thread may use them.
template <class T>
class field : public detail::compared {
  static_assert(!std::is_same_v<T, detail::unsaid_type>,
                "weir::field: say the type of its values: field<std::string> name{\"name\"}");
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "weir::field: give the plain type, without const or &");
  static_assert(std::is_reference_v<T> || (std::is_object_v<T> && !std::is_array_v<T>),
                "weir::field: a value is an object: neither void nor a function, and std::array instead of an array");
  static_assert(!is_view<std::remove_cvref_t<T>>,
                "weir::field: the type is a view of an object that it does not own, and a record may outlive that "
                "object: give std::string, std::vector or std::shared_ptr, or see weir::is_view");

 public:
  using type = T;  // of its values

  // A label of this name; see above for what a name may be.
  constexpr explicit field(detail::given_name name)
      : name_(name.text), key_(detail::label_key(name.text, label_kind::field)) {}
  field(const field&) = default;

  constexpr std::string_view name() const { return name_; }  // as it was given
  constexpr const char* c_str() const { return name_; }      // the same, ended by a NUL

  // The runtime knows a label by this key.
  constexpr std::uint64_t key() const { return key_; }
  static constexpr label_kind kind() { return label_kind::field; }
  static constexpr detail::label_sort sort() { return {label_kind::field, &value_type_of<T>}; }
  const detail::label_info* info() const { return detail::intern(name_, sort()); }

  // `a = b` in a filter: the value of the field b, under the name a.
  detail::renamed_field operator=(const field& from) const { return {info(), from.info()}; }

  // `a = x` binds a value, in a record or a call; it is moved where x is an rvalue. A number that may lose something
  // does not compile.
  template <class Value>
  requires(!std::same_as<std::remove_cvref_t<Value>, field>) detail::field_binding<T, Value>
  operator=(Value&& value) const {
    static_assert(!detail::is_field<std::remove_cvref_t<Value>>,
                  "weir::field: a field is renamed only to a field of the same type");
    static_assert(std::is_constructible_v<T, Value&&>,
                  "weir::field: the value bound to a field cannot be made into the field's type");
    static_assert(!detail::loses<std::remove_cvref_t<Value>, T>,
                  "weir::field: a number bound to a field may lose something: convert it, as in a = int(x)");
    return {name_, key_, std::forward<Value>(value)};
  }

 private:
  const char* name_;
  std::uint64_t key_;
};

template <class Name>
requires(std::is_convertible_v<Name, detail::given_name>) explicit field(Name)->field<detail::unsaid_type>;

namespace detail {

template <class T>
inline constexpr bool is_field<field<T>> = true;

// The common part of tag and btag.
template <label_kind Kind>
class integer_label {
 public:
  using type = std::int64_t;
  constexpr explicit integer_label(given_name name) : name_(name.text), key_(label_key(name.text, Kind)) {}
  integer_label(const integer_label&) = default;
  void operator=(const integer_label&) const = delete;  // tag and btag have their own, which computes

  constexpr std::string_view name() const { return name_; }
  constexpr const char* c_str() const { return name_; }
  constexpr std::uint64_t key() const { return key_; }
  static constexpr label_kind kind() { return Kind; }
  static constexpr label_sort sort() { return {Kind, nullptr}; }
  const label_info* info() const { return intern(name_, sort()); }

  // Binds an integer.
  template <class Value>
  requires(std::is_arithmetic_v<Value>) tag_binding operator=(Value value) const {
    static_assert(
        !loses<Value, std::int64_t>,
        "weir::tag: a tag is a std::int64_t: a floating-point value or an unsigned one of 64 bits may not fit; "
        "convert it, as in n = std::int64_t(x)");
    return {name_, key_, Kind, static_cast<std::int64_t>(value)};
  }
  template <class Value>
  requires(is_no_integer<Value>) tag_binding operator=(const Value&) const {
    static_assert(
        !is_no_integer<Value>,
        "weir::tag: a tag is a std::int64_t: convert an enumerator, as in n = std::int64_t(x), and give text to "
        "a field<std::string>");
    return {name_, key_, Kind, 0};
  }

 private:
  const char* name_;
  std::uint64_t key_;
};

}  // namespace detail

// A tag: the label of a std::int64_t that boxes and coordination can read. Guards, filters and split use it.
//
//   inline constexpr tag n{"n"};
//
// Then `n = 3` binds an integer, as for a field. In a filter `n = n + 1` computes one. Bound values may have any
// integer type except unsigned ones of 64 bits; convert those, as in n = std::int64_t(x). Floating-point values do not
// compile. Names and thread-safety are as for `field`.
class tag : public detail::integer_label<label_kind::tag> {
 public:
  using integer_label::integer_label;
  tag(const tag&) = default;

  // `n = 3` binds an integer; `n = n + 1` and `n = m` compute one, in a filter.
  using integer_label::operator=;
  detail::computed_tag operator=(const expression& value) const;
  detail::computed_tag operator=(const tag& value) const;
};

// A binding tag: a tag that binds a record to the entities that name it. A pattern, box or filter ignores further
// fields and tags of a record, but it matches only records that have exactly its binding tags. Binding tags are never
// inherited. All else is as for `tag`.
class btag : public detail::integer_label<label_kind::binding_tag> {
 public:
  using integer_label::integer_label;
  btag(const btag&) = default;

  // `n = 3` binds an integer; `n = n + 1` and `n = m` compute one, in a filter.
  using integer_label::operator=;
  detail::computed_tag operator=(const expression& value) const;
  detail::computed_tag operator=(const btag& value) const;
};

namespace detail {

template <class L>
inline constexpr bool is_label = is_field<L>;
template <>
inline constexpr bool is_label<tag> = true;
template <>
inline constexpr bool is_label<btag> = true;

template <class... L>
inline constexpr label_sort sorts_of[sizeof...(L) + 1] = {L::sort()...};  // + 1: an array may not be empty

}  // namespace detail

// `a`, `<n>` or `<#b>`: a label as S-Net's notation and weir's messages print it.
std::string to_string(const detail::label_info& label);

}  // namespace weir
