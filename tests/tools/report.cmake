# Reports: as files, and opened by a browser.
ptp_add_test(report_test
  SOURCES
    ptprun_report_test.cpp
    report_size_test.cpp
  LIBS nlohmann_json::nlohmann_json)
add_dependencies(report_test ptp-report ptprun)

if(Python3_Interpreter_FOUND)
  add_test(NAME tools.report_in_browser
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/report_in_browser.py" "${PROJECT_BINARY_DIR}/bin")
  add_test(NAME tools.report_samples_in_browser
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/report_samples_in_browser.py" "${PROJECT_BINARY_DIR}/bin")
  set_tests_properties(tools.report_in_browser tools.report_samples_in_browser PROPERTIES SKIP_RETURN_CODE 77)
endif()
