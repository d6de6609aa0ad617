# ptp-inspect on Windows: without the commands that run plugins, which need fork() and the engine.
add_executable(ptp-inspect
  diff_command.cpp
  main.cpp
  markdown_listing.cpp
  options.cpp
  rules_command.cpp
  sections.cpp
  text_listing.cpp
  unavailable_windows.cpp)
ptp_help_line(ptp-inspect "lists what plugins offer, and checks them")
target_link_libraries(ptp-inspect
  PRIVATE ptp_command_line ptp_pipeline ptp_plugin ptp_experiment ptp::warnings
    Boost::program_options fmt::fmt)
target_compile_definitions(ptp-inspect PRIVATE "PTP_VERSION=\"${PROJECT_VERSION}\"")
