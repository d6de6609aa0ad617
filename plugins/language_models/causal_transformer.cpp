// CausalTransformer: a language model in which each step attends to itself and those before it.
//
// Radford et al.: Language models are unsupervised multitask learners (GPT-2), 2019, as
// transformers.GPT2LMHeadModel. `load` loads published weights, see docs/pretrained-weights.md.

#include "gpt_layer.hpp"
#include "max_length.hpp"
#include "next_word.hpp"
#include "tensor_checks.hpp"
#include "transformer_layer.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
#include <torch/nn/modules/normalization.h>

#include <limits>

class CausalTransformer {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "CausalTransformer";
    static constexpr const char* summary =
        "Language model that predicts each next word from the words before it, and writes on";
    static constexpr const char* description =
        "Vectors of words and of their positions, both learned, are added. In each of num_layers "
        "layers they pass attention with num_heads, of each step to itself and those before it, "
        "and two linear layers with feedforward_size numbers (4 hidden_size if left out) and GELU, "
        "in its form with tanh, between them; both parts normalize their input and are added to "
        "it. The steps, normalized, become scores of the next word by the vectors of the words "
        "(tie_embeddings) or by a linear layer of their own, lm_head.\n"
        "The defaults are GPT-2's. Names of parameters, formulas and initialization are Hugging "
        "Face's: `load` takes its published weights. Its n_embd is hidden_size, its n_positions "
        "max_length, its n_inner feedforward_size.\n"
        "With continuation_length, words that follow the inputs are an output, one after the "
        "other: the likeliest, or with decoding = \"Sampling\" drawn by the generator of the run, "
        "from probabilities of scores divided by the temperature; top_k leaves the k likeliest, "
        "top_p the fewest, the likeliest first, that have this probability together. Steps that "
        "were computed are kept, not repeated. They are written in evaluation and prediction "
        "alone: while training continuation is 0.\n"
        "Radford et al. 2019; Holtzman et al. 2019, arXiv 1904.09751.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_INTEGER, "B, length", "Indices of words"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real words of each sequence")
            .when("use_lengths"),
        ptp::output("predictions", PTP_FLOAT, "B, length, vocab_size",
                    "Log-probabilities of the next word at each step")
            .meaning("log_probabilities")
            .when("use_logsoftmax != false"),
        ptp::output("predictions", PTP_FLOAT, "B, length, vocab_size",
                    "Plain scores of the next word at each step")
            .meaning("scores")
            .when("use_logsoftmax = false"),
        ptp::output("continuation", PTP_INTEGER, "B, $continuation_length",
                    "Indices of the words that follow the inputs")
            .when("continuation_length")};
    static constexpr std::array globals{ptp::reads("vocab_size", "Number of words")};
    static constexpr std::array requirements{
        ptp::requirement("$hidden_size % $num_heads = 0", "must be a multiple of num_heads"),
        ptp::requirement("!$top_k or $decoding = 'Sampling'",
                         "is of draws: needs decoding = \"Sampling\""),
        ptp::requirement("!$top_p or $decoding = 'Sampling'",
                         "is of draws: needs decoding = \"Sampling\"")};

    struct Config : gpt::NextWordOptions {
        int64_t hidden_size = 768;
        int64_t num_layers = 12;
        int64_t num_heads = 12;
        std::optional<int64_t> feedforward_size;
        int64_t max_length = 1024;
        double dropout_rate = 0.1;
        double attention_dropout_rate = 0.1;
        bool tie_embeddings = true;
        bool use_lengths = false;
        bool use_logsoftmax = true;
        std::optional<int64_t> continuation_length;

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
                ptp::setting("max_length", &Config::max_length,
                             {.help = "Number of positions: the most steps of a sequence and its "
                                      "continuation",
                              .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of vectors and sums while "
                                      "training",
                              .range = "[0, 1)"}),
                ptp::setting("attention_dropout_rate", &Config::attention_dropout_rate,
                             {.help = "Chance of dropping a weight of an attention while training",
                              .range = "[0, 1)"}),
                ptp::setting("tie_embeddings", &Config::tie_embeddings,
                             {.help = "Whether the vectors of words are the weights of the output "
                                      "layer, too"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sequences end, and continuations begin, after their "
                                      "own number of words"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities"}),
                ptp::setting("continuation_length", &Config::continuation_length,
                             {.help = "Number of words to write after the inputs; without it "
                                      "there is no continuation",
                              .range = "[1, inf)"}),
                ptp::setting("decoding", &Config::decoding,
                             {.help = "Whether the likeliest word is written, or one drawn",
                              .choices = "Greedy|Sampling"}),
                ptp::setting("temperature", &Config::temperature,
                             {.help = "What scores are divided by before a draw: less than 1 "
                                      "prefers likely words",
                              .range = "(0, inf)"}),
                ptp::setting("top_k", &Config::top_k,
                             {.help = "Number of likeliest words among which to draw; all if left "
                                      "out",
                              .range = "[1, inf)"}),
                ptp::setting("top_p", &Config::top_p,
                             {.help = "Probability that the words have together among which to "
                                      "draw; all if left out",
                              .range = "(0, 1]"})};
        }
    };

    CausalTransformer(const Config& config, ptp::Setup& setup)
        : config_(checked(config)), setup_(setup), words_(setup.size("vocab_size")) {
        if (config.decoding == gpt::Decoding::kSampling && !config.continuation_length) {
            setup.log_warning(
                "decoding = \"Sampling\" has no effect without continuation_length\n    fix: set "
                "continuation_length to the number of words to write");
        }
        vectors_ = table("wte", words_);
        positions_ = table("wpe", config.max_length);
        const auto layers = std::make_shared<torch::nn::Module>();
        for (int64_t i = 0; i < config.num_layers; ++i) {
            layers_.emplace_back(
                *layers, std::to_string(i),
                gpt::LayerOptions{
                    .size = config.hidden_size,
                    .num_heads = config.num_heads,
                    .feedforward_size = config.feedforward_size.value_or(4 * config.hidden_size),
                    .num_layers = config.num_layers,
                    .dropout_rate = config.dropout_rate,
                    .attention_dropout_rate = config.attention_dropout_rate});
        }
        net_->register_module("h", layers);
        norm_ = net_->register_module(
            "ln_f", torch::nn::LayerNorm(torch::nn::LayerNormOptions({config.hidden_size})));
        head_ = config.tie_embeddings ? vectors_ : table("lm_head", words_);
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                                           const at::Tensor* lengths) {
        check(inputs, lengths);
        const int64_t steps = inputs.size(1);
        const int64_t more = net_->is_training() ? 0 : config_.continuation_length.value_or(0);
        std::vector<gpt::Cache> caches = caches_of(inputs, more > 0 ? steps + more : 0);
        const at::Tensor mask = at::zeros({steps, steps}, vectors_.options().requires_grad(false))
                                    .masked_fill_(transformer::later(steps, inputs.device()), kNot);
        const at::Tensor places = at::arange(steps, inputs.options().dtype(at::kLong));
        const at::Tensor encoded = steps_of(inputs.to(at::kLong), places, mask, caches);
        const at::Tensor scores = at::matmul(encoded, head_.t());  // [B, S, E] -> [B, S, P]
        const at::Tensor predictions = config_.use_logsoftmax ? scores.log_softmax(2) : scores;
        if (!config_.continuation_length) {
            return {predictions, predictions, {}};
        }
        return {predictions, predictions,
                more > 0
                    ? continuation(scores, lengths, caches)
                    : at::zeros({inputs.size(0), *config_.continuation_length}, inputs.options())};
    }

    torch::nn::Module& module() { return *net_; }

private:
    static constexpr double kNot = -std::numeric_limits<double>::infinity();

    static const Config& checked(const Config& config) {
        if (config.hidden_size % config.num_heads != 0) {
            throw ptp::SettingError("num_heads", "must be a divisor of hidden_size, ",
                                    config.hidden_size);
        }
        if (config.decoding == gpt::Decoding::kGreedy && (config.top_k || config.top_p)) {
            throw ptp::SettingError(config.top_k ? "top_k" : "top_p",
                                    "is of draws: needs decoding = \"Sampling\"");
        }
        return config;
    }

    at::Tensor table(const char* of, int64_t rows) {
        const auto made = std::make_shared<torch::nn::Module>();
        net_->register_module(of, made);
        return made->register_parameter("weight",
                                        at::empty({rows, config_.hidden_size}).normal_(0.0, 0.02));
    }

    void check(const at::Tensor& inputs, const at::Tensor* lengths) const {
        const int64_t steps = inputs.size(1);
        const int64_t more = config_.continuation_length.value_or(0);
        if (steps < 1 || steps + more > config_.max_length) {
            throw ptp::DataError("inputs has ", steps, " steps",
                                 more == 0 ? "" : ", and its continuation " + std::to_string(more),
                                 ": must have 1 to max_length = ", config_.max_length,
                                 more == 0 ? "" : " together",
                                 fix_of_length(steps, config_.max_length, more));
        }
        if (!ptp::support::are_classes(inputs, words_)) {
            ptp::support::require_none(
                ptp::support::are_outside(inputs, 0, words_), "inputs", inputs,
                "be in [0, " + std::to_string(words_) + "), the indices of the vocabulary");
        }
        if (lengths != nullptr) {
            ptp::support::require_none(
                ptp::support::are_outside(*lengths, 1, steps + 1), "lengths", *lengths,
                "be in [1, " + std::to_string(steps) + "], the number of steps that inputs has");
        }
    }

    // Returns a cache for each layer; none where there are no steps to keep.
    std::vector<gpt::Cache> caches_of(const at::Tensor& inputs, int64_t steps) const {
        std::vector<gpt::Cache> caches(steps > 0 ? layers_.size() : 0);
        for (gpt::Cache& cache : caches) {
            cache.keys = at::empty(
                {inputs.size(0), config_.num_heads, steps, config_.hidden_size / config_.num_heads},
                vectors_.options().requires_grad(false));
            cache.values = at::empty_like(cache.keys);
        }
        return caches;
    }

    // Returns the normalized steps, [B, S] -> [B, S, E]; `places` are [S] or [B, S].
    at::Tensor steps_of(const at::Tensor& words, const at::Tensor& places, const at::Tensor& mask,
                        std::vector<gpt::Cache>& caches) {
        at::Tensor values =
            at::dropout(at::embedding(vectors_, words) + at::embedding(positions_, places),
                        config_.dropout_rate, net_->is_training());
        for (size_t i = 0; i < layers_.size(); ++i) {
            values = layers_[i].forward(values, mask, caches.empty() ? nullptr : &caches[i]);
        }
        return norm_->forward(values);
    }

    // Writes words after the last real step of each sample: [B, continuation_length]. A trace does
    // not see it: it draws words, and changes the caches in place.
    at::Tensor continuation(const at::Tensor& scores, const at::Tensor* lengths,
                            std::vector<gpt::Cache>& caches) {
        const c10::AutoGradMode without_gradients(false);
        const at::tracer::impl::NoTracerDispatchMode without_trace;
        const int64_t samples = scores.size(0);
        const int64_t steps = scores.size(1);
        const int64_t count = *config_.continuation_length;
        const at::TensorOptions integers = at::TensorOptions(scores.device()).dtype(at::kLong);
        const at::Tensor ends =
            lengths == nullptr ? at::full({samples}, steps, integers) : lengths->to(at::kLong);
        at::Tensor mask = at::zeros({samples, 1, 1, steps + count}, caches[0].keys.options());
        mask.narrow(3, 0, steps)
            .masked_fill_(transformer::padding(ends, steps).view({samples, 1, 1, steps}), kNot);
        at::Tensor now = scores.gather(1, (ends - 1).view({samples, 1, 1}).expand({-1, -1, words_}))
                             .squeeze(1);  // -> [B, P]
        std::vector<at::Tensor> words;
        for (int64_t i = 0; i < count; ++i) {
            words.push_back(gpt::next_words(now, config_, setup_.generator()).unsqueeze(1));
            if (i + 1 < count) {
                const at::Tensor encoded = steps_of(words.back(), (ends + i).unsqueeze(1),
                                                    mask.narrow(3, 0, steps + i + 1), caches);
                now = at::matmul(encoded, head_.t()).squeeze(1);
            }
        }
        return at::cat(words, 1);
    }

    Config config_;
    const ptp::Setup& setup_;
    int64_t words_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor vectors_;  // these three as registered by the module
    at::Tensor positions_;
    at::Tensor head_;
    std::vector<gpt::Layer> layers_;
    torch::nn::LayerNorm norm_ = nullptr;
};

template const ptp_component_info& ptp::component<CausalTransformer>();
