// A plugin in C++ with libtorch for the history of the ABI: a task, a model with weights and a
// buffer, and a loss with its weight, from what the C++ layer of ABI 1.0 had, so that it can be
// built with that of every revision. keep.sh builds it; every later host must run what it has
// built.

#include <ptp/plugin.hpp>

#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

// y = 2 a - b + 0.5, at points that lie in no order.
class KeptLine {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "KeptLine";
    static constexpr const char* summary = "Points of a plane, without noise";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 2", "Where a point is"),
        ptp::output("targets", PTP_FLOAT, "B, 1", "How high the plane is there")};
    static constexpr std::array globals{
        ptp::publishes("input_size", "How many numbers a point has").value("2")};

    struct Config {
        int64_t size = 16;
        double height = 0.5;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("size", &Config::size,
                             {.help = "How many points there are", .range = "[1, inf)"}),
                ptp::setting("height", &Config::height,
                             {.help = "How high the plane is at the origin"})};
        }
    };

    KeptLine(const Config& config, ptp::Setup& setup) : config_(config) {
        setup.publish("input_size", 2);
    }

    int64_t size() const { return config_.size; }

    std::tuple<at::Tensor, at::Tensor> sample(int64_t index, ptp::Random&) const {
        const double a = static_cast<double>(index % 16) / 16;
        const double b = static_cast<double>(index * 5 % 16) / 16;
        at::Tensor point = at::zeros({2}, at::kFloat);
        point.data_ptr<float>()[0] = static_cast<float>(a);
        point.data_ptr<float>()[1] = static_cast<float>(b);
        at::Tensor target = at::zeros({1}, at::kFloat);
        target.data_ptr<float>()[0] = static_cast<float>(2 * a - b + config_.height);
        return {point, target};
    }

private:
    Config config_;
};

// w x + b, with weights that begin as zeros.
class KeptLinear {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "KeptLinear";
    static constexpr const char* summary = "A linear layer that counts its batches";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, input_size", "Vectors"),
        ptp::output("predictions", PTP_FLOAT, "B, 1", "A number for each")};
    static constexpr std::array globals{ptp::reads("input_size", "Length of a vector")};

    struct Config {
        bool has_bias = true;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("has_bias", &Config::has_bias, {.help = "Whether b is there"})};
        }
    };

    KeptLinear(const Config& config, ptp::Setup& setup)
        : linear_(torch::nn::LinearOptions(setup.global<int64_t>("input_size"), 1)
                      .bias(config.has_bias)),
          net_(std::make_shared<torch::nn::Module>()) {
        torch::NoGradGuard no_gradients;
        linear_->weight.zero_();
        if (config.has_bias) {
            linear_->bias.zero_();
        }
        net_->register_module("linear", linear_);
        batches_ = net_->register_buffer("batches", at::zeros({}, at::kLong));
    }

    at::Tensor forward(const at::Tensor& inputs) {
        if (net_->is_training()) {
            batches_.add_(1);
        }
        return linear_->forward(inputs);  // [B, I] -> [B, 1]
    }

    torch::nn::Module& module() { return *net_; }

private:
    torch::nn::Linear linear_;
    std::shared_ptr<torch::nn::Module> net_;
    at::Tensor batches_;  // a single number
};

// The mean of the squared differences.
class KeptSquares {
public:
    static constexpr ptp_kind kind = PTP_LOSS;
    static constexpr const char* name = "KeptSquares";
    static constexpr const char* summary = "Mean of the squared differences";

    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, n", "What was predicted"),
        ptp::input("targets", PTP_FLOAT, "B, n", "What is right"),
        ptp::output("loss", PTP_FLOAT, "", "Mean over all numbers").loss()};
    static constexpr std::array statistics{
        ptp::sum("loss_weight", "How many numbers there were").hidden().integer(),
        ptp::mean("kept_error", "Mean of the differences")};

    struct Config {
        double factor = 1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("factor", &Config::factor,
                             {.help = "What the loss is multiplied by", .range = "(0, inf)"})};
        }
    };

    explicit KeptSquares(const Config& config) : factor_(config.factor) {}

    at::Tensor forward(const at::Tensor& predictions, const at::Tensor& targets) {
        const at::Tensor differences = predictions - targets;
        count_ = static_cast<double>(differences.numel());
        error_ = differences.detach().mean();
        return differences.square().mean() * factor_;
    }

    std::array<double, 2> collect(uint64_t) const { return {count_, error_.item<double>()}; }

private:
    double factor_;
    double count_ = 0;
    at::Tensor error_;  // a single number
};

PTP_PLUGIN("kept_cpp_samples", "0.1.0", KeptLine, KeptLinear, KeptSquares);
