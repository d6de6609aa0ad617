// statistics: measures of what a pipeline does.

#include <ptp/entry.hpp>

class AccuracyStatistics;
class BatchSizeStatistics;
class CalibrationStatistics;
class IoUStatistics;
class MultiLabelStatistics;
class PrecisionRecallStatistics;
class ROCStatistics;
class RegressionStatistics;
class RetrievalStatistics;

PTP_PLUGIN("statistics", "0.1.0", AccuracyStatistics, BatchSizeStatistics, CalibrationStatistics,
           IoUStatistics, MultiLabelStatistics, PrecisionRecallStatistics, ROCStatistics,
           RegressionStatistics, RetrievalStatistics);
