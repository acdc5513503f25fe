#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weir/record/label.hpp>
#include <weir/record/value_type.hpp>
#include "runtime/process/message.hpp"

namespace weir::detail::processes {

struct shared_access;

// How the values of one label go to a worker and come back. Immutable.
class wire_form {
 public:
  // Throws type_error for a field whose type does not travel: it is no number, text, path or array, and has no codec.
  explicit wire_form(const label_info& label);

  const label_info& label() const { return label_; }

  // The label as a greeting has it: {"name":"image","type":"uint8[,]"}.
  std::string as_json() const;

  // The reason why a label with the description of the peer is incompatible with this one; empty if it is compatible.
  std::string mismatch(const json_value& other) const;

  // Appends the value to the values of a message. The slot must stay until the message is sent. Throws what codecs and
  // layouts throw.
  void write(const slot_word& slot, message_writer& to) const;

  // The value as a slot; a boxed one has one holder. Throws protocol_error, naming the label, when it is none, and what
  // codecs and layouts throw.
  slot_word read(const json_value& value, std::span<const arrived_block> blocks) const;

 private:
  enum class form : std::uint8_t { integer, boolean, floating, text, path, array, codec };

  [[noreturn]] void refuse(const std::string& why) const;
  const arrived_block& block(const json_value& value, std::span<const arrived_block> blocks) const;
  void write_array(const slot_word& slot, message_writer& to) const;
  void write_codec(const slot_word& slot, message_writer& to) const;
  slot_word read_array(const json_value& value, std::span<const arrived_block> blocks) const;
  slot_word read_codec(const json_value& value, std::span<const arrived_block> blocks) const;

  const label_info& label_;
  form form_;
  const shared_access* shared_ = nullptr;      // of a shared_array
  element_sort number_ = element_sort::int64;  // of an integer or floating-point field
  std::string type_;                           // its name in the protocol
};

// Slots on their way to a record. They end with this unless a record has them.
class read_values {
 public:
  explicit read_values(std::span<const wire_form> forms) : forms_(forms) {}
  ~read_values();
  read_values(const read_values&) = delete;

  // Reads all values of a message. Throws as wire_form::read does.
  void read(const json_value& values, std::span<const arrived_block> blocks);
  const std::vector<slot_word>& words() const { return words_; }
  void placed() { words_.clear(); }  // a record has them

 private:
  std::span<const wire_form> forms_;
  std::vector<slot_word> words_;
};

// The names of elements in the protocol, and their sizes in bytes.
const char* name_of(element_sort sort);
std::size_t size_of(element_sort sort);

}  // namespace weir::detail::processes
