// TransformerEncoder: each step of a sequence attends to all others, layer by layer.
//
// Vaswani et al.: Attention is all you need, 2017, arXiv 1706.03762, in torch.nn's form; with
// norm_first, Xiong et al.: On layer normalization in the transformer architecture, 2020, arXiv
// 2002.04745. With is_causal it is the decoder of a language model.

#include "recurrent_cell.hpp"
#include "transformer_layer.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/modules/normalization.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

class TransformerEncoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "TransformerEncoder";
    static constexpr const char* summary =
        "Layers in which each step of a sequence attends to all others";
    static constexpr const char* description =
        "num_layers of torch.nn.TransformerEncoderLayer, whose weights have their names in "
        "layers: attention with num_heads, then two linear layers of feedforward_size, each added "
        "to its input, dropped while training, and normalized: afterwards or, with norm_first, "
        "before, and then once more at the end (norm). With add_positions, sin(p / 10000^(2i/E)) "
        "is added to element 2i of step p of the inputs, of size E, and the cosine to element "
        "2i + 1. With is_causal a step attends to itself and those before it alone. With "
        "use_lengths each sample has its own number of steps: nothing attends to those after "
        "them, whose outputs are 0. attention_maps are the weights of all layers and heads, before "
        "any is dropped.\n"
        "Vaswani et al. 2017, arXiv 1706.03762.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, input_size", "Sequences of vectors"),
        ptp::input("lengths", PTP_INTEGER, "B", "Number of real steps of each sequence")
            .when("use_lengths"),
        ptp::output("outputs", PTP_FLOAT, "B, length, input_size", "The encoded steps"),
        ptp::output("attention_maps", PTP_FLOAT, "B, $num_layers, $num_heads, length, length",
                    "How much a step, the second to last dimension, attends to each of the last")
            .when("output_attention_maps")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of a vector; else known from the stream")};
    static constexpr std::array requirements{ptp::requirement(
        "input_size % $num_heads = 0", "must be a divisor of the size of the inputs")};

    struct Config {
        int64_t num_layers = 2;
        int64_t num_heads = 4;
        int64_t feedforward_size = 512;
        double dropout_rate = 0.1;
        transformer::Activation activation = transformer::Activation::kRelu;
        bool norm_first = false;
        bool is_causal = false;
        bool add_positions = true;
        bool use_lengths = false;
        bool output_attention_maps = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("num_layers", &Config::num_layers,
                             {.help = "Number of layers", .range = "[1, inf)"}),
                ptp::setting(
                    "num_heads", &Config::num_heads,
                    {.help = "Number of attentions of a layer, side by side", .range = "[1, inf)"}),
                ptp::setting(
                    "feedforward_size", &Config::feedforward_size,
                    {.help = "Width of the hidden layer behind an attention", .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of positions, attention, "
                                      "hidden layer and sums while training",
                              .range = "[0, 1)"}),
                ptp::setting("activation", &Config::activation,
                             {.help = "Of the hidden layer", .choices = "ReLU|GELU"}),
                ptp::setting("norm_first", &Config::norm_first,
                             {.help = "Whether inputs of attention and linear layers are "
                                      "normalized, not sums"}),
                ptp::setting("is_causal", &Config::is_causal,
                             {.help = "Whether steps do not attend to later ones"}),
                ptp::setting("add_positions", &Config::add_positions,
                             {.help = "Whether waves that tell steps from each other are added to "
                                      "the inputs"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether sequences end after their own number of steps"}),
                ptp::setting("output_attention_maps", &Config::output_attention_maps,
                             {.help = "Whether the weights of all attentions are an output"})};
        }
    };

    TransformerEncoder(const Config& config, ptp::Setup& setup)
        : config_(config), size_(setup.size("input_size")) {
        if (size_ % config.num_heads != 0) {
            throw ptp::SettingError("num_heads", "must be a divisor of the size of the inputs, ",
                                    size_);
        }
        const auto layers = std::make_shared<torch::nn::Module>();
        for (int64_t i = 0; i < config.num_layers; ++i) {
            layers_.emplace_back(
                *layers, std::to_string(i),
                transformer::LayerOptions{.size = size_,
                                          .num_heads = config.num_heads,
                                          .feedforward_size = config.feedforward_size,
                                          .dropout_rate = config.dropout_rate,
                                          .activation = config.activation,
                                          .is_norm_first = config.norm_first});
        }
        net_->register_module("layers", layers);
        if (config.norm_first) {
            norm_ = net_->register_module(
                "norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({size_})));
        }
    }

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                               const at::Tensor* lengths) {
        if (lengths != nullptr) {
            recurrent::check_lengths(*lengths, inputs);
        }
        const int64_t steps = inputs.size(1);
        at::Tensor values = inputs;
        if (config_.add_positions) {
            values = at::dropout(inputs + transformer::positions(inputs), config_.dropout_rate,
                                 net_->is_training());
        }
        at::Tensor is_out;  // true where no attention is paid: [B, 1, 1, S], [S, S] or both
        if (config_.is_causal) {
            is_out = transformer::later(steps, inputs.device());
        }
        at::Tensor is_padding;  // [B, S]
        if (lengths != nullptr) {
            is_padding = transformer::padding(*lengths, steps);
            const at::Tensor keys = is_padding.unsqueeze(1).unsqueeze(1);
            is_out = is_out.defined() ? is_out.logical_or(keys) : keys;
            values = values.masked_fill(is_padding.unsqueeze(2), 0);
        }
        std::vector<at::Tensor> maps(layers_.size());
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            values = layers_[i].forward(values, is_out,  // [B, S, E] -> [B, S, E]
                                        config_.output_attention_maps ? &maps[i] : nullptr);
        }
        if (config_.norm_first) {
            values = norm_->forward(values);
        }
        if (is_padding.defined()) {
            values = values.masked_fill(is_padding.unsqueeze(2), 0);
        }
        return {values, config_.output_attention_maps ? at::stack(maps, 1) : at::Tensor()};
    }

    torch::nn::Module& module() { return *net_; }

private:
    Config config_;
    int64_t size_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::vector<transformer::Layer> layers_;
    torch::nn::LayerNorm norm_ = nullptr;
};

template const ptp_component_info& ptp::component<TransformerEncoder>();
