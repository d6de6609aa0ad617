# The plugins of these tests.

# What it has seen before an interruption is gone: --check would say so.
ptp_add_plugin(witness NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/plugins"
  SOURCES witness.cpp)
# It ends its process.
ptp_add_plugin(mortal NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/plugins"
  SOURCES mortal.cpp)
# With a library and data beside it.
add_library(accompanying SHARED accompanying.c)
target_link_libraries(accompanying PRIVATE ptp::warnings)
set_target_properties(accompanying PROPERTIES C_VISIBILITY_PRESET default)
ptp_add_plugin(accompanied NO_TORCH NO_INSTALL FOLDER "${PROJECT_BINARY_DIR}/tests/runs/accompanied"
  SOURCES accompanied.cpp
  BESIDE accompanying
  DATA accompanied)
ptp_add_plugin(accompanied_later NO_TORCH NO_INSTALL FOLDER "${PROJECT_BINARY_DIR}/tests/runs/accompanied_later"
  SOURCES accompanied.cpp
  BESIDE accompanying
  DATA accompanied)
target_compile_definitions(accompanied_later-objects PRIVATE ACCOMPANIED_LATER)
ptp_add_plugin(ragged NO_TORCH FOLDER "${PROJECT_BINARY_DIR}/tests/runs/plugins"
  SOURCES ragged.cpp)
# It refuses the texts that a check makes up.
ptp_add_plugin(days NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/plugins"
  SOURCES days.cpp)

# It uses the libptp of the program that loads it.
ptp_add_plugin(consulting NO_CHECK NO_INSTALL FOLDER "${PROJECT_BINARY_DIR}/tests/runs/consulting"
  SOURCES consulting.cpp)
target_include_directories(consulting-objects PRIVATE "${PROJECT_SOURCE_DIR}/runtime/host/include")

ptp_add_plugin(rectified FOLDER "${PROJECT_BINARY_DIR}/tests/runs/plugins"
  SOURCES rectified.cpp)

# A plugin, and builds of it that its author makes later; each of them in a folder of its own.
ptp_add_plugin(recurrent FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/first"
  SOURCES recurrent.cpp)
foreach(build IN ITEMS forgetful residual wide)
  set(options "")
  if(build STREQUAL "forgetful") # as the test of `ptp-inspect --check` finds out
    set(options NO_CHECK)
  endif()
  ptp_add_plugin(recurrent_${build} ${options}
    FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/${build}"
    SOURCES recurrent.cpp)
  string(TOUPPER "RECURRENT_${build}" definition)
  target_compile_definitions(recurrent_${build}-objects PRIVATE ${definition})
endforeach()

# A plugin that can be exchanged only between two epochs, and a newer build of it.
foreach(version IN ITEMS 1 2)
  ptp_add_plugin(shy_${version} NO_TORCH NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/shy"
    SOURCES shy.cpp)
  target_compile_definitions(shy_${version}-objects PRIVATE "SHY_VERSION=\"${version}.0.0\"")
endforeach()

# A task, and newer builds of it: one with other samples, and one that draws them otherwise.
foreach(build IN ITEMS "first 1 1" "bright 2 1" "weighted 1 3")
  string(REPLACE " " ";" build "${build}")
  list(GET build 0 name)
  list(GET build 1 brightness)
  list(GET build 2 weight)
  ptp_add_plugin(drawn_${name} NO_TORCH NO_CHECK
    FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/drawn"
    SOURCES drawn.cpp)
  target_compile_definitions(drawn_${name}-objects PRIVATE
    DRAWN_BRIGHTNESS=${brightness} DRAWN_WEIGHT=${weight}
    "DRAWN_VERSION=\"${brightness}.${weight}.0\"")
endforeach()

# The plugin of the walk-through, taken out of its text.
include(walk_through.cmake)
set(walk_through "${PROJECT_SOURCE_DIR}/docs/hot-swap.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${walk_through}")
write_walk_through("${walk_through}" "${CMAKE_CURRENT_BINARY_DIR}/walk_through")
foreach(build IN ITEMS first residual wide)
  ptp_add_plugin(small_net_${build} FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/${build}"
    SOURCES "${CMAKE_CURRENT_BINARY_DIR}/walk_through/small_net_${build}.cpp")
endforeach()

# Loaded before the C library, in front of it: see their sources.
foreach(library IN ITEMS replace_once unknown_processor)
  add_library(${library} MODULE ../support/${library}.c)
  target_link_libraries(${library} PRIVATE ptp::warnings)
  set_target_properties(${library} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endforeach()
