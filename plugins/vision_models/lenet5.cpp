// LeNet5: the convolutional network of LeCun et al. 1998 for gray images of 32 x 32.
//
// Three convolutions with 5 x 5 kernels and two linear layers, with ReLU and max-pooling between
// them. It returns log-probabilities; pair it with the loss NLLLoss.

#include "max_pool.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

class LeNet5 {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "LeNet5";
    static constexpr const char* summary =
        "Convolutional classifier of LeCun et al. for 32 x 32 images";
    static constexpr const char* description =
        "Convolutions 1 -> 6, 6 -> 16 and 16 -> 120 with 5 x 5 kernels, 2 x 2 max-pooling after "
        "the first two, then linear layers 120 -> 84 -> prediction_size; ReLU after each layer "
        "but the last, which is followed by a log-softmax. Pair it with NLLLoss.\n"
        "LeCun, Bottou, Bengio, Haffner: Gradient-based learning applied to document "
        "recognition, 1998.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, 1, 32, 32", "Grey images"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Log-probability of each class")
            .meaning("log_probabilities")};
    static constexpr std::array globals{
        ptp::reads("prediction_size", "Number of classes").purpose(PTP_PURPOSE_SCORE_COUNT)};
    static constexpr std::array requirements{
        ptp::requirement("prediction_size > 1",
                         "the log-softmax of a single prediction is always 0, so that nothing is "
                         "learned; set prediction_size to the number of classes")};

    explicit LeNet5(ptp::Setup& setup) {
        conv1_ = net_->register_module("conv1", torch::nn::Conv2d(1, 6, 5));
        conv2_ = net_->register_module("conv2", torch::nn::Conv2d(6, 16, 5));
        conv3_ = net_->register_module("conv3", torch::nn::Conv2d(16, 120, 5));
        linear1_ = net_->register_module("linear1", torch::nn::Linear(120, 84));
        linear2_ =
            net_->register_module("linear2", torch::nn::Linear(84, setup.size("prediction_size")));
    }

    at::Tensor forward(const at::Tensor& inputs) {
        using ptp::support::relu_max_pool_2x2;
        ptp::support::require_declared_sizes("inputs", inputs, {ptp::support::kAnySize, 1, 32, 32});
        at::Tensor x =
            relu_max_pool_2x2(conv1_->forward(inputs));  // [B, 1, 32, 32] -> [B, 6, 14, 14]
        x = relu_max_pool_2x2(conv2_->forward(x));       // -> [B, 16, 5, 5]
        x = conv3_->forward(x).relu().flatten(1);        // -> [B, 120]
        x = linear1_->forward(x).relu();                 // -> [B, 84]
        return linear2_->forward(x).log_softmax(1);      // -> [B, prediction_size]
    }

    torch::nn::Module& module() { return *net_; }

private:
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>("LeNet5");
    torch::nn::Conv2d conv1_ = nullptr;
    torch::nn::Conv2d conv2_ = nullptr;
    torch::nn::Conv2d conv3_ = nullptr;
    torch::nn::Linear linear1_ = nullptr;
    torch::nn::Linear linear2_ = nullptr;
};

template const ptp_component_info& ptp::component<LeNet5>();
