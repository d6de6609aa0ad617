// subwords: converts sentences to pieces of words, and back.

#include <ptp/entry.hpp>

class BytePairTokenizer;
class SentencePieceTokenizer;
class WordPieceTokenizer;

PTP_PLUGIN("subwords", "0.1.0", BytePairTokenizer, SentencePieceTokenizer, WordPieceTokenizer);
