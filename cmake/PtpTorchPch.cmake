# ptp_use_torch_pch(<target> [Og]): compile the target with a precompiled <ATen/ATen.h>, which
# takes 290 MB and 9 s to build, and saves each file about half its time. Not part of an installed SDK:
# it pays from the fourth file on only.
#
#   Og  compiled with -Og in a third less time: tests, and what calls libtorch and has no loops of its
#       own over numbers. GCC takes the optimization from the precompiled header, whatever the file's
#       own flags say: that is why there are two. PTP_TORCH_PCH_Og says the same for a folder's targets.
#       This one has <torch/types.h>, since half of these use autograd or torch::nn; each of its files takes
#       0.6 s more, in which GCC instantiates templates of these headers. <torch/torch.h> would cost each
#       file 1.5 s more than it saves: a module of torch::nn includes the headers that it needs.

# ccache can work with a precompiled header only if the preprocessor leaves it in place.
set(ptp_torch_pch_options "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>")
set(ptp_torch_pch_Og_options ${ptp_torch_pch_options} "$<$<CONFIG:Release>:-Og>")

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/ptp_torch_pch.cpp"
  CONTENT "// Here only to own the precompiled header.\n")
set(ptp_torch_pch_header <ATen/ATen.h>)
set(ptp_torch_pch_Og_header <torch/types.h>)
foreach(kind IN ITEMS "" "_Og")
  set(owner ptp_torch_pch${kind})
  add_library(${owner} OBJECT EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/ptp_torch_pch.cpp")
  target_link_libraries(${owner} PRIVATE ptp::torch ptp::warnings)
  target_compile_features(${owner} PRIVATE cxx_std_20)
  ptp_plugin_compile_options(${owner})
  target_precompile_headers(${owner} PRIVATE "${ptp_torch_pch${kind}_header}")
  target_compile_options(${owner} PRIVATE "${ptp_torch_pch${kind}_options}")
endforeach()

# A file that includes libtorch costs more than 1 GB while it compiles.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS torch=2)

function(ptp_use_torch_pch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "Og" "" "")
  set(kind "")
  if(arg_Og OR PTP_TORCH_PCH_Og)
    set(kind "_Og")
  endif()
  target_compile_options(${target} PRIVATE "${ptp_torch_pch${kind}_options}")
  target_precompile_headers(${target} REUSE_FROM ptp_torch_pch${kind})
  set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE torch)
endfunction()
