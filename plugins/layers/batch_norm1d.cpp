// BatchNorm1d: normalizes each channel over the batch, as torch.nn.BatchNorm1d.

#include "channels_first.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/batchnorm.h>

class BatchNorm1d {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "BatchNorm1d";
    static constexpr const char* summary =
        "Normalizes each channel of vectors or sequences over the batch: a layer of torch.nn";
    static constexpr const char* description =
        "Ioffe and Szegedy 2015, arXiv 1502.03167. While training by the batch, afterwards by the "
        "running mean and variance.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "Vectors or sequences"),
        ptp::output("outputs", PTP_FLOAT, "inputs[0:]", "The normalized numbers")};
    static constexpr std::array requirements{ptp::requirement(
        "rank(inputs) = 2 or rank(inputs) = 3", "takes vectors [B, C] or sequences [B, C, L]")};

    struct Config {
        double eps = 1e-5;
        double momentum = 0.1;
        bool affine = true;
        bool track_running_stats = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("eps", &Config::eps,
                             {.help = "Added to the variance", .range = "(0, inf)"}),
                ptp::setting("momentum", &Config::momentum,
                             {.help = "The share of a batch in the running mean and variance",
                              .range = "[0, 1]"}),
                ptp::setting("affine", &Config::affine,
                             {.help = "Whether a learned scale and shift follow"}),
                ptp::setting("track_running_stats", &Config::track_running_stats,
                             {.help = "Whether there are a running mean and variance"})};
        }
    };

    BatchNorm1d(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::BatchNorm1dOptions(layers::channels(setup))
                   .eps(config.eps)
                   .momentum(config.momentum)
                   .affine(config.affine)
                   .track_running_stats(config.track_running_stats)) {}

    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::BatchNorm1d net_;
};

template const ptp_component_info& ptp::component<BatchNorm1d>();
