// RectifiedNetwork: a convolutional classifier with a ReLU as a function, a module that is used
// twice and one in place, as authors write them. Hooks on modules miss two of the four.

#include <ptp/plugin.hpp>

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

class RectifiedNetwork {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "RectifiedNetwork";
    static constexpr const char* summary = "Classifies images of 28 x 28";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, 1, 28, 28", "Images"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Scores").meaning("scores")};
    static constexpr std::array globals{
        ptp::reads("prediction_size", "Number of classes").purpose(PTP_PURPOSE_SCORE_COUNT)};

    explicit RectifiedNetwork(ptp::Setup& setup) {
        using Options = torch::nn::Conv2dOptions;
        conv1_ = net_->register_module("conv1", torch::nn::Conv2d(Options(1, 4, 3).padding(1)));
        conv2_ = net_->register_module("conv2",
                                       torch::nn::Conv2d(Options(4, 6, 3).padding(1).stride(2)));
        conv3_ = net_->register_module("conv3",
                                       torch::nn::Conv2d(Options(6, 8, 3).padding(1).stride(2)));
        hidden_ = net_->register_module("hidden", torch::nn::Linear(8 * 7 * 7, 16));
        output_ =
            net_->register_module("output", torch::nn::Linear(16, setup.size("prediction_size")));
    }

    at::Tensor forward(const at::Tensor& inputs) {
        at::Tensor x = conv1_->forward(inputs).relu();  // [B, 4, 28, 28]
        x = relu_->forward(conv2_->forward(x));         // -> [B, 6, 14, 14]
        x = conv3_->forward(x).relu_().flatten(1);      // -> [B, 392]
        x = relu_->forward(hidden_->forward(x));        // -> [B, 16]
        return output_->forward(x);                     // -> [B, prediction_size]
    }

    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    torch::nn::Conv2d conv1_ = nullptr;
    torch::nn::Conv2d conv2_ = nullptr;
    torch::nn::Conv2d conv3_ = nullptr;
    torch::nn::Linear hidden_ = nullptr;
    torch::nn::Linear output_ = nullptr;
    torch::nn::ReLU relu_;
};

PTP_PLUGIN("rectified", "1.0.0", RectifiedNetwork);
