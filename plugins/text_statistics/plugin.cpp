// text_statistics: measures of predicted sentences, and of models of words.

#include <ptp/entry.hpp>

class BLEUStatistics;
class PerplexityStatistics;
class ROUGEStatistics;
class WordErrorRateStatistics;

PTP_PLUGIN("text_statistics", "0.1.0", BLEUStatistics, PerplexityStatistics, ROUGEStatistics,
           WordErrorRateStatistics);
