# UNTESTED: a recipe of Conan 2 for weir. No registry could be reached where it was written.
#
#     conan create runtime/package/conan --build=missing
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps


class Weir(ConanFile):
    name = "weir"
    version = "0.1.0"
    description = "Streaming coordination runtime with an adaptive scheduler"
    license = "BSD-3-Clause"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}

    def export_sources(self):
        root = Path(self.recipe_folder).parents[2]
        for pattern in ("CMakeLists.txt", "LICENSE", "model/*", "scheduler/*", "runtime/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        self.requires("onetbb/2021.12.0")
        self.requires("hwloc/2.10.0")
        self.requires("spdlog/1.14.1")
        self.requires("boost/1.85.0", options={"header_only": True})
        self.requires("eigen/3.4.0")
        self.requires("nlohmann_json/3.11.3")
        self.requires("cpp-httplib/0.16.0")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "BENCH", "EXAMPLES"):
            toolchain.variables[f"WEIR_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # weir brings its own package
        self.cpp_info.builddirs.append("lib/cmake/weir")
