// ReduceTensor: one number for all those along a dimension.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class ReduceTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ReduceTensor";
    static constexpr const char* summary = "Reduces a dimension to one number: sum, mean, max, ...";
    static constexpr const char* description =
        "The dimension reduction_dim goes, or becomes 1 with keepdim. Of an even number of values "
        "median is the lower one of the two in the middle. argmin and argmax return the place, "
        "from 0, and of equal values the first. The gradient of a min, max or median goes to one "
        "value. Batches of [B, 10] need no settings; of [B, 3, 28, 28] images the mean over the "
        "channels is reduction_type = \"mean\", reduction_dim = 1, trailing_dims = 2.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT,
                   "B, before^$reduction_dim-1, input_size, after^$trailing_dims",
                   "The numbers to reduce"),
        ptp::output("outputs", PTP_FLOAT, "B, before^$reduction_dim-1, after^$trailing_dims",
                    "One number for each row")
            .when("!keepdim & reduction_type != argmin|argmax"),
        ptp::output("outputs", PTP_FLOAT, "B, before^$reduction_dim-1, 1, after^$trailing_dims",
                    "One number for each row")
            .when("keepdim & reduction_type != argmin|argmax"),
        ptp::output("outputs", PTP_INTEGER, "B, before^$reduction_dim-1, after^$trailing_dims",
                    "One place for each row")
            .when("!keepdim & reduction_type = argmin|argmax"),
        ptp::output("outputs", PTP_INTEGER, "B, before^$reduction_dim-1, 1, after^$trailing_dims",
                    "One place for each row")
            .when("keepdim & reduction_type = argmin|argmax")};

    enum class Reduction { kSum, kMean, kMin, kMax, kMedian, kArgmin, kArgmax };

    struct Config {
        Reduction reduction_type = Reduction::kSum;
        int64_t reduction_dim = 1;
        int64_t trailing_dims = 0;
        bool keepdim = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("reduction_type", &Config::reduction_type,
                             {.help = "What the numbers become",
                              .choices = "sum|mean|min|max|median|argmin|argmax"}),
                ptp::setting("reduction_dim", &Config::reduction_dim,
                             {.help = "The dimension that is reduced; 0 is the batch's, which "
                                      "cannot be",
                              .range = "[1, inf)"}),
                ptp::setting("trailing_dims", &Config::trailing_dims,
                             {.help = "How many dimensions the input has after that one",
                              .range = "[0, inf)"}),
                ptp::setting("keepdim", &Config::keepdim,
                             {.help = "Whether the dimension stays, with the size 1"})};
        }
    };

    explicit ReduceTensor(const Config& config) : config_(config) {}

    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> forward(const at::Tensor& inputs) {
        std::array<at::Tensor, 4> outputs;
        const bool is_place = config_.reduction_type == Reduction::kArgmin ||
                              config_.reduction_type == Reduction::kArgmax;
        outputs[(is_place ? 2 : 0) + (config_.keepdim ? 1 : 0)] = reduce(inputs);
        return {outputs[0], outputs[1], outputs[2], outputs[3]};
    }

private:
    at::Tensor reduce(const at::Tensor& inputs) const {
        const int64_t dim = config_.reduction_dim;
        switch (config_.reduction_type) {
            case Reduction::kSum:
                return inputs.sum(dim, config_.keepdim);
            case Reduction::kMean:
                return inputs.mean(dim, config_.keepdim);
            case Reduction::kMin:
                return std::get<0>(inputs.min(dim, config_.keepdim));
            case Reduction::kMax:
                return std::get<0>(inputs.max(dim, config_.keepdim));
            case Reduction::kMedian:
                return std::get<0>(inputs.median(dim, config_.keepdim));
            case Reduction::kArgmin:
                return inputs.argmin(dim, config_.keepdim);
            default:
                return inputs.argmax(dim, config_.keepdim);
        }
    }

    Config config_;
};

template const ptp_component_info& ptp::component<ReduceTensor>();
