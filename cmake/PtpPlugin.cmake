# ptp_add_plugin(<name> SOURCES <file>... [LIBS <target>...] [BESIDE <target>...] [DATA <folder>]
#                [NO_TORCH] [FOLDER <folder>] [LICENSE <SPDX>] [AUTHOR <who>] [HOMEPAGE <address>]
#                [CHECK_WITH <file>] [NO_CHECK] [NO_INSTALL])
#
# The only way to build a plugin with CMake. Gives it the SDK and the warnings, exports one symbol,
# puts the manifest into the file and the file into lib/ptp/plugins of the build folder, adds the
# test `plugin.<name>.conforms`, and installs the file where ptprun looks for it:
# lib/ptp/plugins below the prefix.
#
#   LIBS        what it is linked with, as target_link_libraries() takes it: PNG::PNG, jpeg
#   BESIDE      shared libraries that it is linked with, and that lie beside it and travel with it
#   DATA        a folder that lies beside it as <name>.data and travels with it: Setup::data_folder()
#   NO_TORCH    the plugin needs no libtorch; it may be plain C
#   FOLDER      where the file goes instead, in the build
#   LICENSE     and AUTHOR, HOMEPAGE: what ptp-inspect shows; without them the variables
#               PTP_PLUGIN_LICENSE and so on, if they are set
#   CHECK_WITH  settings for the conformance test, a TOML file with a table for each type that needs
#               some: ptp-inspect --check --with
#   NO_CHECK    no conformance test: for plugins that are wrong on purpose; of the others it fails on
#               warnings too where the variable PTP_CHECK_STRICT is set
#   NO_INSTALL  not installed; with PTP_INSTALL_PLUGINS = OFF none is
#
# The manifest is the plugin's own description of itself, written as an ELF note. It is taken from
# a first link, the probe: `ptp-manifest` opens it, asks for its descriptor and writes the note. After
# the second link `ptp-manifest --seal` binds the note to the code with a hash.

include("${CMAKE_CURRENT_LIST_DIR}/PtpPluginParts.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/PtpPluginInstall.cmake")

function(ptp_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_TORCH;NO_CHECK;NO_INSTALL"
    "DATA;FOLDER;LICENSE;AUTHOR;HOMEPAGE;CHECK_WITH" "SOURCES;LIBS;BESIDE")
  list(REMOVE_ITEM arg_KEYWORDS_MISSING_VALUES LIBS BESIDE) # a list may be empty
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "ptp_add_plugin(${name}): usage: <name> SOURCES <file>... "
      "[LIBS <target>...] [BESIDE <target>...] [DATA <folder>] [NO_TORCH] [FOLDER <folder>] "
      "[LICENSE <SPDX>] [AUTHOR <who>] "
      "[HOMEPAGE <address>] [CHECK_WITH <file>] [NO_CHECK] [NO_INSTALL]")
  endif()
  if(NOT arg_FOLDER)
    set(arg_FOLDER "${PROJECT_BINARY_DIR}/lib/ptp/plugins")
  endif()
  ptp_plugin_language(language ${name} "${arg_NO_TORCH}" "${arg_LIBS}" ${arg_SOURCES})
  list(APPEND arg_LIBS ${arg_BESIDE})
  set(libs ptp::sdk_torch ptp::warnings ${arg_LIBS})
  if(arg_NO_TORCH)
    set(libs ptp::sdk ptp::warnings ${arg_LIBS})
  elseif(NOT TARGET ptp::sdk_torch)
    message(FATAL_ERROR "ptp_add_plugin(${name}): without NO_TORCH it needs "
      "find_package(ptp COMPONENTS torch)")
  endif()

  add_library(${name}-objects OBJECT ${arg_SOURCES})
  ptp_keep_entry_alone(${arg_SOURCES})
  target_link_libraries(${name}-objects PRIVATE ${libs})
  ptp_plugin_compile_options(${name}-objects)
  if(NOT arg_NO_TORCH AND COMMAND ptp_use_torch_pch) # an installed SDK is without
    ptp_use_torch_pch(${name}-objects)
  endif()
  ptp_plugin_facts(facts ${name}-objects "${arg_LICENSE}" "${arg_AUTHOR}" "${arg_HOMEPAGE}")

  set(manifest "${CMAKE_CURRENT_BINARY_DIR}/${name}.manifest.S")
  ptp_link_plugin(${name}-probe "${libs}" ${name}-objects)
  set_target_properties(${name}-probe PROPERTIES
    OUTPUT_NAME ${name}
    LINKER_LANGUAGE ${language}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/probe")
  add_custom_command(
    OUTPUT "${manifest}"
    COMMAND "${CMAKE_COMMAND}" -E env --modify ASAN_OPTIONS=path_list_append:detect_leaks=0
            ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:ptp-manifest>" "$<TARGET_FILE:${name}-probe>" "${manifest}" ${facts}
    DEPENDS ptp-manifest ${name}-probe
    COMMENT "Describing plugin ${name}"
    VERBATIM)

  ptp_link_plugin(${name} "${libs}" ${name}-objects ${manifest})
  ptp_seal_plugin(${name})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE ${language}
    LIBRARY_OUTPUT_DIRECTORY "${arg_FOLDER}")
  set_property(GLOBAL APPEND PROPERTY PTP_PLUGINS ${name})
  ptp_place_beside(${name} "${arg_FOLDER}" "${arg_DATA}" ${arg_BESIDE})

  if(NOT arg_NO_CHECK)
    ptp_test_plugin(${name} "${arg_CHECK_WITH}")
  endif()
  if(NOT arg_NO_INSTALL AND (NOT DEFINED PTP_INSTALL_PLUGINS OR PTP_INSTALL_PLUGINS))
    ptp_install_plugin(${name} "${arg_FOLDER}" "${arg_DATA}" ${arg_BESIDE})
  endif()
endfunction()
