# Runs that are packed into one file and used in that form, and predictions for lines of JSON.

ptp_add_test(bundled_run_test
  SOURCES
    bundle_lineage_test.cpp
    bundle_names_test.cpp
    bundle_test.cpp
    bundle_use_test.cpp
    json_lines_test.cpp
    support.cpp
  LIBS
    nlohmann_json::nlohmann_json
    ptp_bundle
    PNG::PNG
  LABELS runs)
add_dependencies(bundled_run_test
  general_models losses ptp-bundle ptp-export ptp-inspect ptp-pack ptp-runs ptprun statistics tables transforms vision_models vision_tasks)
