// masking: parts of a batch that models share among themselves, and one answer from theirs.

#include <ptp/entry.hpp>

class JoinMaskedPredictions;
class StringToMask;

PTP_PLUGIN("masking", "0.1.0", JoinMaskedPredictions, StringToMask);
