// Embedding: a vector for each index, as torch.nn.Embedding.

#include "initializers.hpp"

#include <ptp/component.hpp>

#include <c10/core/GradMode.h>
#include <torch/nn/modules/embedding.h>

class Embedding {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Embedding";
    static constexpr const char* summary =
        "A learned vector for each index, such as that of a word: a layer of torch.nn";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_INTEGER, "...", "Indices, from 0 to num_embeddings - 1"),
        ptp::output("outputs", PTP_FLOAT, "inputs[0:], $embedding_dim", "A vector for each index")};
    static constexpr std::array requirements{
        ptp::requirement("$padding_idx < $num_embeddings", "must be less than num_embeddings")};

    struct Config {
        int64_t num_embeddings = 0;
        int64_t embedding_dim = 0;
        std::optional<int64_t> padding_idx;
        layers::Initializer weight_init = layers::Initializer::kDefault;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_embeddings", &Config::num_embeddings,
                             {.help = "Number of indices, such as the words of a vocabulary",
                              .range = "[1, inf)",
                              .is_required = true}),
                ptp::setting(
                    "embedding_dim", &Config::embedding_dim,
                    {.help = "Length of a vector", .range = "[1, inf)", .is_required = true}),
                ptp::setting(
                    "padding_idx", &Config::padding_idx,
                    {.help = "An index whose vector is 0 and stays so", .range = "[0, inf)"}),
                layers::weight_init_setting<Config>()};
        }
    };

    explicit Embedding(const Config& config)
        : net_(torch::nn::EmbeddingOptions(config.num_embeddings, config.embedding_dim)
                   .padding_idx(config.padding_idx ? c10::optional<int64_t>(*config.padding_idx)
                                                   : c10::nullopt)) {
        layers::initialize(net_->weight, config.weight_init);
        if (config.padding_idx) {
            const c10::NoGradGuard no_grad;
            net_->weight[*config.padding_idx].zero_();
        }
    }

    // [B, ...] -> [B, ..., embedding_dim]
    at::Tensor forward(const at::Tensor& inputs) {
        try {
            return net_->forward(inputs);
        } catch (const c10::IndexError&) {
            throw ptp::DataError(
                "an index is not one of the ", net_->options.num_embeddings(),
                " of num_embeddings: they are from ", inputs.min().item<int64_t>(), " to ",
                inputs.max().item<int64_t>(),
                "\nfix: name the size of the vocabulary, globals = { vocabulary_size = "
                "\"word_count\" } in what makes the indices, and set num_embeddings = "
                "\"word_count\"");
        }
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Embedding net_;
};

template const ptp_component_info& ptp::component<Embedding>();
