// How fast the engine trains models of texts, against loops written by hand on libtorch: an LSTM
// and a Transformer encoder that predict each next word, with the same weights at the beginning,
// batches and optimizer, in turns in one process. Prints the ratio of the medians, and how much the
// weights differ after some episodes.
//
//   ptp-bench-text [TEXT]
//
// The words are those of the text, in their order; without one they are made up, 5,000 different
// ones. The engine makes samples of them in a loader thread and looks them up in each episode; by
// hand all indices are in a tensor.

#include "bench/made_up_words.hpp"
#include "bench/rates.hpp"
#include "bench/training_engine.hpp"
#include "engine/train/process_setup.hpp"
#include "support/temp_folder.hpp"

#include <fmt/core.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace {

namespace nn = torch::nn;
using ptp::bench::TrainingEngine;

constexpr std::size_t kWords = 120000;
constexpr int64_t kBatch = 32;
constexpr int64_t kLength = 35;  // words of a sample
constexpr int64_t kSize = 128;   // of a word's vector, and of the hidden state
constexpr int64_t kHeads = 4;
constexpr int64_t kLayers = 2;
constexpr int64_t kHidden = 256;  // of a layer of the Transformer
constexpr double kLearningRate = 0.002;
constexpr double kNorm = 1.0;  // that gradients are clipped to
constexpr int kRounds = 9;
constexpr int kEpisodes = 20;  // of a round
constexpr int kCompared = 10;  // episodes before the weights are compared

constexpr std::size_t kOfLine = 20;  // words of a line of the text

// As the file for the training.
void write_text(const ptp::test::TempFolder& folder, const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += words[i];
        text += (i + 1) % kOfLine == 0 ? '\n' : ' ';
    }
    folder.write("wikitext-2/wiki.train.tokens", text);
}

// The index of each word, by first appearance, and the last index after each line, for its end;
// the one before that is for padding.
torch::Tensor indices_of(const std::vector<std::string>& words) {
    std::unordered_map<std::string, int64_t> vocabulary;
    for (const std::string& word : words) {
        vocabulary.emplace(word, static_cast<int64_t>(vocabulary.size()));
    }
    std::vector<int64_t> indices;
    for (std::size_t i = 0; i < words.size(); ++i) {
        indices.push_back(vocabulary.at(words[i]));
        if ((i + 1) % kOfLine == 0) {
            indices.push_back(static_cast<int64_t>(vocabulary.size()) + 1);
        }
    }
    return torch::tensor(indices);
}

// With these components between the vectors of words and the loss.
std::string experiment(const ptp::test::TempFolder& folder, const std::string& model) {
    return fmt::format(R"(
seed = 1
[training]
optimizer = {{ type = "Adam", lr = {} }}
gradient_clipping = {{ norm = {:.1f} }}
dataloader = {{ shuffle = false, drop_last = true }}
[training.task]
type = "WikiTextLanguageModeling"
batch_size = {}
data_folder = "{}"
sentence_length = {}
[pipeline.source_indexer]
type = "SentenceIndexer"
data_folder = "{}"
source_vocabulary_files = "wikitext-2/wiki.train.tokens"
additional_tokens = ["<PAD>", "<eos>"]
streams = {{ inputs = "sources", outputs = "source_indices" }}
globals = {{ published_word_mappings = "words", vocabulary_size = "word_count" }}
[pipeline.target_indexer]
type = "SentenceIndexer"
data_folder = "{}"
streams = {{ inputs = "targets", outputs = "target_indices" }}
globals = {{ word_mappings = "words" }}
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = {}
streams = {{ inputs = "source_indices", outputs = "vectors" }}
globals = {{ vocab_size = "word_count" }}
{}
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = {{ targets = "target_indices" }}
)",
                       kLearningRate, kNorm, kBatch, folder.path().string(), kLength,
                       folder.path().string(), folder.path().string(), kSize, model);
}

std::string lstm() {
    return fmt::format(R"([pipeline.lstm]
type = "RecurrentNeuralNetwork"
hidden_size = {}
initial_state = "Zero"
streams = {{ inputs = "vectors" }}
globals = {{ prediction_size = "word_count" }}
)",
                       kSize);
}

std::string transformer() {
    return fmt::format(R"([pipeline.encoder]
type = "TransformerEncoder"
num_layers = {}
num_heads = {}
feedforward_size = {}
dropout_rate = 0.0
is_causal = true
streams = {{ inputs = "vectors", outputs = "encoded" }}
[pipeline.output]
type = "FeedForwardNetwork"
dimensions = 3
streams = {{ inputs = "encoded" }}
globals = {{ prediction_size = "word_count" }}
)",
                       kLayers, kHeads, kHidden);
}

struct LstmModel : nn::Module {
    explicit LstmModel(int64_t words)
        : embeddings(register_module("embeddings", nn::Embedding(words, kSize))),
          cells(
              register_module("cells", nn::LSTM(nn::LSTMOptions(kSize, kSize).batch_first(true)))),
          output(register_module("output", nn::Linear(kSize, words))) {}

    torch::Tensor forward(const torch::Tensor& indices) {  // [B, T] -> [B, T, V]
        return torch::log_softmax(output(std::get<0>(cells(embeddings(indices)))), -1);
    }

    nn::Embedding embeddings;
    nn::LSTM cells;
    nn::Linear output;
};

struct TransformerModel : nn::Module {
    explicit TransformerModel(int64_t words)
        : embeddings(register_module("embeddings", nn::Embedding(words, kSize))),
          encoder(register_module("encoder", nn::TransformerEncoder(nn::TransformerEncoderOptions(
                                                 nn::TransformerEncoderLayerOptions(kSize, kHeads)
                                                     .dim_feedforward(kHidden)
                                                     .dropout(0.0),
                                                 kLayers)))),
          output(register_module("output", nn::Linear(kSize, words))) {
        const torch::Tensor places = torch::arange(kLength, torch::kFloat).unsqueeze(1);
        const torch::Tensor waves =
            places * torch::pow(10000.0, torch::arange(0, kSize, 2, torch::kFloat) / -kSize);
        positions = torch::stack({waves.sin(), waves.cos()}, 2).flatten(1).unsqueeze(1);
        mask = torch::full({kLength, kLength}, -INFINITY).triu(1);
    }

    torch::Tensor forward(const torch::Tensor& indices) {  // [B, T] -> [B, T, V]
        const torch::Tensor vectors = embeddings(indices).transpose(0, 1) + positions;
        return torch::log_softmax(output(encoder(vectors, mask).transpose(0, 1)), -1);
    }

    nn::Embedding embeddings;
    nn::TransformerEncoder encoder;
    nn::Linear output;
    torch::Tensor positions;  // [T, 1, E]
    torch::Tensor mask;       // [T, T]
};

// The loop a person would write.
template <class Model>
class ByHand {
public:
    ByHand(const torch::Tensor& indices, TrainingEngine& engine)
        : samples_((indices.size(0) - 1) / kLength),
          sources_(indices.slice(0, 0, samples_ * kLength).view({samples_, kLength})),
          targets_(indices.slice(0, 1, samples_ * kLength + 1).view({samples_, kLength})),
          net_(engine.parameters().front().size(0)),
          optimizer_(net_.parameters(), torch::optim::AdamOptions(kLearningRate)) {
        const torch::NoGradGuard no_grad;
        const std::vector<torch::Tensor> first = engine.parameters();
        const std::vector<torch::Tensor> own = net_.parameters();
        if (first.size() != own.size()) {
            throw std::runtime_error("the models are not the same");
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            own[i].copy_(first[i]);
        }
    }

    void run(int episodes) {
        for (int i = 0; i < episodes; ++i) {
            const int64_t begin = kBatch * (episode_++ % (samples_ / kBatch));
            optimizer_.zero_grad();
            const torch::Tensor scores = net_.forward(sources_.slice(0, begin, begin + kBatch));
            const torch::Tensor loss = torch::nll_loss(
                scores.flatten(0, 1), targets_.slice(0, begin, begin + kBatch).flatten());
            loss.backward();
            nn::utils::clip_grad_norm_(net_.parameters(), kNorm);
            optimizer_.step();
            loss_ = loss.template item<double>();
        }
    }

    // Of any weight from the engine's, and of those the largest one.
    std::tuple<double, double> difference(const TrainingEngine& engine) const {
        const torch::NoGradGuard no_grad;
        const std::vector<torch::Tensor> others = engine.parameters();
        const std::vector<torch::Tensor> own = net_.parameters();
        double difference = 0;
        double largest = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            difference =
                std::max(difference, (own[i] - others[i]).abs().max().template item<double>());
            largest = std::max(largest, own[i].abs().max().template item<double>());
        }
        return {difference, largest};
    }

    [[nodiscard]] double loss() const { return loss_; }

private:
    int64_t samples_;
    torch::Tensor sources_;  // [N, T]
    torch::Tensor targets_;  // [N, T]
    Model net_;
    torch::optim::Adam optimizer_;
    int64_t episode_ = 0;
    double loss_ = 0;
};

template <class Model>
void compare(const char* name, const std::string& experiment, const torch::Tensor& indices) {
    TrainingEngine by_engine(experiment);
    ByHand<Model> by_hand(indices, by_engine);
    by_hand.run(kCompared);
    by_engine.run(kCompared);
    const auto [difference, largest] = by_hand.difference(by_engine);
    ptp::bench::compare(fmt::format("{}, {} words, batch {} x {}, Adam", name,
                                    by_engine.parameters().front().size(0), kBatch, kLength),
                        by_hand, by_engine, kRounds, kEpisodes);
    fmt::print("  weights    differ by at most {:.1e} of {:.1f} after {} episodes; loss {:.2f}\n",
               difference, largest, kCompared, by_hand.loss());
}

}  // namespace

int main(int argc, char** argv) {
    ptp::engine::set_up_process();
    ptp::engine::bind_blas_threads();
    constexpr std::size_t kDifferent = 5000;
    const ptp::test::TempFolder folder;
    const std::vector<std::string> words = argc > 1 ? ptp::bench::words_of(argv[1], kWords)
                                                    : ptp::bench::made_up_words(kWords, kDifferent);
    write_text(folder, words);
    const torch::Tensor indices = indices_of(words);
    compare<LstmModel>("LSTM", experiment(folder, lstm()), indices);
    compare<TransformerModel>("Transformer encoder", experiment(folder, transformer()), indices);
    return 0;
}
