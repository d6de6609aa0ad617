// language_models: embeddings of words, and models of sequences.

#include <ptp/entry.hpp>

class AttentionDecoder;
class CausalTransformer;
class IndexEmbeddings;
class RecurrentNeuralNetwork;
class SentenceEmbeddings;
class Seq2Seq;
class TextEncoder;
class TransformerDecoder;
class TransformerEncoder;

PTP_PLUGIN("language_models", "0.1.0", AttentionDecoder, CausalTransformer, IndexEmbeddings,
           RecurrentNeuralNetwork, SentenceEmbeddings, Seq2Seq, TextEncoder, TransformerDecoder,
           TransformerEncoder);
