// statistics: measures of what a pipeline does.

#include <ptp/entry.hpp>

class AccuracyStatistics;
class BatchSizeStatistics;

PTP_PLUGIN("statistics", "0.1.0", AccuracyStatistics, BatchSizeStatistics);
