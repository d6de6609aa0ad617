# Trainings on a CUDA device, skipped where there is none.
ptp_add_test(cuda_test
  SOURCES
    cuda_test.cpp
    interrupted.cpp
    ranks.cpp
    support.cpp
    together.cpp
    training_process.cpp
  LIBS nlohmann_json::nlohmann_json ptp_experiment
  LABELS runs cuda)

# Loaded before CUDA's runtime, in front of it: see its source.
add_library(count_waits MODULE ../support/count_waits.c)
target_link_libraries(count_waits PRIVATE ptp::warnings)
set_target_properties(count_waits PROPERTIES
  PREFIX ""
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
add_dependencies(cuda_test
  augmentations count_waits general_models losses ptprun statistics transforms vision_tasks witness)
