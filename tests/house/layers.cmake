# What each folder may use, in one place: our folders its includes may name, the libraries its includes may name, and
# the libraries its target may link. Arrows go down only.
set(house_folders model scheduler runtime components examples bench tests weir)

set(may_include_model model)
set(may_include_scheduler model scheduler)
set(may_include_runtime model scheduler runtime weir)  # `weir` for the generated <weir/version.hpp>
set(may_include_components components)
set(may_include_examples components examples weir)  # `weir` is the public header
set(may_include_bench model scheduler runtime components examples bench weir)

# A library is known by how the paths of its headers begin.
set(library_headers
  tbb/ oneapi/ boost/ spdlog/ fmt/ hwloc Eigen/ unsupported/Eigen nlohmann/ CLI/ benchmark/ gtest/ gmock/ gmp
  jpeglib openssl/)
set(may_use_model Eigen/ unsupported/Eigen)
set(may_use_scheduler hwloc Eigen/ unsupported/Eigen)
set(may_use_runtime tbb/ oneapi/ boost/ spdlog/ fmt/ hwloc nlohmann/)
set(may_use_components tbb/ oneapi/ gmp)
set(may_use_examples tbb/ oneapi/)
set(may_use_bench tbb/ oneapi/ boost/ spdlog/ fmt/ hwloc nlohmann/ CLI/ benchmark/)

# model is pure numbers: no thread, clock or file.
set(never_in_model thread mutex atomic chrono ctime fstream filesystem iostream cstdio)

set(may_link_model Eigen3::Eigen)
set(may_link_scheduler weir::model PkgConfig::hwloc Eigen3::Eigen)
set(may_link_language weir::model Threads::Threads)
set(may_link_runtime weir::model weir::scheduler weir::language TBB::tbb Boost::boost Boost::headers spdlog::spdlog fmt::fmt
  PkgConfig::hwloc Threads::Threads nlohmann_json::nlohmann_json)
set(may_link_components TBB::tbb PkgConfig::gmp OpenMP::OpenMP_CXX Threads::Threads)
