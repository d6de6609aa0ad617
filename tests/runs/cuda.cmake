# Trainings on a CUDA device, skipped where there is none.
ptp_add_test(cuda_test
  SOURCES
    cuda_ranks_test.cpp
    cuda_test.cpp
    interrupted.cpp
    ranks.cpp
    support.cpp
    together.cpp
    training_process.cpp
  LIBS nlohmann_json::nlohmann_json ptp_experiment
  LABELS runs cuda)
target_compile_definitions(cuda_test PRIVATE PTP_TEST_HAS_CUDA=$<BOOL:${PTP_TORCH_CUDA_LIBRARY}>)

# Loaded before CUDA's runtime, in front of it: see their sources.
foreach(library IN ITEMS count_waits device_for_each)
  add_library(${library} MODULE ../support/${library}.c)
  target_link_libraries(${library} PRIVATE ptp::warnings)
  set_target_properties(${library} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
endforeach()
add_dependencies(cuda_test
  augmentations count_waits device_for_each general_models losses ptprun ranked_plain statistics transforms vision_tasks witness)
