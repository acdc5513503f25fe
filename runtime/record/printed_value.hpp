#pragma once

#include <string>

#include <weir/record/value_type.hpp>

namespace weir::detail {

struct label_info;

// The text of a label's value: a tag's number, or a field's value by operator<< of its type. Numbers print as in the
// "C" locale. A type without operator<< prints as its name. Throws std::runtime_error that names field and type when
// operator<< throws, and std::bad_alloc.
std::string printed_value(const label_info& label, const slot_word& word);

}  // namespace weir::detail
