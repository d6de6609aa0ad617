# Every file that is written, refused by itself, and few descriptors.
ptp_add_test(write_failures_test
  SOURCES
    descriptors_test.cpp
    few_descriptors.cpp
    interrupted.cpp
    limits_test.cpp
    live_run.cpp
    support.cpp
    training_process.cpp
    write_failures.cpp
    write_failures_build_test.cpp
    write_failures_commands_test.cpp
    write_failures_results_test.cpp
    write_failures_swap_test.cpp
    write_failures_training_test.cpp
  ALL
    descriptors_test.cpp
    limits_test.cpp
    write_failures_results_test.cpp
    write_failures_swap_test.cpp
    write_failures_training_test.cpp
  LIBS nlohmann_json::nlohmann_json
  LABELS runs)
add_dependencies(write_failures_test
  exporters general_models good losses ptp-inspect ptp-manifest ptprun recurrent
  recurrent_residual statistics transforms viewers vision_tasks write_failures)
