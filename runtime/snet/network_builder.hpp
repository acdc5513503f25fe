#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/network/combinators.hpp"
#include "runtime/network/filter.hpp"
#include "runtime/network/registry.hpp"
#include "runtime/snet/field_types.hpp"
#include "runtime/snet/names.hpp"
#include "runtime/snet/source_text.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// Makes networks of what was parsed. What cannot work is a fault, and so is what is made of it: that is not reported
// again.
class network_builder {
 public:
  // With `stubs`, a box that is not registered is one that cannot run; without, it is a fault if the network uses it.
  network_builder(const names& of, const field_types& types, const registry& known, bool stubs, fault_list& faults)
      : names_(of), types_(types), registry_(known), stubs_(stubs), faults_(faults) {}

  // Makes all definitions, used or not, and returns the top one.
  std::optional<network> build(const module& of);

 private:
  void define(const std::vector<definition>& definitions);
  std::optional<network> made(const definition& d);
  std::optional<network> net(const definition& d);
  std::optional<network> external(const definition& d);
  std::optional<network> with_signature(const network& net, const definition& d);
  std::optional<network> box(const definition& d);
  bool is_as_written(const definition& d, const box_spec& registered);
  void not_registered(const definition& d);

  std::optional<network> network_of(const net_syntax& n);
  std::optional<network> row(const net_syntax& n);
  std::optional<network> chain(const net_syntax& n, const std::vector<network>& parts);
  std::optional<network> postfixed(const net_syntax& n);
  std::optional<network> around(const net_syntax& part, const postfix_syntax& form, const network& inner);
  std::optional<network> filter(const net_syntax& n);
  bool allows_source(offset place, const net_syntax& part, const network& inner, const char* where);
  const net_syntax& source_in(const net_syntax& n) const;

  // Labels, patterns and expressions: patterns_builder.cpp.
  const label_info* label(const label_syntax& l) const;
  std::optional<std::vector<const label_info*>> labels(const record_syntax& r);
  std::optional<variant_type> record_type(const record_syntax& r);
  std::optional<std::vector<pattern>> patterns(const std::vector<pattern_syntax>& all);
  std::optional<pattern_list> list(const std::vector<pattern_syntax>& all);
  std::optional<filter_clause> clause(const clause_syntax& c, const std::vector<const label_info*>& takes);
  std::optional<filter_output> output(const output_syntax& o, const std::vector<const label_info*>& takes);
  std::optional<filter_item> item(const item_syntax& i, const std::vector<const label_info*>& takes);
  std::optional<expression> value(const term& t, std::span<const label_info* const> takes);
  std::optional<expression> guard(const term& t, std::span<const label_info* const> takes);
  std::optional<expression> row(const term& t, const std::vector<expression>& x);
  std::optional<expression> choices(const term& t, const std::vector<expression>& x);
  void no_condition(const term& t, const expression& got, const std::string& what);

  // Calls it, and makes a fault of a type_error.
  template <class Make>
  std::optional<network> tried(offset place, Make make);
  void refused(offset place, const char* why);

  const names& names_;
  const field_types& types_;
  const registry& registry_;
  const bool stubs_;
  fault_list& faults_;
  // A step of the path to what is built, while it exists.
  class step {
   public:
    step(network_builder& in, const char* kind, std::size_t number) : in_(in), length_(in.path_.size()) {
      in.path_ += kind + std::to_string(number);
    }
    ~step() { in_.path_.resize(length_); }
    step(const step&) = delete;

   private:
    network_builder& in_;
    const std::size_t length_;
  };

  std::string path_;                 // of what is built, in net_, as errors of a run have it
  const definition* net_ = nullptr;  // null: the expression behind all definitions
  std::vector<remark> not_registered_;
  bool opaque_ = false;  // what is built now is not used: its fields have no types
  std::unordered_map<const definition*, std::optional<network>> made_;
};

// Stands for a declared box that is not registered: each record that comes to it fails.
network stub_of(const std::string& name, std::vector<const label_info*> takes,
                std::vector<std::vector<const label_info*>> variants, bool is_initialiser);

}  // namespace weir::detail::snet
