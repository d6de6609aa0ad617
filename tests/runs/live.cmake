# Trainings that are asked for things, and whose plugins are exchanged, while they run.
ptp_add_test(live_runs_test
  SOURCES
    companions_test.cpp
    live_control_test.cpp
    live_resume_test.cpp
    live_run.cpp
    live_watch_test.cpp
    plugin_changes_test.cpp
    share_test.cpp
    swap_once_test.cpp
    swap_refused_for_now_test.cpp
    swap_task_test.cpp
    support.cpp
    swap_check_test.cpp
    swap_disk_full_test.cpp
    swap_layers_test.cpp
    walk_through_test.cpp
    training_process.cpp
  LIBS nlohmann_json::nlohmann_json ptp_base
  LABELS runs)
add_dependencies(live_runs_test
  accompanied drawn_bright drawn_first drawn_weighted
  ptp-inspect ptprun general_models losses recurrent recurrent_forgetful recurrent_residual recurrent_wide
  replace_once shy_1 shy_2 small_net_first small_net_residual small_net_wide
  statistics transforms vision_models vision_tasks witness)
