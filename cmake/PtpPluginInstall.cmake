# What is made of a plugin that is linked: its test, what lies beside it, its installation. Parts of
# ptp_add_plugin().

# ptp_test_plugin(<name> <file of settings or "">)
function(ptp_test_plugin name check_with)
  set(with "")
  if(check_with)
    cmake_path(ABSOLUTE_PATH check_with OUTPUT_VARIABLE file)
    set(with --with "${file}")
  endif()
  if(PTP_CHECK_STRICT)
    list(APPEND with --strict)
  endif()
  if(PTP_SANITIZE) # all takes several times as long
    list(APPEND with --time-limit 300)
  endif()
  add_test(NAME plugin.${name}.conforms
    COMMAND ptp-inspect --check "$<TARGET_FILE:${name}>" ${with})
  set_tests_properties(plugin.${name}.conforms PROPERTIES
    LABELS plugin
    ENVIRONMENT_MODIFICATION "${PTP_TEST_LIBRARIES}") # of ptp's own tree
endfunction()

# ptp_place_beside(<name> <folder> <data or ""> <library>...): in the build.
function(ptp_place_beside name folder data)
  foreach(library IN LISTS ARGN)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND "${CMAKE_COMMAND}" -E copy_if_different
              "$<TARGET_FILE:${library}>" "${folder}/$<TARGET_SONAME_FILE_NAME:${library}>"
      VERBATIM)
  endforeach()
  if(ARGN)
    set_property(TARGET ${name} APPEND PROPERTY INSTALL_RPATH "$ORIGIN")
    set_target_properties(${name}-probe PROPERTIES BUILD_WITH_INSTALL_RPATH FALSE)
  endif()
  if(data)
    cmake_path(ABSOLUTE_PATH data)
    add_custom_target(${name}-data # each time: files may have come and gone
      COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}/${name}.data"
      COMMAND "${CMAKE_COMMAND}" -E copy_directory "${data}" "${folder}/${name}.data"
      VERBATIM)
    add_dependencies(${name} ${name}-data)
  endif()
endfunction()

# ptp_install_plugin(<name> <folder> <data or ""> <library>...)

# An installed ptprun looks in ../lib/ptp/plugins beside its own folder, one in /usr/bin in /usr/local too; what is
# installed elsewhere has to be named to it.
function(ptp_install_plugin name built data)
  set(folder lib/ptp/plugins)
  foreach(library IN LISTS ARGN)
    install(FILES "${built}/$<TARGET_SONAME_FILE_NAME:${library}>" DESTINATION ${folder}
      COMPONENT plugins)
  endforeach()
  if(data)
    install(DIRECTORY "${built}/${name}.data" DESTINATION ${folder} COMPONENT plugins)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${folder} COMPONENT plugins)
  install(CODE "
    if(NOT EXISTS \"\${CMAKE_INSTALL_PREFIX}/bin/ptprun\" AND \"\$ENV{DESTDIR}\" STREQUAL \"\"
        AND NOT (CMAKE_INSTALL_PREFIX STREQUAL \"/usr/local\" AND EXISTS \"/usr/bin/ptprun\"))
      message(STATUS \"There is no ptprun in \${CMAKE_INSTALL_PREFIX}/bin. To let another one find \"
        \"${name}: --plugins \${CMAKE_INSTALL_PREFIX}/${folder}, or this folder in PTP_PLUGIN_PATH\")
    endif()" COMPONENT plugins)
endfunction()
