// transforms: streams from streams, with nothing to learn.

#include <ptp/entry.hpp>

class ConcatenateTensor;
class ReshapeTensor;

PTP_PLUGIN("transforms", "0.1.0", ConcatenateTensor, ReshapeTensor);
