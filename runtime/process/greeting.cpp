#include "runtime/process/greeting.hpp"

#include <cstddef>
#include <utility>

#include <weir/record/errors.hpp>

namespace weir::detail::processes {

namespace {

std::string list_of(std::span<const wire_form> forms) {
  std::string json = "[";
  for (const wire_form& f : forms) {
    if (json.back() != '[') json += ',';
    json += f.as_json();
  }
  return json + ']';
}

std::string mismatch_in(const json_value& theirs, std::span<const wire_form> ours, const std::string& what) {
  if (theirs.is() != json_value::sort::list) throw protocol_error("a greeting has no list of what the box " + what);
  if (theirs.size() != ours.size())
    return "it " + what + ' ' + std::to_string(theirs.size()) + " labels, and here " + std::to_string(ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (const std::string why = ours[i].mismatch(theirs[i]); !why.empty()) return "it " + what + ' ' + why;
  return "";
}

}  // namespace

wire_labels::wire_labels(const box_spec& box, std::string name) : box_(std::move(name)) {
  try {
    for (const label_info* const l : box.takes) takes_.emplace_back(*l);
    for (const auto& v : box.variants) {
      variants_.emplace_back();
      for (const label_info* const l : v) variants_.back().emplace_back(*l);
    }
  } catch (const type_error& e) {
    throw type_error("box " + box.name + ": " + e.what());
  }
}

message_writer wire_labels::greeting() const {
  message_writer m(message_kind::greeting);
  m.number("version", protocol_version).text("box", box_).json("takes", list_of(takes_));
  std::string variants = "[";
  for (const auto& v : variants_) {
    if (variants.back() != '[') variants += ',';
    variants += list_of(v);
  }
  m.json("gives", variants + ']');
  return m;
}

std::string wire_labels::mismatch(const message& greeting) const {
  if (greeting.kind != message_kind::greeting) throw protocol_error("its first message is no greeting");
  if (const std::uint64_t version = greeting.number("version"); version != protocol_version)
    return "it speaks version " + std::to_string(version) + " of the protocol, and here it is " +
           std::to_string(protocol_version);
  if (std::string why = mismatch_in(greeting.list("takes"), takes_, "takes"); !why.empty()) return why;
  const json_value theirs = greeting.list("gives");
  if (theirs.size() != variants_.size())
    return "it gives " + std::to_string(theirs.size()) + " variants, and here " + std::to_string(variants_.size());
  for (std::size_t i = 0; i < variants_.size(); ++i)
    if (std::string why = mismatch_in(theirs[i], variants_[i], "gives"); !why.empty()) return why;
  return "";
}

}  // namespace weir::detail::processes
