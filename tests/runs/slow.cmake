# What takes too long for each run of the tests.
ptp_add_test(slow_runs_test
  SOURCES
    few_descriptors.cpp
    interrupted.cpp
    slow_descriptors_test.cpp
    slow_resume_test.cpp
    support.cpp
    training_process.cpp
  LIBS nlohmann_json::nlohmann_json
  LABELS slow)
add_dependencies(slow_runs_test runs_test)
