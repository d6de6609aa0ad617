// vision_models: networks for images.

#include <ptp/entry.hpp>

class ConvNetEncoder;
class GenericImageEncoder;
class LeNet5;
class UNet;
class VisionTransformer;

PTP_PLUGIN("vision_models", "0.1.0", ConvNetEncoder, GenericImageEncoder, LeNet5, UNet,
           VisionTransformer);
