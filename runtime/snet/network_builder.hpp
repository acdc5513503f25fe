#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <weir/network/combinators.hpp>
#include <weir/network/registry.hpp>
#include "runtime/snet/build_path.hpp"
#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/field_types.hpp"
#include "runtime/snet/names.hpp"
#include "runtime/snet/patterns_builder.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// The words on how a box of this name is registered, at the end of the error that it is not. None: "".
using box_remedy = std::function<std::string(const std::string& name)>;

// Makes networks of a parsed text. A part that cannot work is a fault, and so is every network made of it, which is not
// reported again.
class network_builder {
 public:
  // With `stubs`, a box that is not registered is one that cannot run; without, it is a fault if the network uses it.
  network_builder(const names& of, const field_types& types, const registry& known, bool stubs,
                  const box_remedy& remedy, fault_list& faults)
      : names_(of), types_(types), registry_(known), stubs_(stubs), remedy_(remedy), faults_(faults) {}

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
  bool allows_source(offset place, const net_syntax& part, const network& inner, const char* where);

  // Calls it, and makes a fault of a type_error.
  template <class Make>
  std::optional<network> tried(offset place, Make make);

  const names& names_;
  const field_types& types_;
  const registry& registry_;
  const bool stubs_;
  const box_remedy& remedy_;
  fault_list& faults_;
  build_path path_{faults_};
  patterns_builder patterns_{types_, path_, faults_};
  std::vector<remark> not_registered_;
  std::unordered_map<const definition*, std::optional<network>> made_;
};

// Stands for a declared box that is not registered: each record that comes to it fails.
network stub_of(const std::string& name, std::vector<const label_info*> takes,
                std::vector<std::vector<const label_info*>> variants, bool is_initialiser);

}  // namespace weir::detail::snet
