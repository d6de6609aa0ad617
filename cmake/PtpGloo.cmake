# The headers of gloo, which those of libtorch include where processes train together. The library itself is a part of
# libtorch. Sets PTP_GLOO_INCLUDE_DIR.

find_path(PTP_GLOO_INCLUDE_DIR gloo/rendezvous/context.h)
mark_as_advanced(PTP_GLOO_INCLUDE_DIR)
if(NOT PTP_GLOO_INCLUDE_DIR)
  message(FATAL_ERROR
    "The headers of gloo (gloo/rendezvous/context.h) were not found, by which processes that train together are "
    "connected. Install libgloo-dev (`./dev setup`), or name their folder: -DPTP_GLOO_INCLUDE_DIR=/path/to/include")
endif()
