// viewers: show a person what streams carry.

#include <ptp/entry.hpp>

class ImageViewer;
class StreamViewer;

PTP_PLUGIN("viewers", "0.1.0", ImageViewer, StreamViewer);
