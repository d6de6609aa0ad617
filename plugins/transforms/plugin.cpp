// transforms: transform streams without parameters.

#include <ptp/entry.hpp>

class ConcatenateTensor;
class Flatten;
class ListToTensor;
class NonLinearity;
class Normalize;
class OneHot;
class ReduceTensor;
class ReshapeTensor;
class Resize;
class SliceTensor;

PTP_PLUGIN("transforms", "0.1.0", ConcatenateTensor, Flatten, ListToTensor, NonLinearity, Normalize,
           OneHot, ReduceTensor, ReshapeTensor, Resize, SliceTensor);
