# What `cmake --install` puts where; it may be moved afterwards. Components, each of which is a package of
# Debian too (cmake/PtpPackage.cmake):
#
#   runtime   the programs that train, the engine, experiments, manual pages, completion
#   plugins   the first-party plugins
#   python    what plugins written in Python need, if Python's headers are there
#   sdk       what a plugin author needs, usable alone: find_package(ptp) gives ptp::sdk, ptp::sdk_torch,
#             ptp_add_plugin(), ptp_add_cases() and ptp_add_training()
#
# The target `installed` builds all of it, and nothing that only tests need.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(PtpProgramHelp)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ptp")
set(share_dir "${CMAKE_INSTALL_DATADIR}/ptp")

set(runtime_programs ptprun ptp-inspect ptp-import)
set(sdk_programs ptp-cases ptp-inspect ptp-manifest ptp-new)
if(TARGET ptp-pack)
  list(APPEND runtime_programs ptp-pack)
  install(TARGETS ptp-pack COMPONENT runtime)
endif()

list(APPEND runtime_programs ptp-bundle ptp-data ptp-export ptp-find-lr ptp-mlflow) # of `ptprun NAME`

set(programs ${runtime_programs} ${sdk_programs})
list(REMOVE_DUPLICATES programs)
ptp_add_program_help(${programs})
add_custom_target(installed DEPENDS programs ${programs} ptp_shared program_help)

# ---- runtime

install(TARGETS ptp-inspect COMPONENT runtime)
ptp_install_program_help(runtime ${runtime_programs})
install(DIRECTORY configs DESTINATION "${share_dir}" COMPONENT runtime)

# ---- sdk

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ptpConfig.cmake.in" "${PROJECT_BINARY_DIR}/ptpConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ptpConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)

file(RELATIVE_PATH PTP_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" PTP_PC_PREFIX "${PTP_PC_PREFIX}")
configure_file(cmake/ptp.pc.in "${PROJECT_BINARY_DIR}/ptp.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ptp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT sdk)

install(TARGETS ${sdk_programs} COMPONENT sdk)
ptp_install_program_help(sdk ${sdk_programs})
install(DIRECTORY sdk/include/ptp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT sdk)
install(
  FILES
    "${PROJECT_BINARY_DIR}/ptpConfig.cmake"
    "${PROJECT_BINARY_DIR}/ptpConfigVersion.cmake"
    cmake/PtpCases.cmake
    cmake/PtpFlags.cmake
    cmake/PtpPlugin.cmake
    cmake/PtpPluginInstall.cmake
    cmake/PtpPluginParts.cmake
    cmake/PtpSdk.cmake
    cmake/PtpTorch.cmake
    cmake/PtpTorchParts.cmake
    cmake/PtpTraining.cmake
    cmake/PtpWarnings.cmake
    cmake/plugin.map
  DESTINATION "${package_dir}" COMPONENT sdk)

# Below share/ptp as here, so that what refers to one another still does.
install(FILES CHANGELOG.md CONTRIBUTING.md LICENSE README.md DESTINATION "${share_dir}" COMPONENT sdk)
install(DIRECTORY docs DESTINATION "${share_dir}" COMPONENT sdk)
install(DIRECTORY sdk/template sdk/template_in_c DESTINATION "${share_dir}" COMPONENT sdk USE_SOURCE_PERMISSIONS)

include(PtpPackage)
