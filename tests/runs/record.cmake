# Trainings with one recorded component, and two builds of a plugin for them.
foreach(build IN ITEMS first changed)
  set(version 1.0.0)
  if(build STREQUAL "changed")
    set(version 2.0.0)
  endif()
  ptp_add_plugin(flows_${build} NO_TORCH NO_CHECK FOLDER "${PROJECT_BINARY_DIR}/tests/runs/builds/flows_${build}"
    SOURCES flows.cpp)
  string(TOUPPER "FLOWS_${build}" definition)
  target_compile_definitions(flows_${build}-objects PRIVATE ${definition} "FLOWS_VERSION=\"${version}\"")
endforeach()
ptp_add_test(record_test
  SOURCES
    flows_test.cpp
    record_test.cpp
    recorded.cpp
    unfinished_test.cpp
    support.cpp
  LIBS
    nlohmann_json::nlohmann_json
    PNG::PNG
  LABELS runs)
add_dependencies(record_test
  flows_changed flows_first general_models losses ptp-inspect ptprun statistics transforms vision_tasks)

# Builds that are fed with recordings; those of the failing swaps do one thing wrong each.
ptp_add_test(replay_test
  SOURCES
    recorded.cpp
    replay_test.cpp
    support.cpp
  LIBS
    nlohmann_json::nlohmann_json
    PNG::PNG
  LABELS runs)
add_dependencies(replay_test
  drawn_bright drawn_first general_models losses ptp-inspect ptprun)
foreach(name IN ITEMS
    crashes_in_create crashes_in_forward hangs_in_forward has_no_state has_wrong_shape is_detached
    is_nan is_scaled is_wider loses_parameter none rounds_in_forward throws_in_forward)
  add_dependencies(replay_test mischief_${name})
endforeach()
