# ptp_add_plugin(<name> SOURCES <file>... [LIBS <target>...] [NO_TORCH] [FOLDER <folder>] [NO_CHECK])
#
# The only way to build a plugin. Gives it the SDK and the warnings, exports one symbol, puts the
# manifest into the file and the file into lib/ptp/plugins of the build folder, and adds the test
# `plugin.<name>.conforms`.
#
#   NO_TORCH  the plugin needs no libtorch; it may be plain C
#   FOLDER    where the file goes instead
#   NO_CHECK  no conformance test: for plugins that are wrong on purpose
#
# The manifest is the plugin's own description of itself, written as an ELF note. It is taken from
# a first link, the probe: `ptp-manifest` opens it, asks for its descriptor and writes the note.

set(PTP_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

function(ptp_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_TORCH;NO_CHECK" "FOLDER" "SOURCES;LIBS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ptp_add_plugin(${name}): usage: <name> SOURCES <file>... "
      "[LIBS <target>...] [NO_TORCH] [FOLDER <folder>] [NO_CHECK]")
  endif()
  if(NOT arg_FOLDER)
    set(arg_FOLDER "${PROJECT_BINARY_DIR}/lib/ptp/plugins")
  endif()
  set(libs ptp::sdk_torch ptp::warnings ${arg_LIBS})
  if(arg_NO_TORCH)
    set(libs ptp::sdk ptp::warnings ${arg_LIBS})
  elseif(NOT TARGET ptp::sdk_torch)
    message(FATAL_ERROR "ptp_add_plugin(${name}): without NO_TORCH it needs "
      "find_package(ptp COMPONENTS torch)")
  endif()

  add_library(${name}-objects OBJECT ${arg_SOURCES})
  target_link_libraries(${name}-objects PRIVATE ${libs})
  ptp_plugin_compile_options(${name}-objects)
  if(NOT arg_NO_TORCH AND COMMAND ptp_use_torch_pch) # an installed SDK is without
    ptp_use_torch_pch(${name}-objects)
  endif()

  set(manifest "${CMAKE_CURRENT_BINARY_DIR}/${name}.manifest.S")
  ptp_link_plugin(${name}-probe "${libs}" ${name}-objects)
  set_target_properties(${name}-probe PROPERTIES
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/probe")
  add_custom_command(
    OUTPUT "${manifest}"
    COMMAND "${CMAKE_COMMAND}" -E env --modify ASAN_OPTIONS=path_list_append:detect_leaks=0
            "$<TARGET_FILE:ptp-manifest>" "$<TARGET_FILE:${name}-probe>" "${manifest}"
    DEPENDS ptp-manifest ${name}-probe
    COMMENT "Describing plugin ${name}"
    VERBATIM)

  ptp_link_plugin(${name} "${libs}" ${name}-objects ${manifest})
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${arg_FOLDER}")
  set_property(GLOBAL APPEND PROPERTY PTP_PLUGINS ${name})

  if(NOT arg_NO_CHECK)
    add_test(NAME plugin.${name}.conforms
      COMMAND ptp-inspect --check "$<TARGET_FILE:${name}>")
    set_tests_properties(plugin.${name}.conforms PROPERTIES LABELS plugin)
  endif()
endfunction()

# Links the objects of the object library and the further sources into a module with one symbol.
function(ptp_link_plugin target libs objects)
  add_library(${target} MODULE "$<TARGET_OBJECTS:${objects}>" ${ARGN})
  target_link_libraries(${target} PRIVATE ${libs})
  target_link_options(${target} PRIVATE
    "LINKER:--version-script=${PTP_CMAKE_DIR}/plugin.map"
    "LINKER:--no-undefined")
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    LINKER_LANGUAGE CXX
    LINK_DEPENDS "${PTP_CMAKE_DIR}/plugin.map")
endfunction()
