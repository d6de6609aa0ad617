# What `cmake --install` puts where; it may be moved afterwards. The SDK part is usable alone:
# find_package(ptp) gives ptp::sdk, ptp::sdk_torch and ptp_add_plugin().

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ptp")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/ptpConfig.cmake.in" "${PROJECT_BINARY_DIR}/ptpConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ptpConfigVersion.cmake"
  COMPATIBILITY SameMajorVersion)

install(TARGETS ptp-manifest ptp-inspect COMPONENT sdk)
install(DIRECTORY sdk/include/ptp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT sdk)
install(
  FILES
    "${PROJECT_BINARY_DIR}/ptpConfig.cmake"
    "${PROJECT_BINARY_DIR}/ptpConfigVersion.cmake"
    cmake/PtpCases.cmake
    cmake/PtpFlags.cmake
    cmake/PtpPlugin.cmake
    cmake/PtpPluginParts.cmake
    cmake/PtpSdk.cmake
    cmake/PtpTorch.cmake
    cmake/PtpTorchParts.cmake
    cmake/PtpWarnings.cmake
    cmake/plugin.map
  DESTINATION "${package_dir}" COMPONENT sdk)

# Below share/ptp as here, so that what refers to one another still does.
set(share_dir "${CMAKE_INSTALL_DATADIR}/ptp")
install(FILES LICENSE CHANGELOG.md DESTINATION "${share_dir}" COMPONENT sdk)
install(DIRECTORY docs DESTINATION "${share_dir}" COMPONENT sdk)
install(DIRECTORY sdk/template sdk/template_in_c DESTINATION "${share_dir}" COMPONENT sdk)
install(DIRECTORY configs DESTINATION "${share_dir}")
