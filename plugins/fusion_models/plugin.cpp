// fusion_models: combine an image and a question, or the words of a question, into one vector.

#include <ptp/entry.hpp>

class CompactBilinearPooling;
class ContrastiveProjection;
class FactorizedBilinearPooling;
class LowRankBilinearPooling;
class QuestionDrivenAttention;
class RelationalNetwork;
class SelfAttention;

PTP_PLUGIN("fusion_models", "0.1.0", CompactBilinearPooling, ContrastiveProjection,
           FactorizedBilinearPooling, LowRankBilinearPooling, QuestionDrivenAttention,
           RelationalNetwork, SelfAttention);
