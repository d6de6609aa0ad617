# ptp_add_training(<plugin> <experiment>...)
#
# Tests that experiments train with a plugin as it is built: a test `trains.<stem>` for each, in which
# ptprun trains from the beginning to the end. The run folder stays, in trainings/<stem> of the build folder.
# Without an installed ptprun, as where the SDK is installed alone, there are no such tests.

function(ptp_add_training plugin)
  if(NOT ARGN)
    message(FATAL_ERROR "ptp_add_training(${plugin}): usage: <plugin> <experiment>...")
  endif()
  if(NOT TARGET ${plugin})
    message(FATAL_ERROR "ptp_add_training(${plugin}): there is no plugin of this name; "
      "ptp_add_plugin() comes before it")
  endif()
  if(NOT TARGET ptprun)
    message(STATUS "ptp_add_training(${plugin}): not tested, because there is no ptprun beside the SDK")
    return()
  endif()
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM LAST_ONLY name)
    cmake_path(ABSOLUTE_PATH file)
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "ptp_add_training(${plugin}): ${file}: there is no such file")
    endif()
    add_test(NAME trains.${name}
      COMMAND sh -c [[rm -rf "$1" && exec "$0" "$2" --quiet --run-dir "$1" --plugins "$3"]]
        "$<TARGET_FILE:ptprun>" "${CMAKE_CURRENT_BINARY_DIR}/trainings/${name}" "${file}"
        "$<TARGET_FILE_DIR:${plugin}>")
    set_tests_properties(trains.${name} PROPERTIES
      LABELS plugin
      ENVIRONMENT "OMP_NUM_THREADS=1"
      TIMEOUT 300)
  endforeach()
endfunction()
