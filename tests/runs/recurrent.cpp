// RecurrentNetwork: a net with all that a swap has to carry over: recurrent weights, dropout, the
// running averages of a batch normalization. Built several times, as the builds of one plugin that
// its author makes one after the other; CMakeLists.txt says which is which:
//
//   RECURRENT_RESIDUAL  has a branch beside the hidden layer, which begins with zeros
//   RECURRENT_WIDE      has a hidden layer of 16 in place of 8, and a converter
//   RECURRENT_FORGETFUL keeps what it has counted neither in a tensor nor by export_state()

#include <ptp/migrate.hpp>  // first, as it needs no other header
#include <ptp/plugin.hpp>

#include <ATen/ops/log_softmax.h>
#include <c10/core/GradMode.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

namespace {

constexpr int64_t kState = 8;
#ifdef RECURRENT_WIDE
constexpr const char* kVersion = "3.0.0";
constexpr int64_t kHidden = 16;
#elif defined(RECURRENT_RESIDUAL)
constexpr const char* kVersion = "2.0.0";
constexpr int64_t kHidden = 8;
#elif defined(RECURRENT_FORGETFUL)
constexpr const char* kVersion = "1.0.1";
constexpr int64_t kHidden = 8;
#else
constexpr const char* kVersion = "1.0.0";
constexpr int64_t kHidden = 8;
#endif

}  // namespace

class RecurrentNetwork {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "RecurrentNetwork";
    static constexpr const char* summary = "Reads a vector number by number";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, length", "Sequences of numbers"),
        ptp::output("predictions", PTP_FLOAT, "B, prediction_size", "Log-probabilities")};
    static constexpr std::array globals{
        ptp::reads("prediction_size", "Number of kinds").purpose(PTP_PURPOSE_SCORE_COUNT)};

    explicit RecurrentNetwork(ptp::Setup& setup)
        : output_(torch::nn::Linear(kHidden, setup.size("prediction_size"))) {
        net_->register_module("lstm", lstm_);
        net_->register_module("norm", norm_);
        net_->register_module("dropout", dropout_);
        net_->register_module("hidden", hidden_);
        net_->register_module("output", output_);
#ifdef RECURRENT_RESIDUAL
        net_->register_module("branch", branch_);
        torch::nn::init::zeros_(branch_->weight);
        torch::nn::init::zeros_(branch_->bias);
#endif
    }

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor states = std::get<0>(lstm_->forward(inputs.unsqueeze(-1)));  // [B, L, S]
        const at::Tensor last = dropout_->forward(norm_->forward(states.select(1, -1)));  // [B, S]
        at::Tensor hidden = hidden_->forward(last).relu();                                // [B, H]
#ifdef RECURRENT_RESIDUAL
        hidden = hidden + branch_->forward(last);
#endif
#ifdef RECURRENT_FORGETFUL
        ++count_;
        hidden = hidden * (1.0 + 0.001 * static_cast<double>(count_));
#endif
        return at::log_softmax(output_->forward(hidden), -1);  // [B, P]
    }

#ifdef RECURRENT_WIDE
    // The new units begin as the constructor made them, and nothing listens to them yet.
    void migrate(const ptp::OldTensors& old) {
        const c10::NoGradGuard without_gradients;
        const at::Tensor& weight = old.at("hidden.weight");
        const int64_t width = weight.size(0);
        hidden_->weight.slice(0, 0, width).copy_(weight);
        hidden_->bias.slice(0, 0, width).copy_(old.at("hidden.bias"));
        output_->weight.zero_();
        output_->weight.slice(1, 0, width).copy_(old.at("output.weight"));
    }
#endif

    torch::nn::Module& module() {
        return *net_;
    }

private:
    torch::nn::LSTM lstm_{torch::nn::LSTMOptions(1, kState).batch_first(true)};
    torch::nn::BatchNorm1d norm_{kState};
    torch::nn::Dropout dropout_{0.2};
    torch::nn::Linear hidden_{kState, kHidden};
    torch::nn::Linear output_;
#ifdef RECURRENT_RESIDUAL
    torch::nn::Linear branch_{kState, kHidden};
#endif
#ifdef RECURRENT_FORGETFUL
    int64_t count_ = 0;
#endif
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

PTP_PLUGIN("recurrent", kVersion, RecurrentNetwork);
