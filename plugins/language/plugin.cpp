// language: converts sentences to words, words to indices, and back.

#include <ptp/entry.hpp>

class BOWEncoder;
class LabelIndexer;
class SentenceIndexer;
class SentenceOneHotEncoder;
class SentenceTokenizer;
class WordDecoder;

PTP_PLUGIN("language", "0.1.0", BOWEncoder, LabelIndexer, SentenceIndexer, SentenceOneHotEncoder,
           SentenceTokenizer, WordDecoder);
