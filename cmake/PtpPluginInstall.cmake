# ptp_install_plugin(<name>): where a plugin is installed; a part of ptp_add_plugin().

# An installed ptprun looks in ../lib/ptp/plugins beside its own folder, one in /usr/bin in /usr/local too; what is
# installed elsewhere has to be named to it.
function(ptp_install_plugin name)
  set(folder lib/ptp/plugins)
  install(TARGETS ${name} LIBRARY DESTINATION ${folder} COMPONENT plugins)
  install(CODE "
    if(NOT EXISTS \"\${CMAKE_INSTALL_PREFIX}/bin/ptprun\" AND \"\$ENV{DESTDIR}\" STREQUAL \"\"
        AND NOT (CMAKE_INSTALL_PREFIX STREQUAL \"/usr/local\" AND EXISTS \"/usr/bin/ptprun\"))
      message(STATUS \"There is no ptprun in \${CMAKE_INSTALL_PREFIX}/bin. To let another one find \"
        \"${name}: --plugins \${CMAKE_INSTALL_PREFIX}/${folder}, or this folder in PTP_PLUGIN_PATH\")
    endif()" COMPONENT plugins)
endfunction()
