# The parts of ptp_add_plugin().

set(PTP_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# The language that links the plugin: C where all of it is C, so that it needs no C++ library.
function(ptp_plugin_language out name no_torch libs)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(is_cxx "${libs}") # what they are is not known
  foreach(source IN LISTS ARGN)
    cmake_path(GET source EXTENSION LAST_ONLY extension)
    if(extension STREQUAL ".c" AND NOT "C" IN_LIST languages)
      message(FATAL_ERROR "ptp_add_plugin(${name}): ${source} is C, which the project does not "
        "compile; write project(${PROJECT_NAME} LANGUAGES C CXX)")
    elseif(NOT extension MATCHES "^\\.(c|s|S)$")
      set(is_cxx TRUE)
      set(because "${source}")
    endif()
  endforeach()
  if(NOT no_torch)
    set(is_cxx TRUE)
    set(because "libtorch")
  endif()
  if("CXX" IN_LIST languages AND is_cxx)
    set(${out} CXX PARENT_SCOPE)
  elseif(because)
    message(FATAL_ERROR "ptp_add_plugin(${name}): ${because} is C++, which the project does not "
      "compile; write project(${PROJECT_NAME} LANGUAGES C CXX)")
  else()
    set(${out} C PARENT_SCOPE)
  endif()
endfunction()

# Defines PTP_PLUGIN_LICENSE, PTP_PLUGIN_AUTHOR and PTP_PLUGIN_HOMEPAGE for the plugin's descriptor;
# `out` are the arguments with which ptp-manifest sees to it that they are there.
function(ptp_plugin_facts out objects license author homepage)
  set(arguments "")
  foreach(fact IN ITEMS license author homepage)
    string(TOUPPER "PTP_PLUGIN_${fact}" variable)
    if(NOT "${${fact}}" STREQUAL "")
      set(text "${${fact}}")
    else()
      set(text "${${variable}}")
    endif()
    if(NOT text STREQUAL "")
      string(REGEX REPLACE "([\\\"])" "\\\\\\1" literal "${text}")
      string(REPLACE ";" "\\073" literal "${literal}") # it would begin another definition
      string(REPLACE ";" "$<SEMICOLON>" text "${text}")
      target_compile_definitions(${objects} PRIVATE "${variable}=\"${literal}\"")
      list(APPEND arguments "--${fact}" "${text}")
    endif()
  endforeach()
  set(${out} "${arguments}" PARENT_SCOPE)
endfunction()

# Links the objects of the object library and the further sources into a module with one symbol.
function(ptp_link_plugin target libs objects)
  add_library(${target} MODULE "$<TARGET_OBJECTS:${objects}>" ${ARGN})
  target_link_libraries(${target} PRIVATE ${libs})
  set(exports "${PTP_CMAKE_DIR}/plugin.map")
  if(WIN32)
    set(exports "${PTP_CMAKE_DIR}/windows/plugin.def")
    target_sources(${target} PRIVATE "${exports}")
  else()
    target_link_options(${target} PRIVATE
      "LINKER:--version-script=${exports}"
      "LINKER:--no-undefined")
  endif()
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    LINKER_LANGUAGE CXX
    INSTALL_RPATH_USE_LINK_PATH TRUE # a libtorch that lies elsewhere is found there still
    BUILD_WITH_INSTALL_RPATH TRUE # nothing changes the sealed file when it is installed
    LINK_DEPENDS "${exports}")
endfunction()

# Adds the last step: a file that is changed or damaged after it is refused by every scan.
function(ptp_seal_plugin target)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} "$<TARGET_FILE:ptp-manifest>" --seal "$<TARGET_FILE:${target}>"
    VERBATIM)
endfunction()

# The file with PTP_PLUGIN declares the components that others define: in a unity build it stays a unit
# of its own where those others do not all fit into one.
function(ptp_keep_entry_alone)
  list(LENGTH ARGN count)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE file)
    if(EXISTS "${file}" AND NOT (DEFINED PTP_UNITY_FILES AND count LESS_EQUAL PTP_UNITY_FILES))
      file(STRINGS "${file}" entry REGEX "^PTP_PLUGIN\\(" LIMIT_COUNT 1)
      if(entry)
        set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endif()
  endforeach()
endfunction()
