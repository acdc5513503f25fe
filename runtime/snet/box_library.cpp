#include "runtime/snet/box_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include <weir/version.hpp>

#include <weir/record/errors.hpp>
#include "runtime/snet/c_boxes.hpp"

namespace weir::detail::snet {
namespace {

std::string_view without_patch(std::string_view version) { return version.substr(0, version.rfind('.')); }

// Whether the file has all that its own table says is to be loaded of it. The system maps what there is, and a program
// that reads behind the end is killed.
bool is_cut_off(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(in.tellg(), 0));
  const auto is_read = [&](auto& into, std::uint64_t at) {
    return static_cast<bool>(
        in.seekg(static_cast<std::streamoff>(at)).read(reinterpret_cast<char*>(&into), sizeof into));
  };
  ElfW(Ehdr) head;
  const bool is_library = is_read(head, 0) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                          head.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32);
  if (!is_library) return false;  // the system says which error it is
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part;
    if (!is_read(part, head.e_phoff + i * sizeof part)) return true;
    if (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset)) return true;
  }
  return false;
}

class box_library {
 public:
  explicit box_library(const std::string& path) : path_(path) {
    // Without a slash the system would look in its own folders only.
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    if (is_cut_off(file)) refuse("the file is cut off: it ends before what it says is in it");
    library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_) return;
    const char* const said = ::dlerror();
    const std::string why = said ? said : "it cannot be loaded";
    refuse(why.starts_with(file + ": ") ? why.substr(file.size() + 2) : why);
  }

  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error(path_ + ": " + why); }

  // A function, or null if there is nothing of this name.
  void* function(const char* name) const {
    void* const found = ::dlsym(library_, name);
    if (found && is_data(found)) refuse(std::string("its ") + name + " is no function");
    return found;
  }
  const void* object(const char* name) const { return ::dlsym(library_, name); }

  // Calls what fills the registry; mistakes there name the library.
  template <class Fill>
  void fill(const char* by, Fill f) const {
    try {
      f();
    } catch (const type_error& e) {
      throw type_error(path_ + ": " + e.what());
    } catch (const std::exception& e) {
      refuse(e.what());
    } catch (...) {
      refuse(std::string("its ") + by + " threw something that is no std::exception");
    }
  }

 private:
  static bool is_data(void* symbol) {
    Dl_info ignored{};
    void* entry = nullptr;
    return ::dladdr1(symbol, &ignored, &entry, RTLD_DL_SYMENT) != 0 && entry &&
           ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(entry)->st_info) == STT_OBJECT;
  }

  std::string path_;
  void* library_;
};

}  // namespace

void add_library(registry& to, const std::string& path) {
  const box_library library(path);
  if (void* const fill = library.function("weir_boxes")) {
    const auto* const text = static_cast<const char*>(library.object("weir_boxes_version"));
    if (!text)
      library.refuse(
          "it has weir_boxes and no weir_boxes_version, so it is not known for which weir it was made; include "
          "<weir/weir.hpp>");
    constexpr std::size_t longest = 20;  // bytes: more is no version
    const std::string_view version(text, ::strnlen(text, longest));
    if (without_patch(version) != without_patch(WEIR_VERSION))
      library.refuse("its boxes were made for weir " + std::string(version) + ", this is weir " WEIR_VERSION);
    return library.fill("weir_boxes", [&] { reinterpret_cast<void (*)(registry&)>(fill)(to); });
  }
  void* const fill = library.function("weir_boxes_c");
  if (!fill) library.refuse("it has neither weir_boxes(weir::registry&) nor weir_boxes_c(weir_registry*)");
  const auto* const version = static_cast<const int*>(library.object("weir_box_interface"));
  if (!version)
    library.refuse(
        "it has weir_boxes_c and no weir_box_interface, so it is not known for which weir it was made; include "
        "weir_box.h");
  if (*version != c_interface)
    library.refuse("its boxes were made for interface " + std::to_string(*version) + " of weir_box.h, this is " +
                   std::to_string(c_interface));
  library.fill("weir_boxes_c", [&] { add_c_boxes(to, fill); });
}

}  // namespace weir::detail::snet
