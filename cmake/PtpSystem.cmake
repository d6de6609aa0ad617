# ptp_system_sources(<target> <name>...): adds NAME_windows.cpp or NAME_posix.cpp, as the system is.
# What systems have differently is in such pairs of small files; no other has an #ifdef for it.
function(ptp_system_sources target)
  set(system posix)
  if(WIN32)
    set(system windows)
  endif()
  foreach(name IN LISTS ARGN)
    target_sources(${target} PRIVATE ${name}_${system}.cpp)
  endforeach()
endfunction()
