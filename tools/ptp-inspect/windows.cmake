# ptp-inspect on Windows: without the commands that run plugins, which need fork() and the engine.
add_executable(ptp-inspect
  candidates.cpp
  diff_command.cpp
  main.cpp
  markdown_listing.cpp
  options.cpp
  output.cpp
  rules_command.cpp
  selection.cpp
  table.cpp
  text_listing.cpp
  unavailable_windows.cpp
  words.cpp)
target_link_libraries(ptp-inspect
  PRIVATE ptp_command_line ptp_pipeline ptp_plugin ptp_experiment ptp::warnings
    Boost::program_options fmt::fmt)
target_compile_definitions(ptp-inspect PRIVATE "PTP_VERSION=\"${PROJECT_VERSION}\"")
