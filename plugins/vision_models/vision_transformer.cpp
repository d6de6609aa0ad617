// VisionTransformer: a classifier that reads an image as a sequence of patches.
//
// Dosovitskiy et al.: An image is worth 16x16 words, 2020, arXiv 2010.11929, as
// torchvision.models.VisionTransformer. `load` loads published weights, see
// docs/pretrained-weights.md.

#include "transformer_attention.hpp"

#include <ptp/component.hpp>

#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

namespace vit {

struct EncoderPlan {
    int64_t patch_size = 16;
    int64_t hidden_size = 768;
    int64_t num_layers = 12;
    int64_t num_heads = 12;
    int64_t feedforward_size = 3072;
    double dropout_rate = 0.0;
    double attention_dropout_rate = 0.0;

    torch::nn::LayerNorm norm() const {
        return torch::nn::LayerNorm(torch::nn::LayerNormOptions({hidden_size}).eps(1e-6));
    }
};

// Attention and a feed-forward part; the input of each is normalized, and its output added to that.
class EncoderLayer : public torch::nn::Module {
public:
    explicit EncoderLayer(const EncoderPlan& plan)
        : dropout_rate_(plan.dropout_rate),
          norm1_(register_module("ln_1", plan.norm())),
          attention_(*this, "self_attention",
                     {.size = plan.hidden_size,
                      .num_heads = plan.num_heads,
                      .dropout_rate = plan.attention_dropout_rate}),
          norm2_(register_module("ln_2", plan.norm())) {
        const auto mlp = std::make_shared<torch::nn::Module>();
        linear1_ = mlp->register_module("0", linear(plan.hidden_size, plan.feedforward_size));
        linear2_ = mlp->register_module("3", linear(plan.feedforward_size, plan.hidden_size));
        register_module("mlp", mlp);
    }

    at::Tensor forward(const at::Tensor& tokens) {
        const at::Tensor sums =
            tokens + dropped(attention_.to_itself(norm1_->forward(tokens), {}, nullptr));
        const at::Tensor hidden = dropped(at::gelu(linear1_->forward(norm2_->forward(sums))));
        return sums + dropped(linear2_->forward(hidden));
    }

private:
    static torch::nn::Linear linear(int64_t from, int64_t to) {
        torch::nn::Linear made(from, to);
        torch::nn::init::xavier_uniform_(made->weight);
        torch::nn::init::normal_(made->bias, 0, 1e-6);
        return made;
    }

    at::Tensor dropped(const at::Tensor& tokens) const {
        return at::dropout(tokens, dropout_rate_, is_training());
    }

    double dropout_rate_;
    torch::nn::LayerNorm norm1_;
    transformer::Attention attention_;
    torch::nn::LayerNorm norm2_;
    torch::nn::Linear linear1_ = nullptr;
    torch::nn::Linear linear2_ = nullptr;
};

}  // namespace vit

class VisionTransformer {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "VisionTransformer";
    static constexpr const char* summary =
        "Transformer that classifies images, read as sequences of patches";
    static constexpr const char* description =
        "A linear function of each patch of patch_size x patch_size pixels, and a learned token "
        "before them, are tokens of hidden_size numbers, to which learned positions are added. In "
        "each of num_layers layers they pass attention with num_heads, and two linear layers with "
        "feedforward_size numbers and GELU between them; both parts normalize their input and are "
        "added to it. The first token, normalized, becomes plain scores, by a linear layer.\n"
        "The defaults are ViT-B/16; ViT-S/16 (Touvron et al. 2020, arXiv 2012.12877) has "
        "hidden_size = 384, num_heads = 6 and feedforward_size = 1536. Names of parameters, "
        "formulas and initialization are torchvision's: `load` takes the weights published for "
        "images of 224 x 224. Its hidden_dim is hidden_size, its mlp_dim feedforward_size. The "
        "last layer begins with 0: all scores of an untrained network are 0.\n"
        "Dosovitskiy et al. 2020, arXiv 2010.11929.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, input_depth, input_height, input_width", "Images"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Plain scores of the classes")
            .meaning("scores")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_depth", "Channels of the images; else known from the stream"),
        ptp::reads_if_named("input_height", "Height of the images; else known from the stream"),
        ptp::reads_if_named("input_width", "Width of the images; else known from the stream"),
        ptp::reads("prediction_size", "Number of classes").purpose(PTP_PURPOSE_SCORE_COUNT)};
    static constexpr std::array requirements{
        ptp::requirement("$hidden_size % $num_heads = 0", "must be a multiple of num_heads"),
        ptp::requirement("max(input_height % $patch_size, input_width % $patch_size) = 0",
                         "must be a divisor of the height and the width of the images")};

    struct Config : vit::EncoderPlan {
        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "patch_size", &Config::patch_size,
                    {.help = "Height and width of a patch, in pixels", .range = "[1, inf)"}),
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Length of a token", .range = "[1, inf)"}),
                ptp::setting("num_layers", &Config::num_layers,
                             {.help = "Number of layers", .range = "[1, inf)"}),
                ptp::setting(
                    "num_heads", &Config::num_heads,
                    {.help = "Number of attentions of a layer, side by side", .range = "[1, inf)"}),
                ptp::setting(
                    "feedforward_size", &Config::feedforward_size,
                    {.help = "Width of the hidden layer behind an attention", .range = "[1, inf)"}),
                ptp::setting("dropout_rate", &Config::dropout_rate,
                             {.help = "Chance of dropping an element of tokens, sums and hidden "
                                      "layers while training",
                              .range = "[0, 1)"}),
                ptp::setting("attention_dropout_rate", &Config::attention_dropout_rate,
                             {.help = "Chance of dropping a weight of an attention while training",
                              .range = "[0, 1)"})};
        }
    };

    VisionTransformer(const Config& config, ptp::Setup& setup) : plan_(config) {
        if (config.hidden_size % config.num_heads != 0) {
            throw ptp::SettingError("num_heads", "must be a divisor of hidden_size, ",
                                    config.hidden_size);
        }
        class_token_ =
            net_->register_parameter("class_token", at::zeros({1, 1, config.hidden_size}));
        projection_ = net_->register_module("conv_proj", projection(setup.size("input_depth")));
        add_encoder(1 + places(setup.size("input_height")) * places(setup.size("input_width")));
        const auto heads = std::make_shared<torch::nn::Module>();
        torch::nn::Linear head(config.hidden_size, setup.size("prediction_size"));
        torch::nn::init::zeros_(head->weight);
        torch::nn::init::zeros_(head->bias);
        head_ = heads->register_module("head", head);
        net_->register_module("heads", heads);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        // [B, D, H, W] -> [B, E, H / P, W / P] -> [B, places, E]
        const at::Tensor patches = projection_->forward(inputs).flatten(2).transpose(1, 2);
        if (patches.size(1) + 1 != positions_.size(1)) {
            throw ptp::DataError("inputs has images of ", inputs.size(2), " x ", inputs.size(3),
                                 ", ", patches.size(1), " patches, must have ",
                                 positions_.size(1) - 1);
        }
        const at::Tensor first = class_token_.expand({inputs.size(0), -1, -1});
        at::Tensor tokens = at::cat({first, patches}, 1) + positions_;  // [B, 1 + places, E]
        tokens = at::dropout(tokens, plan_.dropout_rate, net_->is_training());
        for (const auto& layer : layers_) {
            tokens = layer->forward(tokens);
        }
        return head_->forward(norm_->forward(tokens.select(1, 0)));  // -> [B, prediction_size]
    }

    torch::nn::Module& module() { return *net_; }

private:
    // Returns the number of patches along a side of `size` pixels.
    int64_t places(int64_t size) const {
        if (size % plan_.patch_size != 0) {
            throw ptp::SettingError("patch_size",
                                    "must be a divisor of the height and the width of the images, "
                                    "one of which is ",
                                    size);
        }
        return size / plan_.patch_size;
    }

    torch::nn::Conv2d projection(int64_t depth) const {
        const int64_t size = plan_.patch_size;
        torch::nn::Conv2d made(
            torch::nn::Conv2dOptions(depth, plan_.hidden_size, size).stride(size));
        torch::nn::init::normal_(made->weight, 0,
                                 std::sqrt(1.0 / static_cast<double>(depth * size * size)));
        torch::nn::init::zeros_(made->bias);
        return made;
    }

    void add_encoder(int64_t tokens) {
        const auto encoder = std::make_shared<torch::nn::Module>();
        positions_ =
            encoder->register_parameter("pos_embedding", at::zeros({1, tokens, plan_.hidden_size}));
        torch::nn::init::normal_(positions_, 0, 0.02);
        const auto layers = std::make_shared<torch::nn::Module>();
        for (int64_t i = 0; i < plan_.num_layers; ++i) {
            layers_.push_back(layers->register_module("encoder_layer_" + std::to_string(i),
                                                      std::make_shared<vit::EncoderLayer>(plan_)));
        }
        encoder->register_module("layers", layers);
        norm_ = encoder->register_module("ln", plan_.norm());
        net_->register_module("encoder", encoder);
    }

    vit::EncoderPlan plan_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    at::Tensor class_token_;  // both as registered by the module
    at::Tensor positions_;
    torch::nn::Conv2d projection_ = nullptr;
    std::vector<std::shared_ptr<vit::EncoderLayer>> layers_;
    torch::nn::LayerNorm norm_ = nullptr;
    torch::nn::Linear head_ = nullptr;
};

template const ptp_component_info& ptp::component<VisionTransformer>();
