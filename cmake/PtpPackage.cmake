# Packages of what `cmake --install` installs: `./dev package`, or cpack in the build folder. The Debian
# packages ptp-runtime, ptp-plugins, ptp-sdk and ptp-python, and an archive with all of it that may be unpacked anywhere.

set(PTP_PACKAGE_CONTACT "The ptp maintainers <ptp@localhost>" CACHE STRING "Maintainer of the Debian packages")

set(components runtime plugins sdk)
if(TARGET python)
  list(APPEND components python)
endif()
foreach(component IN LISTS components)
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/ptp-${component}" RENAME copyright
    COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME ptp)
set(CPACK_PACKAGE_CONTACT "${PTP_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME "ptp-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/PtpPackageStaging.cmake")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(same_version "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ptp-runtime)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
  "The programs ptprun, ptp-inspect, ptp-pack, ptp-import, ptp-report, ptp-runs and ptp-search, the engine, and experiments to begin with.")
# Neither is linked: without OpenBLAS training is thirty times slower; Graphviz draws pipelines.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS
  "ptp-plugins ${same_version}, libopenblas0-openmp, libgvc6, fonts-dejavu-core")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "dataset-fashion-mnist")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME ptp-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "ptp-runtime ${same_version}")
set(CPACK_DEBIAN_PLUGINS_DESCRIPTION
  "The first-party components: tasks, models, losses, transforms, statistics, publishers and viewers.")
set(CPACK_DEBIAN_SDK_PACKAGE_NAME ptp-sdk)
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "ptp-runtime ${same_version}, binutils")
set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS
  "ptp-plugins ${same_version}, cmake (>= 3.25), g++, libtorch-dev, ninja-build, pkg-config")
set(CPACK_DEBIAN_SDK_DESCRIPTION
  "What an author of plugins needs: headers, CMake and pkg-config files, templates, documents, and ptp-new.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME ptp-python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "ptp-sdk ${same_version}, python3")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Plugins written in Python: ptp-python makes one of a script.")

include(CPack)
