#pragma once

#include <cstddef>
#include <string>

#include "runtime/snet/fault_list.hpp"
#include "runtime/snet/syntax.hpp"

namespace weir::detail::snet {

// The path to the part under construction, as errors of a run have it.
class build_path {
 public:
  explicit build_path(fault_list& faults) : faults_(faults) {}

  void enter(const definition* net) { net_ = net; }  // null: the expression behind all definitions

  // A fault here, for a type_error or another refusal.
  void refused(offset place, const char* why);

  // A step of the path, while it exists.
  class step {
   public:
    step(build_path& in, const char* kind, std::size_t number) : in_(in), length_(in.path_.size()) {
      in.path_ += kind + std::to_string(number);
    }
    ~step() { in_.path_.resize(length_); }
    step(const step&) = delete;

   private:
    build_path& in_;
    const std::size_t length_;
  };

 private:
  fault_list& faults_;
  std::string path_;  // in net_
  const definition* net_ = nullptr;
};

}  // namespace weir::detail::snet
