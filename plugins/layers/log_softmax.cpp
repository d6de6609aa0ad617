// LogSoftmax: logarithms of probabilities, as torch.nn.LogSoftmax.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class LogSoftmax {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "LogSoftmax";
    static constexpr const char* summary =
        "Logarithms of probabilities that add up to 1: a layer of torch.nn";
    static constexpr const char* description = "For NLLLoss; CrossEntropyLoss contains it already.";

    static constexpr std::array ports = layers::same_shape(
        "Logarithms of probabilities", "log_probabilities", "scores|log_probabilities|values");
    static constexpr std::array requirements{
        ptp::requirement("$dim < rank(inputs)", "must be a dimension of its input"),
        ptp::requirement("$dim != 0", "must not be the dimension of the batch"),
        ptp::requirement("inputs[$dim] > 1",
                         "its input has a single number there, so that nothing is learned")};

    struct Config {
        int64_t dim = 1;

        static constexpr auto settings() {
            return std::tuple{ptp::setting(
                "dim", &Config::dim,
                {.help = "The dimension of the classes; -1 is the last", .range = "[-1, inf)"})};
        }
    };

    explicit LogSoftmax(const Config& config) : dim_(config.dim) {}

    at::Tensor forward(const at::Tensor& inputs) { return inputs.log_softmax(dim_); }

private:
    int64_t dim_;
};

template const ptp_component_info& ptp::component<LogSoftmax>();
