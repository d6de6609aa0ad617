# How everything in this tree is compiled and where it is put.
#
# Plugins, the engine and their tests must agree on these flags to the letter: they share one
# precompiled header and exchange C++ objects of libtorch. That is why they are set here, once.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_C_STANDARD 11)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()

# -fPIC rather than POSITION_INDEPENDENT_CODE: the latter gives programs -fPIE, and a precompiled
# header serves one of the two only. Contracting a*b+c would make results depend on the machine.
add_compile_options(-fPIC -ffp-contract=off)

# A unique symbol keeps its library mapped forever and is shared behind everybody's back.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>")

# GCC collects its garbage from 128 MB on, and nothing of it is free before a unit ends: a gigabyte (in KiB)
# costs a quarter more memory and spares 4 to 20 % of the time.
add_compile_options(
  "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param=ggc-min-heapsize=1000000 --param=ggc-min-expand=300>")

set(PTP_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
if(PTP_SANITIZE)
  # Not optimized: that would take as long again to build, and leave less to be checked.
  add_compile_options(-O0 -g1 -fno-omit-frame-pointer
    "-fsanitize=${PTP_SANITIZE}" -fno-sanitize-recover=all)
  if(PTP_SANITIZE MATCHES "undefined")
    # It opens a pipe to find out whether memory can be read, and is wrong where a test leaves no descriptor.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  add_link_options("-fsanitize=${PTP_SANITIZE}")
endif()

# For the programs of tests/fuzz alone: no other can be linked then.
option(PTP_FUZZ "Build fuzz targets (target fuzzers) and nothing else" OFF)
if(PTP_FUZZ)
  add_compile_options(-O1 -fsanitize-coverage=trace-pc,trace-cmp)
endif()

# Of what is installed without naming a component; cmake/PtpInstall.cmake has the components.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

find_program(PTP_CCACHE ccache DOC "Compiler cache; empty to do without")
if(PTP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PTP_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PTP_CCACHE}")
endif()
