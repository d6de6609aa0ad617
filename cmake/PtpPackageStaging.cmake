# Run by CPack on the files that it is about to pack: what is Debian's way of installing, and not that of
# `cmake --install`.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

# A file belongs to one package: what the runtime has, on which the SDK depends, the SDK need not.
set(runtime "${CPACK_TEMPORARY_DIRECTORY}/runtime")
set(sdk "${CPACK_TEMPORARY_DIRECTORY}/sdk")
file(GLOB_RECURSE files RELATIVE "${sdk}" "${sdk}/*")
foreach(file IN LISTS files)
  if(EXISTS "${runtime}/${file}")
    file(REMOVE "${sdk}/${file}")
  endif()
endforeach()

# Debian's zsh looks for the completions of packages here.
foreach(package IN ITEMS "${runtime}" "${sdk}")
  set(zsh "${package}${CPACK_PACKAGING_INSTALL_PREFIX}/share/zsh")
  if(EXISTS "${zsh}/site-functions")
    file(RENAME "${zsh}/site-functions" "${zsh}/vendor-completions")
  endif()
endforeach()

# Manual pages are compressed there.
file(GLOB pages "${CPACK_TEMPORARY_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/share/man/man1/*.1")
if(pages)
  execute_process(COMMAND gzip --best --no-name ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
