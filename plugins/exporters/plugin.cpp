// exporters: write streams into files for other programs.

#include <ptp/entry.hpp>

class StreamFileExporter;

PTP_PLUGIN("exporters", "0.1.0", StreamFileExporter);
