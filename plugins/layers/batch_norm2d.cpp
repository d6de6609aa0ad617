// BatchNorm2d: normalizes each channel over the batch, as torch.nn.BatchNorm2d.

#include <ptp/component.hpp>

#include <torch/nn/modules/batchnorm.h>

class BatchNorm2d {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "BatchNorm2d";
    static constexpr const char* summary =
        "Normalizes each channel of images over the batch: a layer of torch.nn";
    static constexpr const char* description =
        "Ioffe and Szegedy 2015, arXiv 1502.03167. While training by the batch, afterwards by the "
        "running mean and variance.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, num_features, height, width", "Images"),
        ptp::output("outputs", PTP_FLOAT, "B, num_features, height, width",
                    "The normalized numbers")};

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

    BatchNorm2d(const Config& config, ptp::Setup& setup)
        : net_(torch::nn::BatchNorm2dOptions(setup.size("num_features"))
                   .eps(config.eps)
                   .momentum(config.momentum)
                   .affine(config.affine)
                   .track_running_stats(config.track_running_stats)) {}

    at::Tensor forward(const at::Tensor& inputs) { return net_->forward(inputs); }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::BatchNorm2d net_;
};

template const ptp_component_info& ptp::component<BatchNorm2d>();
