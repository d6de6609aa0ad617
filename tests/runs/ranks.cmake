# Trainings in several processes: what becomes of them where one is lost, what is done to all of them while they run,
# and over networks.
foreach(build IN ITEMS plain objecting)
  ptp_add_plugin(ranked_${build} NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/ranked_${build}"
    SOURCES ranked.cpp)
endforeach()
target_compile_definitions(ranked_objecting-objects PRIVATE RANKED_OBJECTING)

ptp_add_test(ranks_test
  SOURCES
    live_run.cpp
    processes_test.cpp
    ranks.cpp
    ranks_failure_test.cpp
    ranks_live_test.cpp
    ranks_network_test.cpp
    ranks_start_test.cpp
    ranks_swap_test.cpp
    shards_test.cpp
    shared_sweep_test.cpp
    support.cpp
    training_process.cpp
    write_failures.cpp
  LIBS nlohmann_json::nlohmann_json ptp_launch ptp_run
  LABELS runs)
add_dependencies(ranks_test
  exporters general_models losses mortal ptprun ranked_objecting ranked_plain recurrent recurrent_residual recurrent_wide statistics transforms
  vision_tasks write_failures)

ptp_add_test(together_test
  SOURCES
    interrupted.cpp
    nothing_counts.cpp
    nothing_counts_test.cpp
    ranks.cpp
    ranks_buffers_test.cpp
    shared_probe_test.cpp
    shared_samples_test.cpp
    support.cpp
    together.cpp
    together_options_test.cpp
    together_test.cpp
    training_process.cpp
    whole_batch_test.cpp
  ALL nothing_counts_test.cpp
  LIBS nlohmann_json::nlohmann_json ptp_base
  LABELS runs)
add_dependencies(together_test
  augmentations fusion_models general_models language layers losses masking ptprun publishers ranked_plain statistics text_statistics text_tasks
  transforms vision_models vision_tasks)

ptp_add_test(search_test
  SOURCES
    search_ends_test.cpp
    search_support.cpp
    search_test.cpp
    search_values_test.cpp
    support.cpp
    training_process.cpp
  LIBS nlohmann_json::nlohmann_json
  LABELS runs)
add_dependencies(search_test general_models losses mortal ptprun statistics transforms vision_tasks)
