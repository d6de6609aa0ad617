// vision_tasks: images to learn from.

#include <ptp/entry.hpp>

class FashionMNIST;
class MNIST;
class SortOfCLEVR;

PTP_PLUGIN("vision_tasks", "0.1.0", FashionMNIST, MNIST, SortOfCLEVR);
