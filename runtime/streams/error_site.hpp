#pragma once

#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <weir/record/errors.hpp>
#include "runtime/streams/scope.hpp"

namespace weir::detail {

// A named place in the network, where a record can end by an error: an entity.
class error_site {
 public:
  // path: as in errors, with a `*` where a scope's value belongs: ":S2:R*:P1".
  explicit error_site(std::string path) : path_(std::move(path)) {}
  virtual std::string name() const = 0;

  std::string path(const record_body& r) const { return r.where ? r.where->path(path_) : path_; }
  const std::string& path_pattern() const { return path_; }

  // Ends a record by an error. The error is counted even if there is no memory to report it.
  virtual void fail(failure_kind kind, record_body* r, std::string_view cause) noexcept = 0;
  // The same with a text that `cause` makes, for callers that must not throw; without memory the text is left out.
  template <class Cause>
  void fail_saying(failure_kind kind, record_body* r, Cause cause) noexcept {
    std::string text;
    try {
      text = cause();
    } catch (const std::bad_alloc&) {
    }
    fail(kind, r, text);
  }

 protected:
  ~error_site() = default;

 private:
  const std::string path_;
};

}  // namespace weir::detail
