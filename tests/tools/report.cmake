# Reports: as files, and opened by a browser.
ptp_add_test(report_test
  SOURCES
    ptprun_report_test.cpp
    report_size_test.cpp
  LIBS nlohmann_json::nlohmann_json)
add_dependencies(report_test ptp-report ptprun)

if(Python3_Interpreter_FOUND)
  foreach(test IN ITEMS planted_labels_in_browser report_controls_in_browser report_in_browser report_mutated_in_browser
      report_of_killed_in_browser report_samples_in_browser)
    add_test(NAME tools.${test}
      COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/${test}.py" "${PROJECT_BINARY_DIR}/bin")
    set_tests_properties(tools.${test} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  set_tests_properties(tools.planted_labels_in_browser PROPERTIES LABELS slow)
endif()
