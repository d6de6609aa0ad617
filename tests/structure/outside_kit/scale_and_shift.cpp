// ScaleAndShift: a number for each feature, and one that is added. Also the task and the loss of an
// experiment with it.

#include <ptp/plugin.hpp>

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>

namespace {

class ScaleAndShift {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "ScaleAndShift";
    static constexpr const char* summary = "Scales each feature, and adds a number";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, feature_size", "Features"),
        ptp::output("predictions", PTP_FLOAT, "B, feature_size", "Scaled and shifted")};

    struct Config {
        double initial_scale = 1;
        static constexpr auto settings() {
            return std::tuple{ptp::setting("initial_scale", &Config::initial_scale,
                                           {.help = "All scales at the beginning"})};
        }
    };

    ScaleAndShift(const Config& config, ptp::Setup& setup) {
        const auto size = setup.size("feature_size");
        scale_ = net_->register_parameter("scale", torch::full({size}, config.initial_scale));
        shift_ = net_->register_parameter("shift", torch::zeros({size}));
    }

    at::Tensor forward(const at::Tensor& inputs) { return inputs * scale_ + shift_; }
    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>("net");
    at::Tensor scale_;
    at::Tensor shift_;
};

// Sample k has the features k and 1; its targets are 2 k - 1 and 3.
class Line {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Line";
    static constexpr const char* summary = "Points of a line";
    static constexpr std::array ports{ptp::output("inputs", PTP_FLOAT, "B, 2", "k and 1"),
                                      ptp::output("targets", PTP_FLOAT, "B, 2", "2 k - 1 and 3")};

    int64_t size() const { return 8; }
    std::tuple<at::Tensor, at::Tensor> sample(int64_t index, ptp::Random&) {
        const auto k = static_cast<float>(index) / 8;
        return {torch::tensor({k, 1.0f}), torch::tensor({2 * k - 1, 3.0f})};
    }
};

class SquaredDistance {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "SquaredDistance";
    static constexpr const char* summary = "Mean of the squared differences";
    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, feature_size", "Numbers"),
        ptp::input("targets", PTP_FLOAT, "B, feature_size", "Numbers"),
        ptp::output("loss", PTP_FLOAT, "", "Their mean squared difference").loss()};

    at::Tensor forward(const at::Tensor& predictions, const at::Tensor& targets) {
        if (predictions.sizes() != targets.sizes()) {
            throw ptp::DataError("targets has the sizes ", targets.sizes(), ", must have ",
                                 predictions.sizes());
        }
        return (predictions - targets).square().mean();
    }
};

}  // namespace

PTP_PLUGIN("outside_kit", "0.1.0", ScaleAndShift, Line, SquaredDistance);
