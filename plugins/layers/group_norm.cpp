// GroupNorm: normalizes groups of the channels of each sample, as torch.nn.GroupNorm.

#include "same_shape.hpp"

#include "channels_first.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/normalization.h>

class GroupNorm {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "GroupNorm";
    static constexpr const char* summary =
        "Normalizes groups of the channels of each sample: a layer of torch.nn";
    static constexpr const char* description =
        "Wu and He 2018, arXiv 1803.08494. The channels are dimension 1.";

    static constexpr std::array ports = layers::same_shape("The normalized numbers");
    static constexpr std::array requirements{
        ptp::requirement("inputs[1] % $num_groups = 0", "must divide the channels of its input")};

    struct Config {
        int64_t num_groups = 0;
        double eps = 1e-5;
        bool affine = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "num_groups", &Config::num_groups,
                    {.help = "Number of groups", .range = "[1, inf)", .is_required = true}),
                ptp::setting("eps", &Config::eps,
                             {.help = "Added to the variance", .range = "(0, inf)"}),
                ptp::setting("affine", &Config::affine,
                             {.help = "Whether a learned scale and shift follow"})};
        }
    };

    GroupNorm(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::GroupNormOptions(config.num_groups, layers::channels(setup))
                   .eps(config.eps)
                   .affine(config.affine)) {}

    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::GroupNorm net_;
};

template const ptp_component_info& ptp::component<GroupNorm>();
