# The functions that build the plugins of this folder.

function(add_kit_objects way)
  string(TOUPPER "MISBEHAVES_${way}" definition)
  add_library(kit_${way}-objects OBJECT "${source}")
  target_link_libraries(kit_${way}-objects PRIVATE ptp::sdk ptp::warnings)
  target_compile_definitions(kit_${way}-objects PRIVATE ${definition})
  target_include_directories(kit_${way}-objects PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/..")
  ptp_plugin_compile_options(kit_${way}-objects)
endfunction()

# A plugin that is right, and whose manifest others have.
function(add_kit_probe way)
  add_kit_objects(${way})
  ptp_link_plugin(kit_${way} ptp::sdk kit_${way}-objects)
  set_target_properties(kit_${way} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  set(manifest "${CMAKE_CURRENT_BINARY_DIR}/${way}.manifest.S")
  add_custom_command(
    OUTPUT "${manifest}"
    COMMAND "$<TARGET_FILE:ptp-manifest>" "$<TARGET_FILE:kit_${way}>" "${manifest}"
    DEPENDS ptp-manifest kit_${way}
    VERBATIM)
endfunction()

# add_kit_plugin(<way> [NO_MAP] [NO_MANIFEST] [PROBE <way>] [LINK <option>...])
#
#   NO_MAP       its own symbols stay visible
#   NO_MANIFEST  the file has none
#   PROBE        whose manifest it has
function(add_kit_plugin way)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_MAP;NO_MANIFEST" "PROBE" "LINK")
  add_kit_objects(${way})
  if(NOT arg_PROBE)
    set(arg_PROBE probe)
  endif()
  set(note "${CMAKE_CURRENT_BINARY_DIR}/${arg_PROBE}.manifest.S")
  if(arg_NO_MANIFEST)
    set(note "")
  endif()
  if(arg_NO_MAP)
    add_library(kit_${way} MODULE "$<TARGET_OBJECTS:kit_${way}-objects>" ${note})
    set_target_properties(kit_${way} PROPERTIES PREFIX "" LINKER_LANGUAGE C)
  else()
    ptp_link_plugin(kit_${way} ptp::sdk kit_${way}-objects ${note})
  endif()
  if(NOT arg_NO_MANIFEST)
    ptp_seal_plugin(kit_${way})
  endif()
  target_link_options(kit_${way} PRIVATE ${arg_LINK})
  set_target_properties(kit_${way} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}")
  set_property(GLOBAL APPEND PROPERTY PTP_HOSTILE_PLUGINS kit_${way})
endfunction()
