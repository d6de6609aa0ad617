// augmentations: changed copies of images, drawn again for each sample in each epoch.

#include <ptp/entry.hpp>

class ColorJitter;
class CutOut;
class RandomAffine;
class RandomCrop;
class RandomFlip;

PTP_PLUGIN("augmentations", "0.1.0", ColorJitter, CutOut, RandomAffine, RandomCrop, RandomFlip);
