// Linear: a linear layer on the last dimension, as torch.nn.Linear.

#include "initializers.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/linear.h>

class Linear {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Linear";
    static constexpr const char* summary =
        "A linear (dense, fully connected) layer: a layer of torch.nn";
    static constexpr const char* description =
        "With the weights `weight` and `bias` of torch.nn.Linear, which are initialized as there. "
        "It acts on the last dimension, whose size follows from the stream; the others stay.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "Vectors in the last dimension"),
        ptp::output("outputs", PTP_FLOAT, "inputs[:-1], $out_features", "A vector for each of them")
            .meaning("scores")};
    static constexpr std::array requirements{
        ptp::requirement("rank(inputs) > 1", "its input must have a dimension besides the batch")};

    struct Config {
        int64_t out_features = 0;
        bool bias = true;
        layers::Initializer weight_init = layers::Initializer::kDefault;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("out_features", &Config::out_features,
                             {.help = "Length of a vector of the output",
                              .range = "[1, inf)",
                              .is_required = true}),
                ptp::setting("bias", &Config::bias, {.help = "Whether a bias is added"}),
                layers::weight_init_setting<Config>()};
        }
    };

    Linear(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::LinearOptions(setup.input_size(-1), config.out_features)
                   .bias(config.bias)) {
        layers::initialize(net_->weight, config.weight_init);
    }

    // [B, ..., I] -> [B, ..., out_features]
    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Linear net_;
};

template const ptp_component_info& ptp::component<Linear>();
