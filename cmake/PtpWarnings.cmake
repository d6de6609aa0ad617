# Target ptp::warnings: the warnings all code here is free of. Linked PRIVATE.

option(PTP_WERROR "Treat warnings as errors" OFF)

if(TARGET ptp::warnings) # two projects of one build may each look for ptp
  return()
endif()

add_library(ptp_warnings INTERFACE)
add_library(ptp::warnings ALIAS ptp_warnings)
target_compile_options(ptp_warnings INTERFACE -Wall -Wextra "$<$<BOOL:${PTP_WERROR}>:-Werror>")

# From version 13 on g++ takes members of std::optional in libtorch's headers for uninitialized; 12 still looks for others.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(ptp_warnings INTERFACE -Wno-maybe-uninitialized)
endif()
