// LayerNorm: normalizes the last dimensions of each sample, as torch.nn.LayerNorm.

#include "same_shape.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/normalization.h>

class LayerNorm {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "LayerNorm";
    static constexpr const char* summary =
        "Normalizes the last dimensions of each sample: a layer of torch.nn";
    static constexpr const char* description =
        "Ba, Kiros and Hinton 2016, arXiv 1607.06450. Without normalized_shape over the last "
        "dimension.";

    static constexpr std::array ports = layers::same_shape("The normalized numbers");
    static constexpr std::array requirements{ptp::requirement(
        "inputs[rank(inputs) - length($normalized_shape):] = $normalized_shape[0:]",
        "must be the last sizes of its input")};

    struct Config {
        std::optional<std::vector<int64_t>> normalized_shape;
        double eps = 1e-5;
        bool elementwise_affine = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("normalized_shape", &Config::normalized_shape,
                             {.help = "The last sizes of the input, over which it is normalized",
                              .range = "[1, inf)",
                              .length = "[1, inf)",
                              .takes_list_or_one = true}),
                ptp::setting("eps", &Config::eps,
                             {.help = "Added to the variance", .range = "(0, inf)"}),
                ptp::setting("elementwise_affine", &Config::elementwise_affine,
                             {.help = "Whether a learned scale and shift follow"})};
        }
    };

    LayerNorm(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::LayerNormOptions(config.normalized_shape
                                               ? *config.normalized_shape
                                               : std::vector<int64_t>{setup.input_size(-1)})
                   .eps(config.eps)
                   .elementwise_affine(config.elementwise_affine)) {}

    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::LayerNorm net_;
};

template const ptp_component_info& ptp::component<LayerNorm>();
