# Targets ptp::sdk and, where there is ptp::torch, ptp::sdk_torch: what a plugin is compiled with.
# Both are header-only. Needs PTP_SDK_INCLUDE_DIR.

if(NOT TARGET ptp::sdk) # two projects of one build may each look for ptp
  add_library(ptp_sdk INTERFACE)
  add_library(ptp::sdk ALIAS ptp_sdk)
  target_include_directories(ptp_sdk INTERFACE "${PTP_SDK_INCLUDE_DIR}")
  target_compile_features(ptp_sdk INTERFACE c_std_11 cxx_std_20)
endif()

if(TARGET ptp::torch AND NOT TARGET ptp::sdk_torch)
  add_library(ptp_sdk_torch INTERFACE)
  add_library(ptp::sdk_torch ALIAS ptp_sdk_torch)
  target_link_libraries(ptp_sdk_torch INTERFACE ptp::sdk ptp::torch)
  target_compile_definitions(ptp_sdk_torch INTERFACE
    "PTP_LIBTORCH_FINGERPRINT=\"${PTP_LIBTORCH_FINGERPRINT}\"")
endif()
