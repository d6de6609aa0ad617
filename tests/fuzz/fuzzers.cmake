# ptp-fuzz-<target> for each target: clang's libFuzzer around code that gcc has instrumented, because
# clang 14 cannot compile this tree (coverage.c is what goes between).

execute_process(COMMAND clang-14 --print-file-name=libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a
  OUTPUT_VARIABLE libfuzzer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT IS_ABSOLUTE "${libfuzzer}")
  file(GLOB libfuzzer "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-${CMAKE_SYSTEM_PROCESSOR}.a")
endif()
if(NOT libfuzzer)
  message(FATAL_ERROR "libFuzzer was not found: install Debian's package libclang-rt-dev")
endif()
list(GET libfuzzer -1 libfuzzer)

set(include_folders "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/plugins/vision_tasks")
add_library(fuzz_coverage OBJECT coverage.c)
target_compile_options(fuzz_coverage PRIVATE -fno-sanitize=all) # called before a sanitizer is ready
add_library(fuzz_targets STATIC ${sources})
target_link_libraries(fuzz_targets PUBLIC ${libs} PRIVATE ptp::warnings)
target_include_directories(fuzz_targets PRIVATE ${include_folders})

# Of the engine only what reads weights.
set(engine "${PROJECT_SOURCE_DIR}/runtime/engine")
add_library(fuzz_weights STATIC
  input_file.cpp
  weights.cpp
  "${engine}/checkpoint/safetensors.cpp"
  "${engine}/pretrained/pickle.cpp"
  "${engine}/pretrained/torch_legacy.cpp"
  "${engine}/pretrained/torch_pickle.cpp"
  "${engine}/pretrained/torch_zip.cpp")
target_link_libraries(fuzz_weights
  PUBLIC ptp_experiment ptp_base ptp::torch PkgConfig::libzip nlohmann_json::nlohmann_json
  PRIVATE ptp::warnings)
target_include_directories(fuzz_weights PRIVATE ${include_folders})

add_custom_target(fuzzers)

# add_fuzzer(<target> <library that has it>)
function(add_fuzzer name library)
  add_executable(ptp-fuzz-${name} driver.cpp "$<TARGET_OBJECTS:fuzz_coverage>")
  target_compile_definitions(ptp-fuzz-${name} PRIVATE "PTP_FUZZ_TARGET=${name}")
  target_include_directories(ptp-fuzz-${name} PRIVATE ${include_folders})
  target_link_libraries(ptp-fuzz-${name} PRIVATE ${library} "${libfuzzer}" ${CMAKE_DL_LIBS})
  # libFuzzer has a function of that name too, which says that it takes clang alone.
  target_link_options(ptp-fuzz-${name} PRIVATE "LINKER:--allow-multiple-definition")
  add_dependencies(fuzzers ptp-fuzz-${name})
endfunction()

foreach(name IN ITEMS bundle control expressions idx images journal manifest package plugin_file shards toml)
  add_fuzzer(${name} fuzz_targets)
endforeach()
foreach(name IN ITEMS pickle safetensors torch_zip)
  add_fuzzer(${name} fuzz_weights)
endforeach()
