// FeedForwardNetwork: linear layers with ReLU and dropout between them, on the last dimension.
//
// Returns log-probabilities, for NLLLoss, or plain scores. Without hidden layers it is logistic
// regression.

#include <ptp/plugin.hpp>

#include <ATen/ops/log_softmax.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

class FeedForwardNetwork {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "FeedForwardNetwork";
    static constexpr const char* summary =
        "Linear layers with ReLU and dropout between them: an MLP, of dense layers";
    static constexpr const char* description =
        "For each of hidden_sizes a linear layer, ReLU and, if dropout_rate is not 0, dropout; "
        "then a linear layer to prediction_size and, unless use_logsoftmax is false, a "
        "log-softmax. It acts on the last dimension of its input; the others stay as they are. "
        "Without hidden_sizes it is logistic regression. With the log-softmax, pair it with "
        "NLLLoss.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, n^$dimensions-2, input_size", "Vectors"),
        ptp::output(
            "predictions", PTP_FLOAT, "B, n^$dimensions-2, prediction_size",
            "For each vector its predictions: log-probabilities with use_logsoftmax, else scores or "
            "numbers")
            .meaning("log_probabilities if use_logsoftmax; scores")};
    static constexpr std::array globals{
        ptp::reads_if_named("input_size", "Length of a vector; else known from the stream"),
        ptp::reads("prediction_size", "Number of scores for each vector")
            .purpose(PTP_PURPOSE_SCORE_COUNT)};
    static constexpr std::array requirements{
        ptp::requirement("prediction_size > 1",
                         "the log-softmax of a single prediction is always 0, so that nothing is "
                         "learned; for a single one set use_logsoftmax = false")
            .when("use_logsoftmax")};

    struct Config {
        std::vector<int64_t> hidden_sizes;
        double dropout_rate = 0.0;
        bool use_logsoftmax = true;
        int64_t dimensions = 2;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("hidden_sizes", &Config::hidden_sizes,
                             {.help = "Width of each hidden layer, input side first",
                              .range = "[1, inf)",
                              .takes_list_or_one = true}),
                ptp::setting(
                    "dropout_rate", &Config::dropout_rate,
                    {.help = "Chance of dropping a hidden unit while training", .range = "[0, 1)"}),
                ptp::setting("use_logsoftmax", &Config::use_logsoftmax,
                             {.help = "Whether predictions are log-probabilities"}),
                ptp::setting("dimensions", &Config::dimensions,
                             {.help = "Number of dimensions of the input, the batch included",
                              .range = "[2, inf)"})};
        }
    };

    FeedForwardNetwork(const Config& config, ptp::Setup& setup)
        : use_logsoftmax_(config.use_logsoftmax) {
        int64_t width = setup.size("input_size");
        for (const int64_t next : config.hidden_sizes) {
            layers_->push_back(torch::nn::Linear(width, next));
            layers_->push_back(torch::nn::ReLU());
            if (config.dropout_rate > 0) {
                layers_->push_back(torch::nn::Dropout(config.dropout_rate));
            }
            width = next;
        }
        layers_->push_back(torch::nn::Linear(width, setup.size("prediction_size")));
        net_->register_module("layers", layers_);
    }

    at::Tensor forward(const at::Tensor& inputs) {
        const at::Tensor scores = layers_->forward(inputs);  // [B, ..., I] -> [B, ..., P]
        return use_logsoftmax_ ? at::log_softmax(scores, -1) : scores;
    }

    torch::nn::Module& module() { return *net_; }

private:
    bool use_logsoftmax_;
    torch::nn::Sequential layers_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
};

PTP_PLUGIN("general_models", "0.1.0", FeedForwardNetwork);
