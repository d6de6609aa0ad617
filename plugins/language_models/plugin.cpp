// language_models: embeddings of words, and models of sequences.

#include <ptp/entry.hpp>

class IndexEmbeddings;
class RecurrentNeuralNetwork;

PTP_PLUGIN("language_models", "0.1.0", IndexEmbeddings, RecurrentNeuralNetwork);
