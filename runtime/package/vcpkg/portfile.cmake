# UNTESTED: a port of vcpkg for weir. No registry could be reached where it was written.
#
# With it and vcpkg.json in <ports>/weir: vcpkg install weir --overlay-ports=<ports>. WEIR_SOURCE in the environment names a clone; a
# port for a registry fetches a release instead, by vcpkg_from_github.
set(SOURCE_PATH "$ENV{WEIR_SOURCE}")
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DWEIR_BUILD_TESTS=OFF
    -DWEIR_BUILD_BENCH=OFF
    -DWEIR_BUILD_EXAMPLES=OFF
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME weir CONFIG_PATH lib/cmake/weir)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
