// losses: values to minimize.

#include <ptp/entry.hpp>

class BCEWithLogitsLoss;
class ContrastiveLoss;
class CrossEntropyLoss;
class DiceLoss;
class FocalLoss;
class HuberLoss;
class L1Loss;
class MSELoss;
class NLLLoss;
class SigmoidFocalLoss;
class SoftCrossEntropyLoss;
class TripletLoss;

PTP_PLUGIN("losses", "0.1.0", BCEWithLogitsLoss, ContrastiveLoss, CrossEntropyLoss, DiceLoss,
           FocalLoss, HuberLoss, L1Loss, MSELoss, NLLLoss, SigmoidFocalLoss, SoftCrossEntropyLoss,
           TripletLoss);
