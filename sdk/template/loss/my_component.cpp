// MyComponent: the mean of the squared differences between predictions and targets.

#include <ptp/plugin.hpp>

#include <ATen/TensorOperators.h>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Mean of the squared differences to the targets";
    static constexpr const char* description =
        "loss = weight / N * sum of (predictions - targets)^2, over all N numbers of the batch.";

    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, size", "The model's predictions"),
        ptp::input("targets", PTP_FLOAT, "B, size", "What is right").purpose(PTP_PURPOSE_TARGETS),
        ptp::output("loss", PTP_FLOAT, "", "Mean over the batch").loss()};

    struct Config {
        double weight = 1.0;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("weight", &Config::weight,
                                           {.help = "Multiplies the loss", .range = "(0, inf)"})};
        }
    };

    explicit MyComponent(const Config& config) : weight_(config.weight) {}

    at::Tensor forward(const at::Tensor& predictions, const at::Tensor& targets) {
        if (predictions.sizes() != targets.sizes()) {
            throw ptp::DataError("targets has the sizes ", targets.sizes(), ", must have ",
                                 predictions.sizes(), ", as predictions has");
        }
        return (predictions - targets).square().mean() * weight_;  // [B, size] -> []
    }

private:
    double weight_;
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
