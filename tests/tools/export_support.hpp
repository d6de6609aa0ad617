// Trained networks for the tests of `ptprun export`, and the files that it makes of them.

#pragma once

#include "onnx_reader.hpp"
#include "tools/dots.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

namespace ptp::test::exports {

inline const std::string kTask = std::string(R"(
name = "dots"
seed = 3
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
)") + kDotsTasks;

inline constexpr const char* kTrained = R"(
[pipeline.net]
type = "LayerStack"
layers = [
    { type = "Conv2d", out = 5, kernel = 3, padding = 1 },
    { type = "ReLU" },
    { type = "MaxPool2d", kernel = 2 },
    { type = "Flatten" },
    { type = "Linear", out = "num_classes" },
    { type = "LogSoftmax" },
]
streams = { outputs = "predictions" }
[pipeline.loss]
type = "NLLLoss"
)";

// Sentences of several lengths.
inline constexpr const char* kSentences = R"(
name = "sentences"
seed = 3
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
task = { type = "DummyLanguageIdentification", batch_size = 4, vocabulary = true, globals = { word_mappings = "word_mappings" } }
[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.embeddings]
type = "SentenceEmbeddings"
embeddings_size = 5
unknown = "<UNK>"
additional_tokens = ["<PAD>", "<UNK>"]
output_lengths = true
streams = { inputs = "words", outputs = "embedded" }
globals = { word_mappings = "word_mappings" }
[pipeline.first]
type = "LSTM"
hidden_size = 4
bidirectional = true
streams = { inputs = "embedded", outputs = "states", last = "unused", output_state = "unused_state" }
[pipeline.second]
type = "GRU"
hidden_size = 3
streams = { inputs = "states", outputs = "all", last = "read", output_state = "last_state" }
[pipeline.classifier]
type = "FeedForwardNetwork"
hidden_sizes = []
streams = { inputs = "read" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

class Dots : public DotsFolder {
public:
    // Trains the layers for an epoch.
    void train() {
        folder().write("net.toml", kTask + kTrained);
        const ProcessResult result = run_program("ptprun", {file(), "--run-dir", run(), "--quiet"});
        REQUIRE(result.status == 0);
    }

    // Exports a pipeline of one model of the plugin `exported`, which needs no weights.
    ProcessResult export_model(const std::string& model) {
        write_model(model, "");
        return run_export(file(), {"--plugins", plugins()});
    }

    void write_model(const std::string& model, const std::string& rest) const {
        folder().write("net.toml",
                       fmt::format("{}[pipeline.net]\ntype = \"{}\"\n{}", kTask, model, rest));
    }

    [[nodiscard]] ProcessResult run_export(const std::string& subject,
                                           const std::vector<std::string>& options,
                                           const std::string& name = "net.onnx") const {
        std::vector<std::string> words = {"export", subject, "-o", path(name)};
        words.insert(words.end(), options.begin(), options.end());
        return run_program("ptprun", words);
    }

    [[nodiscard]] OnnxSummary onnx() const { return read_onnx(folder().read("net.onnx")); }

    static std::string plugins() { return (build_dir() / "tests/tools/plugins").string(); }
};

using Strings = std::vector<std::string>;

}  // namespace ptp::test::exports
