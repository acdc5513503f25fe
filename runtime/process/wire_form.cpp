#include "runtime/process/wire_form.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include <weir/process/shared_array.hpp>
#include <weir/record/errors.hpp>
#include <weir/record/wire.hpp>
#include "runtime/process/shared_memory.hpp"
#include "runtime/record/thrown.hpp"
#include "runtime/record/words.hpp"

namespace weir::detail::processes {

// A type shared_array<..>.
struct shared_access {
  const std::type_info* type;
  std::shared_ptr<memory_file> (*file)(const slot_word& slot);  // null: it has no elements
  slot_word (*adopt)(const std::size_t* dimensions, const arrived_block& block);
};

namespace {

using blocks_of_message = std::span<const arrived_block>;

struct element_facts {
  const char* name;
  std::size_t size;
};
constexpr std::array<element_facts, 11> elements{{{"bytes", 1},
                                                  {"int8", 1},
                                                  {"int16", 2},
                                                  {"int32", 4},
                                                  {"int64", 8},
                                                  {"uint8", 1},
                                                  {"uint16", 2},
                                                  {"uint32", 4},
                                                  {"uint64", 8},
                                                  {"float32", 4},
                                                  {"float64", 8}}};

bool is_signed(element_sort sort) { return sort >= element_sort::int8 && sort <= element_sort::int64; }
bool is_floating(element_sort sort) { return sort >= element_sort::float32; }

template <class... Number>
std::optional<element_sort> number_among(const std::type_info& type) {
  std::optional<element_sort> found;
  static_cast<void>(((type == typeid(Number) && (found = sort_of_element<Number>(), true)) || ...));
  return found;
}
std::optional<element_sort> number_of(const std::type_info& type) {
  return number_among<char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                      long long, unsigned long long, float, double>(type);
}

// JSON has no numbers that are not finite, and reads one without point and exponent as an integer.
void append_real(std::string& to, double x) {
  if (std::isnan(x)) {
    to += std::signbit(x) ? "\"-nan\"" : "\"nan\"";
  } else if (std::isinf(x)) {
    to += x < 0 ? "\"-inf\"" : "\"inf\"";
  } else {
    std::array<char, 32> text;
    const std::string_view written(text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr);
    to += written;
    if (written.find_first_of(".e") == std::string_view::npos) to += ".0";
  }
}

std::optional<double> not_finite(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "-nan") return -std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::int64_t extended(slot_word slot, std::size_t size) {
  const int unused = static_cast<int>(64 - 8 * size);
  return static_cast<std::int64_t>(slot << unused) >> unused;
}
slot_word cut_to(slot_word slot, std::size_t size) {
  return size == 8 ? slot : slot & ((slot_word{1} << 8 * size) - 1);
}

std::string quoted_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template <class A>
constexpr shared_access access_of{
    &typeid(A),
    [](const slot_word& slot) { return std::static_pointer_cast<memory_file>(word_as<A>(slot).part().file); },
    [](const std::size_t* dimensions, const arrived_block& block) {
      typename A::shape_type shape{};
      for (std::size_t& d : shape) d = *dimensions++;
      // Never written: the file is shared.
      auto* const data = const_cast<std::byte*>(block.bytes.data());
      return make_word<A>(shape, shared_part{block.file, data, block.bytes.size()});
    }};

template <class... E>
const shared_access* access_among(const std::type_info& type) {
  const shared_access* found = nullptr;
  const auto is = [&](const shared_access& one) { return *one.type == type && (found = &one, true); };
  static_cast<void>(
      ((is(access_of<shared_array<E, 1>>) || is(access_of<shared_array<E, 2>>) || is(access_of<shared_array<E, 3>>)) ||
       ...));
  return found;
}
const shared_access* access_to(const std::type_info& type) {
  return access_among<std::byte, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                      unsigned long, long long, unsigned long long, float, double>(type);
}

bool is_any_of(const std::string& wider, const std::string& type, bool integer, bool floating, bool array) {
  return wider == type || wider == "any" || (wider == "int" && integer) || (wider == "float" && floating) ||
         (wider == "array" && array);
}

}  // namespace

const char* name_of(element_sort sort) { return elements[static_cast<std::size_t>(sort)].name; }
std::size_t size_of(element_sort sort) { return elements[static_cast<std::size_t>(sort)].size; }

wire_form::wire_form(const label_info& label) : label_(label) {
  if (label.kind != label_kind::field) {
    form_ = form::integer;
    type_ = label.kind == label_kind::tag ? "tag" : "binding tag";
    return;
  }
  const value_type& type = *label.type;
  if (const auto number = number_of(*type.type)) {
    form_ = is_floating(*number) ? form::floating : form::integer;
    number_ = *number;
    type_ = name_of(*number);
  } else if (*type.type == typeid(bool)) {
    form_ = form::boolean;
    type_ = "bool";
  } else if (*type.type == typeid(std::string)) {
    form_ = form::text;
    type_ = "string";
  } else if (*type.type == typeid(std::filesystem::path)) {
    form_ = form::path;
    type_ = "path";
  } else if (type.array) {
    form_ = form::array;
    number_ = type.array->element;
    shared_ = access_to(*type.type);
    type_ = name_of(number_);
    if (number_ != element_sort::byte || type.array->dimensions > 1)
      type_ += '[' + std::string(type.array->dimensions - 1, ',') + ']';
  } else if (type.codec) {
    form_ = form::codec;
    type_ = "C++ " + type_name(type) + " of " + std::to_string(type.size) + " bytes";
  } else {
    throw type_error("field " + label.name + " of type " + type_name(type) +
                     " cannot go to another process: it is no number, text, path or bytes, and has neither an "
                     "array_layout nor a codec");
  }
}

std::string wire_form::as_json() const {
  return "{\"name\":" + quoted_json(label_.name) + ",\"type\":" + quoted_json(type_) + '}';
}

std::string wire_form::mismatch(const json_value& other) const {
  const auto member = [&](const char* name) -> std::string {
    const auto found = other.find(name);
    return found ? found->text().value_or("") : "";
  };
  const std::string name = member("name"), type = member("type");
  if (name != label_.name) return '"' + name.substr(0, 100) + "\" where " + weir::to_string(label_) + " is expected";
  const bool is_field = label_.kind == label_kind::field;
  if (is_any_of(type, type_, is_field && form_ == form::integer, form_ == form::floating, form_ == form::array))
    return "";
  return weir::to_string(label_) + " of type \"" + type.substr(0, 100) + "\", and here it is \"" + type_ + '"';
}

void wire_form::refuse(const std::string& why) const { throw protocol_error(weir::to_string(label_) + ": " + why); }

void wire_form::write(const slot_word& slot, message_writer& to) const {
  to.next_value();
  std::string& head = to.head();
  switch (form_) {
    case form::integer:
      if (is_signed(number_))
        append_number(head, extended(slot, size_of(number_)));
      else
        append_number(head, cut_to(slot, size_of(number_)));
      return;
    case form::boolean:
      head += word_as<bool>(slot) ? "true" : "false";
      return;
    case form::floating:
      append_real(head,
                  number_ == element_sort::float32 ? static_cast<double>(word_as<float>(slot)) : word_as<double>(slot));
      return;
    case form::text:
    case form::path: {
      const std::string& text =
          form_ == form::text ? word_as<std::string>(slot) : word_as<std::filesystem::path>(slot).native();
      head += '[';
      append_number(head, to.block(std::as_bytes(std::span(text))));
      head += ']';
      return;
    }
    case form::array:
      return write_array(slot, to);
    case form::codec:
      return write_codec(slot, to);
  }
}

void wire_form::write_array(const slot_word& slot, message_writer& to) const {
  const slot_array& array = *label_.type->array;
  std::array<std::size_t, max_dimensions> shape{};
  array.shape(slot, shape.data());
  std::size_t count = 1;
  for (std::size_t d = 0; d < array.dimensions; ++d) count *= shape[d];
  const auto* const data = static_cast<const std::byte*>(array.data(slot));
  std::string& head = to.head();
  head += '[';
  append_number(head, to.block({data, count * size_of(number_)}, shared_ ? shared_->file(slot) : nullptr));
  head += ",\"";
  head += name_of(number_);
  head += '"';
  for (std::size_t d = 0; d < array.dimensions; ++d) {
    head += ',';
    append_number(head, shape[d]);
  }
  head += ']';
}

// A block with the codec's head, and then those that it wrote.
void wire_form::write_codec(const slot_word& slot, message_writer& to) const {
  wire_writer value;
  try {
    label_.type->codec->write(value, slot);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    throw std::runtime_error(thrown_by(codec_of(label_)));
  }
  std::string& head = to.head();
  head += '[';
  append_number(head, to.block(std::move(value.head())));
  head += ',';
  append_number(head, value.blocks().size());
  head += ']';
  for (const auto b : value.blocks()) to.block(b);
}

const arrived_block& wire_form::block(const json_value& value, blocks_of_message blocks) const {
  const auto number = value.is() == json_value::sort::list && value.size() > 0 ? value[0].natural() : std::nullopt;
  if (!number) refuse("expected [block, ..]");
  if (*number >= blocks.size()) refuse("there is no block " + std::to_string(*number));
  return blocks[*number];
}

slot_word wire_form::read(const json_value& value, blocks_of_message blocks) const {
  const auto as_text = [&] {
    const auto b = block(value, blocks).bytes;
    return std::string(reinterpret_cast<const char*>(b.data()), b.size());
  };
  switch (form_) {
    case form::integer: {
      const std::size_t size = size_of(number_);
      const auto signed_one = value.integer();
      const auto natural = value.natural();
      if (!signed_one && !natural) refuse("expected an integer, got " + std::string(value.raw().substr(0, 40)));
      const bool fits = is_signed(number_)
                            ? signed_one && extended(static_cast<slot_word>(*signed_one), size) == *signed_one
                            : natural && cut_to(*natural, size) == *natural;
      if (!fits) refuse(std::string(value.raw()) + " does not fit " + name_of(number_));
      return cut_to(signed_one ? static_cast<slot_word>(*signed_one) : *natural, size);
    }
    case form::boolean: {
      const auto b = value.boolean();
      if (!b) refuse("expected true or false");
      return make_word<bool>(*b);
    }
    case form::floating: {
      std::optional<double> x = value.number();
      if (!x && value.is() == json_value::sort::text) x = not_finite(*value.text());
      if (!x) refuse("expected a number, or \"inf\", \"-inf\" or \"nan\"");
      return number_ == element_sort::float32 ? make_word<float>(static_cast<float>(*x)) : make_word<double>(*x);
    }
    case form::text:
      return make_word<std::string>(as_text());
    case form::path:
      return make_word<std::filesystem::path>(as_text());
    case form::array:
      return read_array(value, blocks);
    case form::codec:
      return read_codec(value, blocks);
  }
  __builtin_unreachable();
}

slot_word wire_form::read_array(const json_value& value, blocks_of_message blocks) const {
  const slot_array& array = *label_.type->array;
  const arrived_block& came = block(value, blocks);
  auto bytes = came.bytes;
  if (value.size() != 2 + array.dimensions || value[1].text() != name_of(number_))
    refuse("expected [block, \"" + std::string(name_of(number_)) + "\", ..] of " + std::to_string(array.dimensions) +
           " dimensions");
  std::array<std::size_t, max_dimensions> shape{};
  std::size_t count = 1;
  for (std::size_t d = 0; d < array.dimensions; ++d) {
    const auto n = value[2 + d].natural();
    if (!n) refuse("a dimension is no number of 0 or more");
    shape[d] = *n;
    if (__builtin_mul_overflow(count, shape[d], &count)) refuse("its shape is larger than all memory");
  }
  std::size_t size = 0;
  if (__builtin_mul_overflow(count, size_of(number_), &size) || size != bytes.size())
    refuse("its shape has " + std::to_string(count) + " elements, and its block " + std::to_string(bytes.size()) +
           " bytes");
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(number_) == 0;
  if (shared_ && came.file && is_aligned) return shared_->adopt(shape.data(), came);
  return array.make(
      shape.data(),
      [](void* context, void* to) {
        const auto& from = *static_cast<const std::span<const std::byte>*>(context);
        if (!from.empty()) std::memcpy(to, from.data(), from.size());
      },
      &bytes);
}

slot_word wire_form::read_codec(const json_value& value, blocks_of_message blocks) const {
  const auto shared = block(value, blocks).bytes;
  const auto number = value.size() == 2 ? value[1].natural() : std::nullopt;
  if (!number) refuse("expected [block, number of blocks]");
  const std::uint64_t first = *value[0].natural() + 1, count = *number;
  if (count > blocks.size() - first) refuse("it has more blocks than came");
  const std::vector<std::byte> head(shared.begin(), shared.end());  // which the other side cannot change
  std::vector<std::size_t> sizes;
  for (std::uint64_t i = 0; i < count; ++i) sizes.push_back(blocks[first + i].bytes.size());
  wire_reader from(head, sizes);
  slot_word made = 0;
  try {
    made = label_.type->codec->read(from);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    throw std::runtime_error(thrown_by(codec_of(label_)));
  }
  if (!from.rest().empty() || from.places().size() != count) {
    if (!label_.type->inlined) let_go(made, *label_.type);
    refuse("its codec read fewer bytes or blocks than it wrote");
  }
  for (std::uint64_t i = 0; i < count; ++i)
    if (!from.places()[i].empty()) std::memcpy(from.places()[i].data(), blocks[first + i].bytes.data(), sizes[i]);
  return made;
}

read_values::~read_values() {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (const value_type* const type = forms_[i].label().type; type && !type->inlined) let_go(words_[i], *type);
}

void read_values::read(const json_value& values, blocks_of_message blocks) {
  if (values.is() != json_value::sort::list) throw protocol_error("the values of a record are no list");
  if (values.size() != forms_.size())
    throw protocol_error(std::to_string(values.size()) + " values, expected " + std::to_string(forms_.size()));
  words_.reserve(forms_.size());
  values.each([&](const json_value& one) { words_.push_back(forms_[words_.size()].read(one, blocks)); });
}

}  // namespace weir::detail::processes
