// MyComponent: two linear layers with a ReLU between them.

#include <ptp/plugin.hpp>

#include <torch/nn/modules/linear.h>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Two linear layers with a ReLU between them";
    static constexpr const char* description =
        "predictions = W2 relu(W1 inputs + b1) + b2, with hidden_size numbers in between.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, input_size", "Vectors"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Numbers for each vector")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of a vector; else known from the stream"),
        ptp::reads("prediction_size", "How many numbers to predict for each vector")
            .purpose(PTP_PURPOSE_SCORE_COUNT)};

    struct Config {
        int64_t hidden_size = 8;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("hidden_size", &Config::hidden_size,
                             {.help = "Numbers between the two layers", .range = "[1, inf)"})};
        }
    };

    MyComponent(const Config& config, ptp::Setup& setup)
        : first_(setup.size("input_size"), config.hidden_size),
          second_(config.hidden_size, setup.size("prediction_size")) {
        // Saved runs, and newer builds of this plugin, find the weights by these names.
        net_->register_module("first", first_);
        net_->register_module("second", second_);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        return second_(first_(inputs).relu());  // [B, input_size] -> [B, prediction_size]
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Linear first_;
    torch::nn::Linear second_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
