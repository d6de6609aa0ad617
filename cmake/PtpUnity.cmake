# Unity builds: with CMAKE_UNITY_BUILD, which the preset `release` sets, the files of one folder are
# compiled as one unit of at most PTP_UNITY_FILES files. A file of this tree takes seconds for the
# headers that it includes and fractions of one for itself, so that the whole takes about a third of
# the compiler's time. Names in anonymous namespaces must differ within a folder for it.

set(PTP_UNITY_FILES 24 CACHE STRING "Most files that a unity build compiles as one unit")

# ptp_group_by_folder(<target>)
function(ptp_group_by_folder target)
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(base ${target} SOURCE_DIR)
  if(type STREQUAL "INTERFACE_LIBRARY" OR NOT sources)
    return()
  endif()
  set(folders "")
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cpp$" AND NOT (type STREQUAL "STATIC_LIBRARY" AND source MATCHES "(^|/)main\\.cpp$"))
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${base}" NORMALIZE OUTPUT_VARIABLE file)
      cmake_path(GET file PARENT_PATH folder)
      list(APPEND folders "${folder}")
      list(APPEND "files_of_${folder}" "${file}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH "files_of_${folder}" count)
    math(EXPR units "(${count} + ${PTP_UNITY_FILES} - 1) / ${PTP_UNITY_FILES}")
    math(EXPR size "(${count} + ${units} - 1) / ${units}")
    cmake_path(GET folder FILENAME name)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE relative)
    string(SHA256 hash "${relative}") # the same name in each clone: ccache finds what another one has compiled
    string(SUBSTRING "${hash}" 0 4 hash) # two folders may have one name
    set(index 0)
    foreach(source IN LISTS "files_of_${folder}")
      math(EXPR unit "${index} / ${size}")
      math(EXPR index "${index} + 1")
      set_source_files_properties("${source}" TARGET_DIRECTORY ${target} PROPERTIES
        UNITY_GROUP "${name}_${hash}_${unit}")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# ptp_group_all_by_folder(): groups the sources of all targets below the current source directory.
function(ptp_group_all_by_folder)
  set(directories "${CMAKE_CURRENT_SOURCE_DIR}")
  while(CMAKE_UNITY_BUILD AND directories)
    list(POP_FRONT directories directory)
    get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
    get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
    list(APPEND directories ${below})
    foreach(target IN LISTS targets)
      ptp_group_by_folder(${target})
    endforeach()
  endwhile()
endfunction()
