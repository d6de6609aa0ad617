# The environment of all tests: what CTest reads before it runs them.

# No test finds the plugins of who runs it, nor what ptp-inspect remembers of them. The compiler's
# cache stays where it is.
set(ptp_test_home "${PROJECT_BINARY_DIR}/tests/home")
# Projects that tests build in folders of /tmp find there what they have compiled before.
set(ptp_test_launcher "")
if(CMAKE_CXX_COMPILER_LAUNCHER)
  string(CONCAT ptp_test_launcher
    "set(ENV{CMAKE_C_COMPILER_LAUNCHER} \"${CMAKE_CXX_COMPILER_LAUNCHER}\")\n"
    "set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} \"${CMAKE_CXX_COMPILER_LAUNCHER}\")\n"
    "set(ENV{CCACHE_BASEDIR} /tmp)\n"
    "set(ENV{CCACHE_NOHASHDIR} true)\n"
    "set(ENV{CCACHE_SLOPPINESS} pch_defines,time_macros,include_file_ctime,include_file_mtime)\n")
endif()
file(WRITE "${ptp_test_home}/environment.cmake"
  "if(NOT DEFINED ENV{CCACHE_DIR} AND NOT DEFINED ENV{XDG_CACHE_HOME})\n"
  "  set(ENV{CCACHE_DIR} \"\$ENV{HOME}/.cache/ccache\")\n"
  "elseif(NOT DEFINED ENV{CCACHE_DIR})\n"
  "  set(ENV{CCACHE_DIR} \"\$ENV{XDG_CACHE_HOME}/ccache\")\n"
  "endif()\n"
  "set(ENV{XDG_DATA_HOME} \"${ptp_test_home}/data\")\n"
  "${ptp_test_launcher}"
  "set(ENV{XDG_CACHE_HOME} \"${ptp_test_home}/cache\")\n")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${ptp_test_home}/environment.cmake")
