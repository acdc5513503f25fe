# Debian's packages, by cpack, of a build with BUILD_SHARED_LIBS: one for each install component. deb.sh calls it,
# with WEIR_DEBIAN_MAINTAINER, a name and an address.
#
# A library's package is named by its soname, so that a version which breaks programs can be installed beside it. The
# library of the live page is a package of its own, so that no other program needs cpp-httplib. So is that of the ranks of MPI,
# with what one develops with, so that nobody else installs Open MPI; without Open MPI they are not made. The command needs
# none of the others: it holds what it uses of weir. It is built without MPI.
if(NOT BUILD_SHARED_LIBS OR NOT TARGET weir_live OR NOT TARGET weir OR NOT WEIR_DEBIAN_MAINTAINER)
  message(FATAL_ERROR "Debian's packages need BUILD_SHARED_LIBS, WEIR_BUILD_BENCH, WEIR_DEBIAN_MAINTAINER and cpp-httplib")
endif()
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weir)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each has its own
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL library live development command)
add_custom_target(weir_packaged DEPENDS weir_all weir_live weir_snet weir_process weir)
if(TARGET weir_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi mpi_development)
  add_dependencies(weir_packaged weir_mpi)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${WEIR_DEBIAN_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SOURCE weir)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries of others that programs link, by dpkg-shlibdeps; those of the build it finds there.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(this_version "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(about "weir runs networks of black-box components, learns online what each costs
on any number of cores, and moves cores to where they buy the most, while
the stream runs.")

# A trigger brings the linker's cache up to date. cpack writes scripts for that as well, which deb.sh removes.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_LIVE_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)

# debian_package(component NAME name SECTION section DEPENDS packages SUMMARY line TEXT lines)
function(debian_package component)
  cmake_parse_arguments(arg "" "NAME;SECTION;DEPENDS;SUMMARY;TEXT" "" ${ARGN})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${arg_NAME} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_SUMMARY}\n${about}\n\n${arg_TEXT}" PARENT_SCOPE)
  set(doc ${CMAKE_INSTALL_DATAROOTDIR}/doc/${arg_NAME})
  install(FILES ${documents}/changelog.gz ${documents}/changelog.Debian.gz ${documents}/copyright DESTINATION ${doc} COMPONENT ${component})
endfunction()

# What each package has in its folder of documents; compressed as Debian wants it, the same from the same sources.
set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, which deb.sh sets
file(READ ${PROJECT_SOURCE_DIR}/runtime/page/assets/licences.txt page_licences)
string(PREPEND page_licences "\nIn the page of a run:\n\n")
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
configure_file(debian/copyright.in ${documents}/copyright @ONLY)
configure_file(debian/changelog.in ${documents}/changelog.Debian @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog COPYONLY)
foreach(file changelog changelog.Debian)
  execute_process(COMMAND gzip -9nkf ${documents}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

debian_package(library NAME libweir${soversion} SECTION libs DEPENDS ""
  SUMMARY "streaming runtime with an adaptive scheduler - shared library"
  TEXT "This package has the shared library, and the one that reads networks
which are written as text, in S-Net.")
debian_package(live NAME libweir-live${soversion} SECTION libs DEPENDS "libweir${soversion} ${this_version}"
  SUMMARY "streaming runtime with an adaptive scheduler - live page"
  TEXT "This package has the shared library of the web server that shows runs
while they go on, and their metrics for Prometheus.")
if(TARGET weir_mpi)
  # Open MPI starts another program of its own, also for a single rank.
  set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
  debian_package(mpi NAME libweir-mpi${soversion} SECTION libs DEPENDS "libweir${soversion} ${this_version}"
    SUMMARY "streaming runtime with an adaptive scheduler - several machines"
    TEXT "This package has the shared library that runs one network on the ranks of
Open MPI.")
  debian_package(mpi_development NAME libweir-mpi-dev SECTION libdevel
    DEPENDS "libweir-mpi${soversion} ${this_version}, libweir-dev ${this_version}"
    SUMMARY "streaming runtime with an adaptive scheduler - MPI development"
    TEXT "This package has what programs need beside libweir-dev that run one network
on several machines: the files for CMake and for pkg-config.")
endif()
# The files for pkg-config name the packages that the libraries link, and pkg-config wants to find these.
debian_package(development NAME libweir-dev SECTION libdevel
  DEPENDS "libweir${soversion} ${this_version}, libweir-live${soversion} ${this_version}, libtbb-dev, libhwloc-dev, libspdlog-dev, libcpp-httplib-dev"
  SUMMARY "streaming runtime with an adaptive scheduler - development files"
  TEXT "This package has the headers, the CMake package and the files for pkg-config.")
debian_package(command NAME weir SECTION utils DEPENDS ""
  SUMMARY "streaming runtime with an adaptive scheduler - command"
  TEXT "This package has the command weir: benchmarks, fits and predictions of
costs, simulations in virtual time, and pages of runs.")
include(CPack)
