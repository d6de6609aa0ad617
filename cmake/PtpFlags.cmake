# ptp_plugin_compile_options(<target>): what matters to a plugin wherever it is built, so that one that was
# built outside this tree is like one built inside, and can share a precompiled header.

function(ptp_plugin_compile_options target)
  target_compile_options(${target} PRIVATE -fPIC -ffp-contract=off
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>")
  set_target_properties(${target} PROPERTIES
    C_EXTENSIONS OFF
    CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
