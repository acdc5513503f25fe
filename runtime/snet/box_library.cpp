#include "runtime/snet/box_library.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string_view>

#include <weir/version.hpp>

#include "runtime/snet/c_boxes.hpp"

namespace weir::detail::snet {
namespace {

std::string_view without_patch(std::string_view version) { return version.substr(0, version.rfind('.')); }

}  // namespace

void add_library(registry& to, const std::string& path) {
  // Without a slash the system would look in its own folders only.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(path + ": " + why); };
  if (!library) {
    const char* const why = ::dlerror();
    refuse(why ? why : "it cannot be loaded");
  }
  if (void* const fill = ::dlsym(library, "weir_boxes")) {
    const auto* const version = static_cast<const char*>(::dlsym(library, "weir_boxes_version"));
    if (!version)
      refuse(
          "it has weir_boxes and no weir_boxes_version, so it is not known for which weir it was made; include "
          "<weir/weir.hpp>");
    if (without_patch(version) != without_patch(WEIR_VERSION))
      refuse("its boxes were made for weir " + std::string(version) + ", this is weir " WEIR_VERSION);
    reinterpret_cast<void (*)(registry&)>(fill)(to);
    return;
  }
  void* const fill = ::dlsym(library, "weir_boxes_c");
  if (!fill) refuse("it has neither weir_boxes(weir::registry&) nor weir_boxes_c(weir_registry*)");
  const auto* const version = static_cast<const int*>(::dlsym(library, "weir_box_interface"));
  if (!version)
    refuse(
        "it has weir_boxes_c and no weir_box_interface, so it is not known for which weir it was made; include "
        "weir_box.h");
  if (*version != c_interface)
    refuse("its boxes were made for interface " + std::to_string(*version) + " of weir_box.h, this is " +
           std::to_string(c_interface));
  add_c_boxes(to, fill);
}

}  // namespace weir::detail::snet
