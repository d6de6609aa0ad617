# What is built for Windows: all that needs no libtorch, that is, what reads and checks experiments and
# plugins and loads plugins. Included by the whole tree's CMakeLists.txt in place of the rest.
#
# PTP_WINDOWS_LIBRARIES is the folder that cmake/windows/dependencies.sh fills.

set(PTP_WINDOWS_LIBRARIES "$ENV{HOME}/.cache/ptp/windows" CACHE PATH
  "What cmake/windows/dependencies.sh has put there")
if(NOT EXISTS "${PTP_WINDOWS_LIBRARIES}/program_options")
  message(FATAL_ERROR "${PTP_WINDOWS_LIBRARIES} is not complete: run "
    "cmake/windows/dependencies.sh ${PTP_WINDOWS_LIBRARIES}")
endif()

# A DLL exports what its file of definitions names, whatever the visibility of its symbols.
unset(CMAKE_C_VISIBILITY_PRESET)
unset(CMAKE_CXX_VISIBILITY_PRESET)
unset(CMAKE_VISIBILITY_INLINES_HIDDEN)
add_compile_options(-Wno-attributes)
# Of a unity build's units there are more sections than a plain object file may have.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wa,-mbig-obj>")
add_compile_definitions(_WIN32_WINNT=0x0A00 _FILE_OFFSET_BITS=64 _POSIX_C_SOURCE=200809L NOMINMAX
  WIN32_LEAN_AND_MEAN BOOST_ALL_NO_LIB)

set(PTP_LIBTORCH_FINGERPRINT "none")

# Libraries that are headers, under the names that the other CMakeLists.txt have for them.
add_library(ptp_windows_headers INTERFACE)
target_include_directories(ptp_windows_headers SYSTEM INTERFACE "${PTP_WINDOWS_LIBRARIES}/include")
target_compile_definitions(ptp_windows_headers INTERFACE FMT_HEADER_ONLY BOOST_DLL_USE_STD_FS)
foreach(name IN ITEMS fmt::fmt nlohmann_json::nlohmann_json Boost::filesystem doctest::doctest)
  add_library(${name} ALIAS ptp_windows_headers)
endforeach()

# SHA-256 is of the system; see runtime/base/sha256_windows.cpp.
add_library(ptp_windows_crypto INTERFACE)
target_link_libraries(ptp_windows_crypto INTERFACE ptp_windows_headers bcrypt)
add_library(OpenSSL::Crypto ALIAS ptp_windows_crypto)

file(GLOB sources "${PTP_WINDOWS_LIBRARIES}/program_options/*.cpp") # is Boost's list
list(FILTER sources EXCLUDE REGEX "winmain")
add_library(ptp_windows_program_options STATIC ${sources})
target_link_libraries(ptp_windows_program_options PUBLIC ptp_windows_headers)
target_compile_options(ptp_windows_program_options PRIVATE -w)
set_target_properties(ptp_windows_program_options PROPERTIES UNITY_BUILD OFF)
add_library(Boost::program_options ALIAS ptp_windows_program_options)

include(PtpPlugin)
include(PtpUnity)
enable_testing()

add_subdirectory(sdk)
add_subdirectory(runtime/base)
add_subdirectory(runtime/schema)
add_subdirectory(runtime/experiment)
add_subdirectory(runtime/plugin)
add_subdirectory(runtime/pipeline)
add_subdirectory(tools/reference)
add_subdirectory(tools/common)
add_subdirectory(tools/ptp-manifest)
add_subdirectory(tools/ptp-inspect)
add_subdirectory(tests/windows)

# No plugin comes with this half; see runtime/plugin/search_path.hpp.
target_compile_definitions(ptp_plugin PRIVATE "PTP_FIRST_PARTY_PLUGINS=\"\"")

ptp_group_all_by_folder()
