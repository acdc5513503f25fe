# The rooms and libraries that each room may use, in one place. A room is a folder with sources; its README says the
# same to people. Arrows go up this list only: a row names rooms of rows before it, so no two rooms can include each
# other.
#
#   room(folder INCLUDES rooms... USES libraries...)
#
# A room of the same layer is named without the layer, and the layer's name means the files that lie in it directly. The
# name of another layer means all its rooms. A library is known by how the paths of its headers begin; `weir/` are the
# headers that are generated, <weir/weir.hpp>, <weir/live.hpp>, <weir/mpi.hpp>, <weir/process.hpp>, <weir/openmp.hpp> and
# <weir/version.hpp>.
set(layers model scheduler runtime components examples bench)

set(rooms)
function(room folder)
  cmake_parse_arguments(arg "" "" "INCLUDES;USES" ${ARGN})
  string(REGEX MATCH "^[^/]*" own "${folder}")
  set(included ${folder})
  foreach(name IN LISTS arg_INCLUDES)
    set(found ${rooms})
    if("${own}/${name}" IN_LIST rooms)
      set(found ${own}/${name})
    elseif(name IN_LIST layers AND NOT name STREQUAL own)
      list(FILTER found INCLUDE REGEX "^${name}(/|$)")
    else()
      list(FILTER found INCLUDE REGEX "^${name}$")
    endif()
    if(NOT found)
      message(FATAL_ERROR "rooms.cmake: ${folder} includes ${name}, which is no room of the rows before it")
    endif()
    list(APPEND included ${found})
  endforeach()
  set(rooms ${rooms} ${folder} PARENT_SCOPE)
  set(may_include_${folder} ${included} PARENT_SCOPE)
  set(named_in_${folder} ${arg_INCLUDES} PARENT_SCOPE)
  set(may_use_${folder} ${arg_USES} PARENT_SCOPE)
endfunction()

room(model)
room(model/law INCLUDES model)
room(model/least_squares USES Eigen/)
room(model/curves INCLUDES law least_squares)
room(model/weir INCLUDES model law least_squares USES Eigen/)
room(model/predictors INCLUDES model law least_squares USES Eigen/)
room(model/papers INCLUDES model law least_squares curves USES Eigen/)
room(model/named INCLUDES model law weir predictors papers)
room(model/priors INCLUDES model)
room(model/mixture USES Eigen/)

room(scheduler/machine USES hwloc)
room(scheduler/view INCLUDES machine model)
room(scheduler/place INCLUDES view)
room(scheduler/expect INCLUDES view model USES boost/ Eigen/)
room(scheduler/divide INCLUDES view expect)
room(scheduler/policies INCLUDES view place expect divide)
room(scheduler/control INCLUDES view expect divide policies model USES Eigen/)
room(scheduler/devices INCLUDES control model)
room(scheduler/predict INCLUDES view expect USES Eigen/)
room(scheduler/simulate INCLUDES view expect policies control devices predict model)

room(runtime/threads)
room(runtime/record INCLUDES threads)
room(runtime/patterns INCLUDES threads record)
room(runtime/network INCLUDES threads record patterns model scheduler/view)
room(runtime/snet INCLUDES threads record patterns network USES weir/)
room(runtime/process INCLUDES threads record network USES nlohmann/ tbb/)
room(runtime/machine INCLUDES threads record network model scheduler USES boost/ hwloc spdlog/ tbb/)
room(runtime/streams INCLUDES threads record machine scheduler/view USES boost/)
room(runtime/remote INCLUDES threads record patterns network streams model scheduler/view)
room(runtime/engine INCLUDES threads record network machine streams model scheduler USES boost/ fmt/ nlohmann/)
room(runtime/devices INCLUDES threads record network machine streams engine model scheduler)
room(runtime/entities INCLUDES threads record patterns network machine streams engine devices model scheduler USES boost/)
room(runtime/placed INCLUDES threads record network streams remote engine entities)
room(runtime/unfolding INCLUDES threads record network machine streams remote engine entities placed)
room(runtime/options INCLUDES network machine engine model scheduler USES nlohmann/)
room(runtime/page)
room(runtime/report INCLUDES record network machine engine options page model scheduler USES fmt/ nlohmann/ weir/)
room(runtime/statistics INCLUDES threads streams engine entities placed unfolding report scheduler USES boost/ fmt/)
room(runtime/ranks INCLUDES threads record network remote report)
room(runtime/run INCLUDES threads record network machine streams remote engine devices entities placed unfolding options report statistics ranks model scheduler USES boost/ fmt/ nlohmann/ weir/)
room(runtime/live INCLUDES threads report page run USES httplib)
room(runtime/mpi INCLUDES threads network options remote report run USES mpi.h weir/)
room(runtime INCLUDES threads record remote patterns network snet process machine streams engine devices entities placed unfolding options page report statistics ranks run live mpi model scheduler USES weir/)

room(components USES tbb/)
room(components/matrix INCLUDES components)
room(components/natural INCLUDES components USES gmp tbb/)
room(components/jpeg)
room(components/images INCLUDES components jpeg USES tbb/ jpeglib)
room(components/device INCLUDES jpeg matrix)
room(components/opencl INCLUDES device images USES CL/)
room(components/cuda INCLUDES device images USES cuda_runtime)
room(components/documents USES tbb/ leptonica/ poppler tesseract/ zstd zlib)

room(examples INCLUDES components USES tbb/ weir/)
room(examples/images INCLUDES examples components USES CLI/ tbb/ weir/)
room(examples/logs INCLUDES examples USES CLI/ tbb/ weir/)

room(bench/support INCLUDES runtime USES CLI/ fmt/)
room(bench/rivals INCLUDES scheduler)
room(bench/weir/common INCLUDES support model scheduler runtime USES fmt/ nlohmann/)
room(bench/weir INCLUDES support weir/common scheduler USES CLI/ fmt/ weir/)
room(bench/weir/runs INCLUDES support weir/common model scheduler runtime components USES fmt/)
room(bench/weir/matmul INCLUDES support weir/common weir/runs weir model scheduler runtime components
  USES CLI/ fmt/ nlohmann/ tbb/)
foreach(subcommand fit predict explain flow view snet)
  room(bench/weir/${subcommand} INCLUDES support weir/common weir model scheduler runtime components
    USES CLI/ fmt/ nlohmann/ tbb/)
endforeach()
room(bench/weir/manual INCLUDES weir USES CLI/ weir/)
room(bench/weir/simulate INCLUDES support weir/common weir rivals scheduler runtime USES CLI/ fmt/ nlohmann/)
room(bench/weir/compare INCLUDES support weir/common weir/runs weir/simulate weir model scheduler runtime components
  USES CLI/ fmt/ nlohmann/ tbb/)
room(bench/corpus/generate INCLUDES support USES cairo leptonica/ fmt/ nlohmann/)
room(bench/corpus/common INCLUDES support components/documents USES fmt/ jxl/ leptonica/ nlohmann/ tbb/)
room(bench/corpus/ways INCLUDES support corpus/common runtime components/documents USES fmt/ nlohmann/ tbb/ weir/)
room(bench/corpus INCLUDES support weir/common corpus/generate corpus/common corpus/ways scheduler runtime components/documents
  USES CLI/ fmt/ nlohmann/)
room(bench/measurements/emulated_corpus INCLUDES support weir/common scheduler runtime components USES CLI/ fmt/ nlohmann/ weir/)
foreach(measurement overhead sizes moves allocation_cost model_cost estimators components many_cores batches real_devices second_core interference)
  room(bench/measurements/${measurement} INCLUDES support model scheduler runtime components
    USES CLI/ fmt/ nlohmann/ boost/ tbb/ benchmark/ weir/)
endforeach()
room(bench/measurements/machines INCLUDES support scheduler runtime USES fmt/ weir/)
room(bench/measurements/process INCLUDES support runtime USES CLI/ fmt/ weir/)
room(bench/measurements/mpi INCLUDES support runtime USES CLI/ fmt/ mpi.h weir/)
room(bench/measurements/flow_accuracy INCLUDES support scheduler runtime components examples USES CLI/ fmt/ nlohmann/ weir/)
room(bench/field/common INCLUDES support scheduler USES CLI/ fmt/ nlohmann/)
foreach(program two_stages slow_writer ferret)
  room(bench/field/${program} INCLUDES support field/common scheduler runtime components USES CLI/ fmt/ nlohmann/ tbb/ weir/)
endforeach()
room(bench/field/film INCLUDES support USES CLI/ fmt/ tbb/)
room(bench/field/dedup INCLUDES support field/common scheduler runtime USES bzlib CLI/ fmt/ nlohmann/ openssl/ tbb/ weir/ zstd)
room(bench/paper INCLUDES support weir/common model scheduler USES CLI/ fmt/)

# Libraries that are looked for: no other than those above has a header here.
set(library_headers
  bzlib CL/ cuda_runtime tbb/ oneapi/ boost/ spdlog/ fmt/ hwloc Eigen/ unsupported/Eigen nlohmann/ CLI/ benchmark/ gtest/ gmock/ gmp
  jpeglib httplib mpi.h openssl/ jxl/ leptonica/ poppler tesseract/ zstd zlib cairo weir/)

# model is pure numbers: no thread, clock or file.
set(never_in_model thread mutex atomic chrono ctime fstream filesystem iostream cstdio)

# Classes whose members call units built on them: the source of such a unit includes headers of units that include its
# header.
set(faces runtime/engine/context runtime/engine/worker runtime/network/network runtime/report/report)

# The libraries that the target of a folder may link.
set(may_link_model Eigen3::Eigen)
set(may_link_scheduler weir::model PkgConfig::hwloc Eigen3::Eigen)
set(may_link_language weir::model Threads::Threads)
set(may_link_runtime weir::model weir::scheduler weir::language TBB::tbb Boost::boost Boost::headers spdlog::spdlog fmt::fmt
  PkgConfig::hwloc Threads::Threads nlohmann_json::nlohmann_json)
set(may_link_components TBB::tbb OpenMP::OpenMP_CXX Threads::Threads)
