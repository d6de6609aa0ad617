// augmentations: changed copies of images, drawn again for each sample in each epoch.

#include <ptp/entry.hpp>

class ColorJitter;
class CutMix;
class CutOut;
class MixUp;
class RandomAffine;
class RandomCrop;
class RandomFlip;

PTP_PLUGIN("augmentations", "0.1.0", ColorJitter, CutMix, CutOut, MixUp, RandomAffine, RandomCrop,
           RandomFlip);
