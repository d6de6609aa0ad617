# PTP_TEST_LIBRARIES: how the environment of a test is modified, so that libtorch starts in two thirds of the time.
#
# Debian's libtorch is linked with OpenCV and FFmpeg, for operators of Caffe2 that ptp does not call. Of the 290
# libraries that it loads these need 210, and the tests start it 1,500 times. Tests in C++ find empty libraries with
# these names; those in shell load all that users load, and train as well.

set(PTP_TEST_LIBRARIES "")
if(NOT PTP_SANITIZE)
  set(folder "${PROJECT_BINARY_DIR}/tests/unused_libraries")
  set(script "${PROJECT_SOURCE_DIR}/tests/support/unused_libraries.sh")
  add_custom_command(
    OUTPUT "${folder}.made"
    COMMAND "${script}" "${CMAKE_C_COMPILER}" "${PTP_TORCH_CPU_LIBRARY}" "${folder}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${folder}.made"
    DEPENDS "${script}" "${PTP_TORCH_CPU_LIBRARY}"
    VERBATIM)
  add_custom_target(ptp_test_libraries ALL DEPENDS "${folder}.made")
  set(PTP_TEST_LIBRARIES "LD_LIBRARY_PATH=path_list_prepend:${folder}")
endif()
