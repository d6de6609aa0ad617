// IndexEmbeddings: a learned vector for each word of a vocabulary.
//
// The equivalent of torch.nn.Embedding. Pair it with the indices of a vocabulary, and with its
// padding index.

#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <optional>

class IndexEmbeddings {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "IndexEmbeddings";
    static constexpr const char* summary = "A learned vector for each word of a vocabulary";
    static constexpr const char* description =
        "The output has, in place of each index of a word, row number index of the parameter "
        "embeddings.weight, which begins with numbers drawn from N(0, 1). The row of padding_index "
        "is zeros and has no gradient, so that it remains zeros. An index that is not in "
        "[0, vocab_size) is refused.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_INTEGER, "B, n^$dimensions-1", "Indices of words"),
        ptp::output("outputs", PTP_FLOAT, "B, n^$dimensions-1, embeddings_size",
                    "The vector of each word")};
    static constexpr std::array globals{
        ptp::reads("vocab_size", "Number of words"),
        ptp::reads_if_named("pad_index", "Index of padding, in place of padding_index"),
        ptp::publishes("embeddings_size", "Length of a vector").value("$embeddings_size")};
    static constexpr std::array requirements{ptp::requirement(
        "!$padding_index or $padding_index < vocab_size", "must be less than vocab_size")};

    struct Config {
        int64_t embeddings_size = 0;
        std::optional<int64_t> padding_index;
        int64_t dimensions = 2;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "embeddings_size", &Config::embeddings_size,
                    {.help = "Length of a vector", .range = "[1, inf)", .is_required = true}),
                ptp::setting("padding_index", &Config::padding_index,
                             {.help = "Index of padding, whose vector is zeros and not trained; "
                                      "none without it",
                              .range = "[0, inf)"}),
                ptp::setting("dimensions", &Config::dimensions,
                             {.help = "Number of dimensions of the indices, the batch included",
                              .range = "[1, inf)"})};
        }
    };

    IndexEmbeddings(const Config& config, ptp::Setup& setup)
        : words_(setup.global<int64_t>("vocab_size")) {
        if (words_ < 1) {
            throw ptp::ConfigError("the global 'vocab_size' is ", words_, ", must be at least 1");
        }
        const auto padding = padding_of(config, setup.optional_global<int64_t>("pad_index"));
        at::Tensor rows = at::randn({words_, config.embeddings_size});
        if (padding) {
            rows[*padding].zero_();
            padding_ = *padding;
        }
        weight_ = table_->register_parameter("weight", rows);
        net_->register_module("embeddings", table_);
        setup.publish("embeddings_size", config.embeddings_size);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        if (!ptp::support::are_classes(inputs, words_)) {
            ptp::support::require_none(
                ptp::support::are_outside(inputs, 0, words_), "inputs", inputs,
                "be in [0, " + std::to_string(words_) + "), the indices of the vocabulary");
        }
        return at::embedding(weight_, inputs.to(at::kLong), padding_);  // [B, ...] -> [B, ..., E]
    }

    torch::nn::Module& module() { return *net_; }

private:
    static constexpr int64_t kNoPadding = -1;

    [[nodiscard]] std::optional<int64_t> padding_of(const Config& config,
                                                    std::optional<int64_t> published) const {
        if (published && (*published < 0 || *published >= words_)) {
            throw ptp::ConfigError("the global 'pad_index' is ", *published, ", must be in [0, ",
                                   words_, "), the indices of the vocabulary");
        }
        if (!config.padding_index) {
            return published;
        }
        if (*config.padding_index >= words_) {
            throw ptp::SettingError("padding_index", "must be less than vocab_size, ", words_);
        }
        if (published && *published != *config.padding_index) {
            throw ptp::SettingError("padding_index", "the global 'pad_index' is ", *published,
                                    "; leave one of them out");
        }
        return config.padding_index;
    }

    int64_t words_;
    int64_t padding_ = kNoPadding;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::shared_ptr<torch::nn::Module> table_ = std::make_shared<torch::nn::Module>();
    at::Tensor weight_;  // as registered by the module
};

template const ptp_component_info& ptp::component<IndexEmbeddings>();
