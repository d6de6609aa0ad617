# Target ptp::warnings: the warnings all code here is free of. Linked PRIVATE.

option(PTP_WERROR "Treat warnings as errors" OFF)

add_library(ptp_warnings INTERFACE)
add_library(ptp::warnings ALIAS ptp_warnings)
target_compile_options(ptp_warnings INTERFACE -Wall -Wextra "$<$<BOOL:${PTP_WERROR}>:-Werror>")
