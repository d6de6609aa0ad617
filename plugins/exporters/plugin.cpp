// exporters: streams into files that other programs read.

#include <ptp/entry.hpp>

class StreamFileExporter;

PTP_PLUGIN("exporters", "0.1.0", StreamFileExporter);
