#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <weir/network/filter.hpp>
#include <weir/patterns/expression.hpp>
#include <weir/patterns/pattern.hpp>
#include "runtime/snet/build_path.hpp"
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/field_types.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// Makes what stands in networks: labels, record types, patterns, filters and tag expressions. Null: there is a fault in
// it, which was added to the list.
class patterns_builder {
 public:
  patterns_builder(const field_types& types, build_path& path, fault_list& faults)
      : types_(types), path_(path), faults_(faults) {}

  // Patterns built from here on are not used: their fields have no types.
  void set_opaque(bool is_opaque) { opaque_ = is_opaque; }

  std::optional<std::vector<const label_info*>> labels(const record_syntax& r);
  std::optional<variant_type> record_type(const record_syntax& r);
  std::optional<std::vector<pattern>> patterns(const std::vector<pattern_syntax>& all);
  std::optional<pattern_list> list(const std::vector<pattern_syntax>& all);
  std::optional<filter_spec> filter(const filter_syntax& f);

 private:
  const label_info* label(const label_syntax& l) const;
  std::optional<filter_clause> clause(const clause_syntax& c, const std::vector<const label_info*>& takes);
  std::optional<filter_output> output(const output_syntax& o, const std::vector<const label_info*>& takes);
  std::optional<filter_item> item(const item_syntax& i, const std::vector<const label_info*>& takes);
  std::optional<expression> value(const term& t, std::span<const label_info* const> takes);
  std::optional<expression> guard(const term& t, std::span<const label_info* const> takes);
  std::optional<expression> row(const term& t, const std::vector<expression>& x);
  std::optional<expression> choices(const term& t, const std::vector<expression>& x);
  void no_condition(const term& t, const expression& got, const std::string& what);

  const field_types& types_;
  build_path& path_;
  fault_list& faults_;
  bool opaque_ = false;
};

}  // namespace weir::detail::snet
