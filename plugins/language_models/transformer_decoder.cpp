// TransformerDecoder: attention of each step to those before it, and to an encoded sequence, layer
// by layer.
//
// Vaswani et al.: Attention is all you need, 2017, arXiv 1706.03762, in torch.nn's form; with
// norm_first, Xiong et al.: On layer normalization in the transformer architecture, 2020, arXiv
// 2002.04745.

#include "transformer_stack.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <tuple>

class TransformerDecoder {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "TransformerDecoder";
    static constexpr const char* summary =
        "Layers in which steps attend to those before them and to an encoded sequence";
    static constexpr const char* description =
        "num_layers of torch.nn.TransformerDecoderLayer, whose weights have their names in layers: "
        "attention of the inputs to themselves, then to the memory, such as the outputs of a "
        "TransformerEncoder, then two linear layers of feedforward_size; each is added to its "
        "input, dropped while training, and normalized: afterwards or, with norm_first, before, "
        "and then once more at the end (norm). With add_positions, waves are added to the inputs "
        "as in TransformerEncoder. With is_causal a step attends to itself and those before it "
        "alone, so that the right words, moved back by one, can be the inputs while training. With "
        "use_lengths each sample has its own number of steps, whose later outputs are 0, and with "
        "use_memory_lengths of steps in the memory. attention_maps are the weights of the "
        "attentions to the memory, of all layers and heads, before any is dropped.\n"
        "Vaswani et al. 2017, arXiv 1706.03762.";

    static constexpr std::array ports{
        transformer::kInputs,
        ptp::input("memory", PTP_FLOAT, "B, memory_length, input_size",
                   "The encoded sequences that steps attend to"),
        transformer::kLengths,
        ptp::input("memory_lengths", PTP_INTEGER, "B", "Number of real steps of each memory")
            .when("use_memory_lengths"),
        ptp::output("outputs", PTP_FLOAT, "B, length, input_size", "The decoded steps"),
        ptp::output("attention_maps", PTP_FLOAT,
                    "B, $num_layers, $num_heads, length, memory_length",
                    "How much a step, the second to last dimension, attends to each of the memory")
            .when("output_attention_maps")};
    static constexpr std::array globals = transformer::kGlobals;
    static constexpr std::array requirements = transformer::kRequirements;

    struct Config : transformer::StackConfig {
        bool use_memory_lengths = false;

        Config() { is_causal = true; }

        static constexpr auto settings() {
            return std::tuple_cat(
                StackConfig::settings(),
                std::tuple{
                    ptp::setting("use_memory_lengths", &Config::use_memory_lengths,
                                 {.help = "Whether memories end after their own number of steps"}),
                    ptp::setting("output_attention_maps", &Config::output_attention_maps,
                                 {.help = "Whether the weights of the attentions to the memory are "
                                          "an output"})});
        }
    };

    TransformerDecoder(const Config& config, ptp::Setup& setup)
        : stack_(*net_, config, setup.size("input_size"), true) {}

    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& inputs, const at::Tensor& memory,
                                               const at::Tensor* lengths,
                                               const at::Tensor* memory_lengths) {
        const transformer::Memory known{memory, memory_lengths};
        return stack_.forward(inputs, lengths, &known, net_->is_training());
    }

    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    transformer::Stack stack_;
};

template const ptp_component_info& ptp::component<TransformerDecoder>();
