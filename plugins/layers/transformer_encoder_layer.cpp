// TransformerEncoderLayer: attention and a feed-forward network, as
// torch.nn.TransformerEncoderLayer with batch_first.

#include "real_places.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/transformerlayer.h>

class TransformerEncoderLayer {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "TransformerEncoderLayer";
    static constexpr const char* summary =
        "Self-attention and a feed-forward network over sequences: a layer of torch.nn";
    static constexpr const char* description =
        "Vaswani et al. 2017, arXiv 1706.03762. Sequences have the batch first. Items that are "
        "filling, by `lengths` or false `masks`, are no keys; what outputs has there has no "
        "meaning. With is_causal an item attends to itself and those before it alone: the "
        "src_mask of a language model. The component TransformerEncoder has positions, too.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length, d_model", "Sequences of vectors"),
        layers::lengths_port(), layers::masks_port("masks", "B, length"),
        ptp::output("outputs", PTP_FLOAT, "B, length, d_model", "A vector for each of them")};
    static constexpr std::array requirements{
        ptp::requirement("d_model % $nhead = 0", "must divide the size of a vector")};

    enum class Activation { kRelu, kGelu };
    struct Config {
        int64_t nhead = 1;
        int64_t dim_feedforward = 2048;
        double dropout = 0.1;
        Activation activation = Activation::kRelu;
        bool is_causal = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("nhead", &Config::nhead,
                             {.help = "Number of heads", .range = "[1, inf)", .is_required = true}),
                ptp::setting("dim_feedforward", &Config::dim_feedforward,
                             {.help = "Width of the feed-forward network", .range = "[1, inf)"}),
                ptp::setting("dropout", &Config::dropout,
                             {.help = "The chance of dropping a number", .range = "[0, 1)"}),
                ptp::setting("activation", &Config::activation,
                             {.help = "Between the layers of the feed-forward network",
                              .choices = "relu|gelu"}),
                ptp::setting("is_causal", &Config::is_causal,
                             {.help = "Whether items do not attend to later ones"})};
        }
    };

    TransformerEncoderLayer(const Config& config, ptp::Setup& setup)
        : net_(options_of(config, setup)), is_causal_(config.is_causal) {}

    // [B, T, E] -> [B, T, E]
    at::Tensor forward(const at::Tensor& inputs, const at::Tensor* lengths,
                       const at::Tensor* masks) {
        const layers::RealPlaces real{"lengths", lengths, "masks", masks};
        const at::Tensor filling = layers::padding_mask(real, {"inputs", inputs});
        const at::Tensor later =
            is_causal_ ? layers::causal_mask(real, {"inputs", inputs}, filling) : at::Tensor();
        return net_->forward(inputs.transpose(0, 1), later, filling).transpose(0, 1);
    }

    torch::nn::Module& module() { return *net_; }

private:
    static torch::nn::TransformerEncoderLayerOptions options_of(const Config& config,
                                                                ptp::Setup& setup) {
        auto options =
            torch::nn::TransformerEncoderLayerOptions(setup.size("d_model"), config.nhead);
        options.dim_feedforward(config.dim_feedforward).dropout(config.dropout);
        if (config.activation == Activation::kGelu) {
            options.activation(torch::kGELU);
        } else {
            options.activation(torch::kReLU);
        }
        return options;
    }

    torch::nn::TransformerEncoderLayer net_;
    bool is_causal_;
};

template const ptp_component_info& ptp::component<TransformerEncoderLayer>();
