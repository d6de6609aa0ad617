# ptp_add_program_help(<program>...): the manual page of each program, and its completion for bash, zsh and fish,
# made of the program's own help. The target `program_help` makes them; `all` has it.

set(PTP_MAN_FOLDER "${PROJECT_BINARY_DIR}/share/man/man1")                # <program>.1
set(PTP_COMPLETION_FOLDER "${PROJECT_BINARY_DIR}/share/completion")       # <program>.<shell>

function(ptp_add_program_help)
  set(made "")
  file(MAKE_DIRECTORY "${PTP_MAN_FOLDER}" "${PTP_COMPLETION_FOLDER}")
  foreach(program IN LISTS ARGN)
    set(page "${PTP_MAN_FOLDER}/${program}.1")
    set(man_page "${PROJECT_SOURCE_DIR}/cmake/man_page.sh")
    add_custom_command(OUTPUT "${page}"
      COMMAND "${man_page}" "$<TARGET_FILE:${program}>" "${PROJECT_VERSION}" "${page}"
      DEPENDS ${ARGN} "${man_page}" # that of ptprun asks all
      COMMENT "Writing ${program}.1"
      VERBATIM)
    list(APPEND made "${page}")
    foreach(shell IN ITEMS bash zsh fish)
      set(script "${PTP_COMPLETION_FOLDER}/${program}.${shell}")
      set(completion "${PROJECT_SOURCE_DIR}/cmake/completion.sh")
      add_custom_command(OUTPUT "${script}"
        COMMAND "${completion}" "$<TARGET_FILE:${program}>" ${shell} "${script}"
        DEPENDS ${program} "${completion}"
        COMMENT "Writing the completion of ${program} for ${shell}"
        VERBATIM)
      list(APPEND made "${script}")
    endforeach()
  endforeach()
  add_custom_target(program_help ALL DEPENDS ${made})
endfunction()

# ptp_install_program_help(<component> <program>...)
function(ptp_install_program_help component)
  foreach(program IN LISTS ARGN)
    install(FILES "${PTP_MAN_FOLDER}/${program}.1" COMPONENT ${component}
      DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
    install(FILES "${PTP_COMPLETION_FOLDER}/${program}.bash" COMPONENT ${component}
      DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME ${program})
    install(FILES "${PTP_COMPLETION_FOLDER}/${program}.zsh" COMPONENT ${component}
      DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _${program})
    install(FILES "${PTP_COMPLETION_FOLDER}/${program}.fish" COMPONENT ${component}
      DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endforeach()
endfunction()
