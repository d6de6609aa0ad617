# ptp_use_torch_pch(<target>): compile the target with the one precompiled header there is, which
# takes 340 MB and 13 s to build, and saves each file about half its time. <torch/torch.h> would cost
# each file 1.5 s more than it saves: a module of torch::nn includes the headers that it needs. Not
# part of an installed SDK: it pays from the fourth file on only.

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/ptp_torch_pch.cpp"
  CONTENT "// Here only to own the precompiled header.\n")
add_library(ptp_torch_pch OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/ptp_torch_pch.cpp")
target_link_libraries(ptp_torch_pch PRIVATE ptp::torch ptp::warnings)
target_compile_features(ptp_torch_pch PRIVATE cxx_std_20)
ptp_plugin_compile_options(ptp_torch_pch)
target_precompile_headers(ptp_torch_pch PRIVATE <torch/types.h>)

# ccache can work with a precompiled header only if the preprocessor leaves it in place.
set(ptp_torch_pch_options "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>")
target_compile_options(ptp_torch_pch PRIVATE "${ptp_torch_pch_options}")

# A file that includes libtorch costs more than 1 GB while it compiles.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS torch=2)

function(ptp_use_torch_pch target)
  target_compile_options(${target} PRIVATE "${ptp_torch_pch_options}")
  target_precompile_headers(${target} REUSE_FROM ptp_torch_pch)
  set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE torch)
endfunction()
