// subwords: converts sentences to pieces of words, and back.

#include <ptp/entry.hpp>

class SentencePieceTokenizer;

PTP_PLUGIN("subwords", "0.1.0", SentencePieceTokenizer);
