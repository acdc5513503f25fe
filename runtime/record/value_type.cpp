#include <weir/record/value_type.hpp>

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory_resource>
#include <string>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "runtime/record/type_name.hpp"
#include "runtime/threads/locks.hpp"

namespace weir {
namespace detail {
namespace {

// The program or library that an address lies in, while that is loaded. Asking takes no memory: it may be gone by then.
struct loaded_object {
  const void* address;
  std::uintptr_t base = 0;
  const ElfW(Phdr) * first_part = nullptr;
  int parts = 0;
  const char* file = "";  // empty: the program, or not found

  bool is_program() const { return !*file; }
  bool has(const void* other) const {
    const auto at = reinterpret_cast<std::uintptr_t>(other);
    return std::any_of(first_part, first_part + parts, [&](const ElfW(Phdr) & p) {
      return p.p_type == PT_LOAD && at - (base + p.p_vaddr) < p.p_memsz;
    });
  }
};

int look_at(dl_phdr_info* object, std::size_t, void* result) {
  loaded_object& wanted = *static_cast<loaded_object*>(result);
  const loaded_object seen{wanted.address, object->dlpi_addr, object->dlpi_phdr, object->dlpi_phnum, object->dlpi_name};
  if (!seen.has(wanted.address)) return 0;
  wanted = seen;
  return 1;
}

// REQUIRES: no lock of weir is held. A thread that unloads a library runs ~library_end under the loader's lock.
loaded_object object_of(const void* address) {
  loaded_object found{address};
  ::dl_iterate_phdr(look_at, &found);
  return found;
}

// By name, as std::type_info does. clang does not mark the names of types that each source has for itself.
bool are_same(const std::type_info& a, const std::type_info& b) {
  return &a == &b || (a == b && std::string_view(a.name()).find("_GLOBAL__N_") == std::string_view::npos);
}

// A type, and the objects for it that are there.
class known {
 public:
  known(const value_type& giver, const loaded_object& from, std::pmr::memory_resource* memory)
      : seen_{giver.inlined, giver.destroy,   giver.print, giver.type, giver.codec, giver.array,
              giver.size,    giver.alignment, &seen_,      true,       nullptr,     giver.extent},
        givers_({&giver}, memory),
        file_(from.is_program() ? "the program" : from.file, memory) {}

  const value_type& seen() const { return seen_; }
  bool is_there() const { return !givers_.empty(); }
  bool is_laid_out_as(const value_type& other) const {
    return seen_.size == other.size && seen_.alignment == other.alignment && seen_.inlined == other.inlined;
  }

  void add(const value_type& giver, const loaded_object& from) {
    givers_.insert(from.is_program() ? givers_.begin() : givers_.end(), &giver);
    take_functions();
  }
  void remove(const loaded_object& gone) {
    if (std::erase_if(givers_, [&](const value_type* g) { return gone.has(g); }) > 0 && is_there()) take_functions();
  }
  void say_file() { seen_.from = file_.c_str(); }

 private:
  // Copies the functions of the first giver. Other threads may read them meanwhile: each is one word.
  void take_functions() {
    const value_type& first = *givers_.front();
    seen_.destroy = first.destroy;
    seen_.print = first.print;
    seen_.type = first.type;
    seen_.codec = first.codec;
    seen_.array = first.array;
    seen_.extent = first.extent;
    for (const value_type* const g : givers_) {
      if (!seen_.print) seen_.print = g->print;
      if (!seen_.codec) seen_.codec = g->codec;
      if (!seen_.array) seen_.array = g->array;
      if (!seen_.extent) seen_.extent = g->extent;
    }
  }

  value_type seen_;                             // what known_type() gives
  std::pmr::vector<const value_type*> givers_;  // the program's first
  std::pmr::string file_;                       // of the first that came
};

// The types of fields of this process: one object for all that the program and its libraries have for a type. Entries
// are immortal, since labels point to them. One whose libraries are all gone is found no more.
class known_types {
 public:
  const value_type* enter(const value_type& given) {
    const loaded_object from = object_of(&given);
    const lock_guard lock(mutex_);
    if (const value_type* const is = given.known.load(std::memory_order_relaxed); is != &given) return is;
    const std::string_view name = given.type->name();
    const auto [first, last] = all_.equal_range(name);
    bool has_twin = false;  // of another size
    for (auto at = first; at != last; ++at) {
      known& k = at->second;
      if (!k.is_there() || !are_same(*k.seen().type, *given.type)) continue;
      if (k.is_laid_out_as(given)) {
        k.add(given, from);
        return told(given, k);
      }
      k.say_file();
      has_twin = true;
    }
    known& fresh = all_.emplace(std::piecewise_construct, std::forward_as_tuple(name),
                                std::forward_as_tuple(given, from, &memory_))
                       ->second;
    if (has_twin) fresh.say_file();
    return told(given, fresh);
  }

  void leave(const loaded_object& gone) {
    const lock_guard lock(mutex_);
    for (auto& [name, k] : all_) k.remove(gone);
  }

 private:
  static const value_type* told(const value_type& given, const known& k) {
    given.known.store(&k.seen(), std::memory_order_release);  // pairs with quick_type_of()
    return &k.seen();
  }

  WEIR_LOCK(types) mutex_;
  // As that of the labels.
  std::pmr::monotonic_buffer_resource memory_ WEIR_GUARDED_BY(mutex_){std::pmr::new_delete_resource()};
  std::pmr::multimap<std::pmr::string, known, std::less<>> all_ WEIR_GUARDED_BY(mutex_){&memory_};
};

known_types& of_process() {
  static auto* const it = new known_types;  // never destroyed: records are made until the process ends
  return *it;
}

}  // namespace

const char WEIR_STANDARD_LIBRARY = 0;

const value_type* known_type(const value_type& type) {
  if (type.is_of_process) return &type;
  const value_type* const is = type.known.load(std::memory_order_acquire);
  return is != &type ? is : of_process().enter(type);
}

// The program is never unloaded, and at its end all code is there until the last destructor has run.
library_end::~library_end() {
  const loaded_object gone = object_of(this);
  if (!gone.is_program()) of_process().leave(gone);
}

}  // namespace detail

std::string type_name(const std::type_info& type) { return detail::written_name(type); }

std::string type_name(const value_type& type) {
  const std::string name = type_name(*type.type);
  if (!type.from) return name;
  return name + " (" + std::to_string(type.size) + " bytes, aligned to " + std::to_string(type.alignment) + ", in " +
         type.from + ")";
}

}  // namespace weir
