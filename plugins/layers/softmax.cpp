// Softmax: probabilities of scores, as torch.nn.Softmax.

#include "same_shape.hpp"

#include <ptp/component.hpp>

class Softmax {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Softmax";
    static constexpr const char* summary = "Probabilities that add up to 1: a layer of torch.nn";
    static constexpr const char* description =
        "Not before CrossEntropyLoss and NLLLoss, which take scores and log-probabilities.";

    static constexpr std::array ports = layers::same_shape("Probabilities", "probabilities");
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

    explicit Softmax(const Config& config) : dim_(config.dim) {}

    at::Tensor forward(const at::Tensor& inputs) { return inputs.softmax(dim_); }

private:
    int64_t dim_;
};

template const ptp_component_info& ptp::component<Softmax>();
