// viewers: show the values of streams to people.

#include <ptp/entry.hpp>

class ImageViewer;
class StreamViewer;

PTP_PLUGIN("viewers", "0.1.0", ImageViewer, StreamViewer);
