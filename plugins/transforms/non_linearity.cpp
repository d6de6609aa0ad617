// NonLinearity: a function of each number, or of all numbers along one dimension.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class NonLinearity {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "NonLinearity";
    static constexpr const char* summary = "Applies an activation function to a stream";
    static constexpr const char* description =
        "relu: max(0, x). leaky_relu: x, or negative_slope * x below 0. elu: x, or alpha * (exp(x) "
        "- 1) below 0 (Clevert et al. 2015, arXiv 1511.07289). gelu: x * Phi(x), Phi the normal "
        "distribution, not an approximation of it (Hendrycks and Gimpel 2016, arXiv 1606.08415). "
        "sigmoid: 1 / (1 + exp(-x)). tanh: the hyperbolic tangent. softmax: exp(x) over the sum of "
        "all exp(x) along dim; log_softmax: the logarithm of that.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, n^$num_inputs_dims-1", "Any numbers")
            .meaning("scores|log_probabilities|values if function = log_softmax"),
        ptp::output("outputs", PTP_FLOAT, "B, n^$num_inputs_dims-1",
                    "The function's values, in the same shape")
            .meaning("log_probabilities if function = log_softmax; "
                     "probabilities if function = softmax|sigmoid; "
                     "non_negative if function = relu; within_one if function = tanh; "
                     "values")};

    static constexpr std::array requirements{
        ptp::requirement("$dim < rank(inputs)", "must be a dimension of inputs")
            .when("function = softmax|log_softmax")};

    enum class Function { kRelu, kLeakyRelu, kElu, kGelu, kSigmoid, kTanh, kSoftmax, kLogSoftmax };

    struct Config {
        Function function = Function::kRelu;
        int64_t num_inputs_dims = 2;
        int64_t dim = 1;
        double negative_slope = 0.01;
        double alpha = 1.0;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "function", &Config::function,
                    {.help = "The function",
                     .choices = "relu|leaky_relu|elu|gelu|sigmoid|tanh|softmax|log_softmax"}),
                ptp::setting(
                    "num_inputs_dims", &Config::num_inputs_dims,
                    {.help = "Dimensions of the input, the batch's included", .range = "[1, inf)"}),
                ptp::setting("dim", &Config::dim,
                             {.help = "For softmax and log_softmax: along which dimension the "
                                      "numbers add up to 1; 0 is the batch's",
                              .range = "[1, inf)"}),
                ptp::setting("negative_slope", &Config::negative_slope,
                             {.help = "For leaky_relu: the slope below 0", .range = "[0, inf)"}),
                ptp::setting(
                    "alpha", &Config::alpha,
                    {.help = "For elu: -alpha is its limit far below 0", .range = "[0, inf)"})};
        }
    };

    explicit NonLinearity(const Config& config) : config_(config) {
        const bool has_dim =
            config.function == Function::kSoftmax || config.function == Function::kLogSoftmax;
        const Config usual;
        const auto refuse = [](const char* setting, const char* functions) {
            throw ptp::ConfigError(setting, ": only function = ", functions, " has it");
        };
        if (!has_dim && config.dim != usual.dim) {
            refuse("dim", "\"softmax\" or \"log_softmax\"");
        }
        if (config.function != Function::kLeakyRelu &&
            config.negative_slope != usual.negative_slope) {
            refuse("negative_slope", "\"leaky_relu\"");
        }
        if (config.function != Function::kElu && config.alpha != usual.alpha) {
            refuse("alpha", "\"elu\"");
        }
        if (has_dim && config.dim >= config.num_inputs_dims) {
            throw ptp::ConfigError("dim = ", config.dim, ": the input has only ",
                                   config.num_inputs_dims, " dimensions (num_inputs_dims)");
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        switch (config_.function) {
            case Function::kRelu:
                return inputs.relu();
            case Function::kLeakyRelu:
                return at::leaky_relu(inputs, config_.negative_slope);
            case Function::kElu:
                return at::elu(inputs, config_.alpha);
            case Function::kGelu:
                return at::gelu(inputs);
            case Function::kSigmoid:
                return inputs.sigmoid();
            case Function::kTanh:
                return inputs.tanh();
            case Function::kSoftmax:
                return inputs.softmax(config_.dim);
            default:
                return inputs.log_softmax(config_.dim);
        }
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<NonLinearity>();
