// TransformerEncoder: each step of a sequence attends to all others, layer by layer.
//
// Vaswani et al.: Attention is all you need, 2017, arXiv 1706.03762, in torch.nn's form; with
// norm_first, Xiong et al.: On layer normalization in the transformer architecture, 2020, arXiv
// 2002.04745. With is_causal it is the decoder of a language model.

#include "transformer_stack.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <tuple>

class TransformerEncoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "TransformerEncoder";
    static constexpr const char* summary =
        "Layers in which each step of a sequence attends to all others";
    static constexpr const char* description =
        "num_layers of torch.nn.TransformerEncoderLayer, whose weights have their names in layers: "
        "attention with num_heads, then two linear layers of feedforward_size, each added to its "
        "input, dropped while training, and normalized: afterwards or, with norm_first, before, "
        "and then once more at the end (norm). With add_positions, sin(p / 10000^(2i/E)) is added "
        "to element 2i of step p of the inputs, of size E, and the cosine to element 2i + 1; in "
        "float32 these waves are exact to 1e-5 at step 500, and to 1e-4 at step 5000. With "
        "is_causal a step attends to itself and those before it alone. With use_lengths each "
        "sample has its own number of steps: nothing attends to those after them, whose outputs "
        "are 0. attention_maps are the weights of all layers and heads, before any is dropped.\n"
        "Vaswani et al. 2017, arXiv 1706.03762.";

    static constexpr std::array ports{
        transformer::kInputs, transformer::kLengths,
        ptp::output("outputs", PTP_FLOAT, "B, length, input_size", "The encoded steps"),
        ptp::output("attention_maps", PTP_FLOAT, "B, $num_layers, $num_heads, length, length",
                    "How much a step, the second to last dimension, attends to each of the last")
            .when("output_attention_maps")};
    static constexpr std::array globals = transformer::kGlobals;
    static constexpr std::array requirements = transformer::kRequirements;

    struct Config : transformer::StackConfig {
        static constexpr auto settings() {
            return std::tuple_cat(
                StackConfig::settings(),
                std::tuple{
                    ptp::setting("output_attention_maps", &Config::output_attention_maps,
                                 {.help = "Whether the weights of all attentions are an output"})});
        }
    };

    TransformerEncoder(const Config& config, ptp::Setup& setup)
        : stack_(*net_, config, setup.size("input_size"), false) {}

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs,
                                               const at::Tensor* lengths) {
        return stack_.forward(inputs, lengths, nullptr, net_->is_training());
    }

    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    transformer::Stack stack_;
};

template const ptp_component_info& ptp::component<TransformerEncoder>();
