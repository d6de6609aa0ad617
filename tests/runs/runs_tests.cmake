# All tests of this folder but the slow ones, and the programs that they start. ./dev test builds it for a second
# libtorch.

get_property(runs_tests DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER runs_tests INCLUDE REGEX "_test$")
list(REMOVE_ITEM runs_tests slow_runs_test)
add_custom_target(runs_tests DEPENDS ${runs_tests} programs)
