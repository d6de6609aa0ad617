# Runs that are packed into one file and used in that form, and predictions for lines of JSON.

ptp_add_test(bundled_run_test
  SOURCES
    bundle_lineage_test.cpp
    bundle_names_test.cpp
    bundle_plugins_test.cpp
    bundle_set_test.cpp
    bundle_signal_test.cpp
    bundle_test.cpp
    bundle_use_test.cpp
    moved_data_test.cpp
    mapped_weights_test.cpp
    json_lines_test.cpp
    streamed_lines_test.cpp
    support.cpp
    training_process.cpp
  LIBS
    nlohmann_json::nlohmann_json
    ptp_bundle
    PNG::PNG
  LABELS runs)
add_dependencies(bundled_run_test
  accompanied accompanied_later general_models hostile_crash language losses ptp-bundle ptp-export ptp-data ptp-inspect ptp-manifest ptp-pack ptp-runs ptprun statistics rectified tables text_tasks transforms vision_models vision_tasks write_into)
