// subwords: sentences to pieces of words, and the way back.

#include <ptp/entry.hpp>

class SentencePieceTokenizer;

PTP_PLUGIN("subwords", "0.1.0", SentencePieceTokenizer);
