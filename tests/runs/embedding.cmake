# libptp in this process. It opens the engine itself.

ptp_add_test(embedding_test
  SOURCES
    embedding_bundle_test.cpp
    embedding_nested_test.cpp
    embedding_predict_test.cpp
    embedding_program_test.cpp
    embedding_resume_test.cpp
    embedding_support.cpp
    embedding_test.cpp
    support.cpp
  LIBS
    nlohmann_json::nlohmann_json
    ptp_shared
  LABELS runs)
target_compile_definitions(embedding_test PRIVATE "PTP_C_COMPILER=\"${CMAKE_C_COMPILER}\"")
add_dependencies(embedding_test
  accompanied consulting general_models hostile_crash losses ptp-bundle ptp-inspect ptp-pack ptprun statistics transforms vision_tasks)
