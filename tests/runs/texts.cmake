# Whole runs on texts, and on questions about images.

find_package(JPEG REQUIRED)

ptp_add_test(text_runs_test
  SOURCES
    ../plugins/image_files.cpp
    ../plugins/pictures.cpp
    ../plugins/vqa_med_files.cpp
    header_names_test.cpp
    later_steps_test.cpp
    length_grouping_test.cpp
    padding_test.cpp
    predict_continue_test.cpp
    predict_fixes_test.cpp
    predict_pictures_test.cpp
    predict_tables_test.cpp
    predict_texts_test.cpp
    question_tasks_test.cpp
    same_bits.cpp
    support.cpp
    text_tasks_test.cpp
    tokens_test.cpp
    training_process.cpp
    value_targets_test.cpp
    vocabulary_test.cpp
  LIBS
    nlohmann_json::nlohmann_json
    JPEG::JPEG
    PNG::PNG
    ZLIB::ZLIB
  LABELS runs)
add_dependencies(text_runs_test
  exporters fusion_models general_models language language_models layers losses ptp-bundle ptp-search ptprun statistics subwords tables text_tasks transforms vision_tasks)
