# clang-tidy for the sources of each part, in a test of its own.

# Each part with the folders that it has.
foreach(part IN ITEMS
    "free_of_libtorch:runtime/(base|schema|distributed|experiment|plugin|pipeline|run|bundle|control|host)/|tools/(common|ptprun|ptp-[^c])"
    "engine:runtime/(engine|solo)/|tools/ptp-cases/"
    "plugins:plugins/"
    "unit_tests:tests/unit/"
    "tests:tests/[^u]")
  string(REGEX MATCH "^([a-z_]+):(.*)$" part "${part}")
  add_test(NAME "structure.clang_tidy.${CMAKE_MATCH_1}"
    COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/clang_tidy.sh" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}"
      "${CMAKE_MATCH_2}")
  set_tests_properties("structure.clang_tidy.${CMAKE_MATCH_1}"
    PROPERTIES LABELS slow SKIP_RETURN_CODE 77 TIMEOUT 1800)
endforeach()
