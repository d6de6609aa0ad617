// TextEncoder: reads texts in both directions, into a vector for each word and one for the text.
//
// Devlin et al.: BERT: Pre-training of deep bidirectional transformers, 2018, arXiv 1810.04805, as
// transformers.BertModel. `load` loads published weights, see docs/pretrained-weights.md.

#include "bert_layer.hpp"
#include "max_length.hpp"
#include "tensor_checks.hpp"
#include "transformer_layer.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class TextEncoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "TextEncoder";
    static constexpr const char* summary =
        "Transformer that reads texts in both directions: a vector for each word and for the text";
    static constexpr const char* description =
        "Vectors of words, of their positions and of their types, all learned, are added and "
        "normalized. In each of num_layers layers they pass attention with num_heads, of each step "
        "to all, and two linear layers with feedforward_size numbers (4 hidden_size if left out) "
        "and GELU between them; each part is added to its input, and the sum normalized. pooled is "
        "the hyperbolic tangent of a linear layer of the first step, whatever word it has.\n"
        "The type of a word, 0 without use_token_types, tells which of token_type_count parts of a "
        "text it is in, such as a question and its context. With use_lengths or use_masks no step "
        "attends to padding; what outputs has at such a step has no meaning.\n"
        "The defaults are those of bert-base. Names of parameters, formulas and initialization are "
        "Hugging Face's: `load` takes its published weights. Its intermediate_size is "
        "feedforward_size, its max_position_embeddings max_length.\n"
        "Devlin et al. 2018, arXiv 1810.04805.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_INTEGER, "B, length", "Indices of words"),
        ptp::input("token_types", PTP_INTEGER, "B, length", "Which part of a text a word is in")
            .when("use_token_types"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real words of each text")
            .when("use_lengths"),
        ptp::input("masks", PTP_BOOL, "B, length", "False for padding").when("use_masks"),
        ptp::output("outputs", PTP_FLOAT, "B, length, $hidden_size", "The encoded words")
            .when("output_words"),
        ptp::output("pooled", PTP_FLOAT, "B, $hidden_size", "The encoded text")
            .when("output_pooled != false")};
    static constexpr std::array globals{
        ptp::reads("vocab_size", "Number of words"),
        ptp::reads_if_named("pad_index",
                            "Index of padding, whose vector is zeros and not trained")};
    static constexpr std::array requirements{
        ptp::requirement("$hidden_size % $num_heads = 0", "must be a multiple of num_heads"),
        ptp::requirement("!$use_masks or !$use_lengths",
                         "tells the same as use_lengths: leave one of them out"),
        ptp::requirement("$output_pooled or $output_words",
                         "needs output_words = true: without it there is no output")};

    struct Config {
        int64_t hidden_size = 768;
        int64_t num_layers = 12;
        int64_t num_heads = 12;
        std::optional<int64_t> feedforward_size;
        int64_t max_length = 512;
        int64_t token_type_count = 2;
        double dropout_rate = 0.1;
        double attention_dropout_rate = 0.1;
        bool use_token_types = false;
        bool use_lengths = false;
        bool use_masks = false;
        bool output_words = false;
        bool output_pooled = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Length of a step's vector", .range = "[1, inf)"}),
                ptp::setting("num_layers", &Config::num_layers,
                             {.help = "Number of layers", .range = "[1, inf)"}),
                ptp::setting(
                    "num_heads", &Config::num_heads,
                    {.help = "Number of attentions of a layer, side by side", .range = "[1, inf)"}),
                ptp::setting("feedforward_size", &Config::feedforward_size,
                             {.help = "Width of the hidden layer behind an attention; 4 times "
                                      "hidden_size if left out",
                              .range = "[1, inf)"}),
                ptp::setting(
                    "max_length", &Config::max_length,
                    {.help = "Number of positions: the most words of a text", .range = "[1, inf)"}),
                ptp::setting("token_type_count", &Config::token_type_count,
                             {.help = "Number of types of words", .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of vectors and sums while "
                                      "training",
                              .range = "[0, 1)"}),
                ptp::setting("attention_dropout_rate", &Config::attention_dropout_rate,
                             {.help = "Chance of dropping a weight of an attention while training",
                              .range = "[0, 1)"}),
                ptp::setting("use_token_types", &Config::use_token_types,
                             {.help = "Whether the types of words are an input"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether texts end after their own number of words"}),
                ptp::setting("use_masks", &Config::use_masks,
                             {.help = "Whether an input tells words from padding"}),
                ptp::setting("output_words", &Config::output_words,
                             {.help = "Whether the vectors of the words are an output"}),
                ptp::setting("output_pooled", &Config::output_pooled,
                             {.help = "Whether the vector of the text is an output"})};
        }
    };

    TextEncoder(const Config& config, ptp::Setup& setup)
        : config_(checked(config)), words_(words_of(setup.global<int64_t>("vocab_size"))) {
        add_embeddings(setup.optional_global<int64_t>("pad_index"));
        const auto encoder = std::make_shared<torch::nn::Module>();
        const auto layers = std::make_shared<torch::nn::Module>();
        for (int64_t i = 0; i < config.num_layers; ++i) {
            layers_.emplace_back(
                *layers, std::to_string(i),
                bert::LayerOptions{
                    .size = config.hidden_size,
                    .num_heads = config.num_heads,
                    .feedforward_size = config.feedforward_size.value_or(4 * config.hidden_size),
                    .dropout_rate = config.dropout_rate,
                    .attention_dropout_rate = config.attention_dropout_rate});
        }
        encoder->register_module("layer", layers);
        net_->register_module("encoder", encoder);
        if (config.output_pooled) {
            const auto pooler = std::make_shared<torch::nn::Module>();
            pooler_ = pooler->register_module("dense",
                                              bert::linear(config.hidden_size, config.hidden_size));
            net_->register_module("pooler", pooler);
        }
    }

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                               const at::Tensor* token_types,
                                               const at::Tensor* lengths, const at::Tensor* masks) {
        check(inputs, token_types, lengths);
        const int64_t steps = inputs.size(1);
        const at::Tensor places = at::arange(steps, inputs.options().dtype(at::kLong));
        const at::Tensor types = token_types == nullptr
                                     ? types_.select(0, 0)
                                     : at::embedding(types_, token_types->to(at::kLong));
        const at::Tensor sums = at::embedding(vectors_, inputs.to(at::kLong), padding_) + types +
                                at::embedding(positions_, places);
        at::Tensor values = at::dropout(norm_->forward(sums), config_.dropout_rate,
                                        net_->is_training());  // [B, S, E]
        at::Tensor is_out;
        if (lengths != nullptr || masks != nullptr) {
            is_out =
                (masks != nullptr ? masks->logical_not() : transformer::padding(*lengths, steps))
                    .view({inputs.size(0), 1, 1, steps});
        }
        for (bert::Layer& layer : layers_) {
            values = layer.forward(values, is_out);
        }
        return {values, pooler_ ? pooler_->forward(values.select(1, 0)).tanh() : at::Tensor()};
    }

    torch::nn::Module& module() { return *net_; }

private:
    static constexpr int64_t kNoPadding = -1;

    static int64_t words_of(int64_t words) {
        if (words < 1) {
            throw ptp::ConfigError("the global 'vocab_size' is ", words, ", must be at least 1");
        }
        return words;
    }

    static const Config& checked(const Config& config) {
        if (config.hidden_size % config.num_heads != 0) {
            throw ptp::SettingError("num_heads", "must be a divisor of hidden_size, ",
                                    config.hidden_size);
        }
        if (config.use_masks && config.use_lengths) {
            throw ptp::SettingError("use_masks",
                                    "tells the same as use_lengths: leave one of them out");
        }
        if (!config.output_pooled && !config.output_words) {
            throw ptp::SettingError("output_pooled",
                                    "needs output_words = true: without it there is no output");
        }
        return config;
    }

    void add_embeddings(std::optional<int64_t> padding) {
        const auto embeddings = std::make_shared<torch::nn::Module>();
        const auto table = [&](const char* of, int64_t rows) {
            const auto made = std::make_shared<torch::nn::Module>();
            embeddings->register_module(of, made);
            return made->register_parameter(
                "weight", at::empty({rows, config_.hidden_size}).normal_(0.0, bert::kDeviation));
        };
        vectors_ = table("word_embeddings", words_);
        positions_ = table("position_embeddings", config_.max_length);
        types_ = table("token_type_embeddings", config_.token_type_count);
        norm_ = embeddings->register_module("LayerNorm", bert::norm(config_.hidden_size));
        net_->register_module("embeddings", embeddings);
        if (padding) {
            if (*padding < 0 || *padding >= words_) {
                throw ptp::ConfigError("the global 'pad_index' is ", *padding, ", must be in [0, ",
                                       words_, "), the indices of the vocabulary");
            }
            padding_ = *padding;
            vectors_.detach()[padding_].zero_();
        }
    }

    void check(const at::Tensor& inputs, const at::Tensor* token_types,
               const at::Tensor* lengths) const {
        using ptp::support::are_outside;
        using ptp::support::require_none;
        const int64_t steps = inputs.size(1);
        if (steps < 1 || steps > config_.max_length) {
            throw ptp::DataError("inputs has ", steps,
                                 " steps: must have 1 to max_length = ", config_.max_length,
                                 fix_of_length(steps, config_.max_length));
        }
        if (!ptp::support::are_classes(inputs, words_)) {
            require_none(
                are_outside(inputs, 0, words_), "inputs", inputs,
                "be in [0, " + std::to_string(words_) + "), the indices of the vocabulary");
        }
        if (token_types != nullptr &&
            !ptp::support::are_classes(*token_types, config_.token_type_count)) {
            require_none(
                are_outside(*token_types, 0, config_.token_type_count), "token_types", *token_types,
                "be in [0, " + std::to_string(config_.token_type_count) + "), the types of words");
        }
        if (lengths != nullptr) {
            require_none(
                are_outside(*lengths, 1, steps + 1), "lengths", *lengths,
                "be in [1, " + std::to_string(steps) + "], the number of steps that inputs has");
        }
    }

    Config config_;
    int64_t words_;
    int64_t padding_ = kNoPadding;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor vectors_;  // these three as registered by the module
    at::Tensor positions_;
    at::Tensor types_;
    torch::nn::LayerNorm norm_ = nullptr;
    std::vector<bert::Layer> layers_;
    torch::nn::Linear pooler_ = nullptr;
};

template const ptp_component_info& ptp::component<TextEncoder>();
