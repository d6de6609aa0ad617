# Whole runs whose trained pipelines predict.

ptp_add_test(predict_test
  SOURCES
    explain_attention_test.cpp
    explain_memory_test.cpp
    explain_prediction_test.cpp
    layer_list_test.cpp
    layers_test.cpp
    predict_files_test.cpp
    predict_scores_test.cpp
    predict_sections_test.cpp
    predict_test.cpp
    support.cpp
    training_process.cpp
    tried_test.cpp
    write_failures.cpp
    yes_or_no_test.cpp
  LIBS
    fmt::fmt
    nlohmann_json::nlohmann_json
    PNG::PNG
    ptp_launch
  LABELS runs)
add_dependencies(predict_test
  days exporters fusion_models general_models language language_models layers losses ptprun publishers rectified statistics
  tables text_statistics text_tasks transforms viewers vision_models vision_tasks write_failures)
