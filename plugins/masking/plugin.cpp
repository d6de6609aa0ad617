// masking: distributes the samples of a batch among models, and joins their answers.

#include <ptp/entry.hpp>

class JoinMaskedPredictions;
class StringToMask;

PTP_PLUGIN("masking", "0.1.0", JoinMaskedPredictions, StringToMask);
