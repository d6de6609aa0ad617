// fusion_models: what joins an image and a question, or the words of a sentence, to one vector.

#include <ptp/entry.hpp>

class RelationalNetwork;

PTP_PLUGIN("fusion_models", "0.1.0", RelationalNetwork);
