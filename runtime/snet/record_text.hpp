#pragma once

#include <map>
#include <string>
#include <string_view>

#include "runtime/network/registry.hpp"
#include "runtime/record/record.hpp"

namespace weir::detail::snet {

// Reads records as they print: `{a=1, name=short, <t>=3, <#k>=7}`.
//
// A field whose type the network knows gets a value of it: an integer, a floating-point number, bool, std::string, or
// what registry::reads says. Of others an integer is a std::int64_t, and everything else a std::string. A value ends at
// `,` or `}` and has no white space around it; what has such is put in double quotes, where \\, \" and \n mean what
// they do in C.
class record_reader {
 public:
  // `fields` as loaded::fields. Refers to the registry.
  record_reader(std::map<std::string, const value_type*, std::less<>> fields, const registry& known)
      : fields_(std::move(fields)), known_(known) {}

  // Throws std::invalid_argument, a sentence that names the column, for anything else.
  record read(std::string_view line) const;

 private:
  std::map<std::string, const value_type*, std::less<>> fields_;
  const registry& known_;
};

}  // namespace weir::detail::snet
