// ConcatenateTensor: joins streams along one dimension.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

class ConcatenateTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ConcatenateTensor";
    static constexpr const char* summary = "Joins streams along one dimension";
    static constexpr const char* description =
        "The streams have the same sizes but along `dim`, where the output's size is their sum: "
        "vectors of 784 and 11 become output_dims = [-1, 795]. -1 is any size, usually the "
        "batch's.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "The streams to join").streams_from("input_streams"),
        ptp::output("outputs", PTP_FLOAT, "$output_dims", "All of them, one after the other")};
    static constexpr std::array globals{
        ptp::publishes("output_size",
                       "The sizes of the output after the first: a number if it is only one, else "
                       "a list")
            .value("$output_dims[1:]")};
    static constexpr std::array requirements{
        ptp::requirement("$dim < length($output_dims)", "must be a dimension of output_dims"),
        ptp::requirement("min(rank(inputs)) = length($output_dims) and max(rank(inputs)) = "
                         "length($output_dims)",
                         "must have a size for each dimension of the streams"),
        ptp::requirement(
            "length($input_streams) = 1 or $dim = 1 or min(inputs[1]) = max(inputs[1])",
            "must have one size in dimension 1, since dim is another"),
        ptp::requirement(
            "length($input_streams) = 1 or $dim = 2 or min(inputs[2]) = max(inputs[2])",
            "must have one size in dimension 2, since dim is another"),
        ptp::requirement(
            "length($input_streams) = 1 or $dim = 3 or min(inputs[3]) = max(inputs[3])",
            "must have one size in dimension 3, since dim is another"),
        ptp::requirement(
            "length($input_streams) = 1 or $dim = 4 or min(inputs[4]) = max(inputs[4])",
            "must have one size in dimension 4, since dim is another"),
        ptp::requirement("$output_dims[1] = -1 or $dim = 1 or min(inputs[1]) != max(inputs[1]) or "
                         "$output_dims[1] = min(inputs[1])",
                         "must have the streams' size in dimension 1"),
        ptp::requirement("$output_dims[2] = -1 or $dim = 2 or min(inputs[2]) != max(inputs[2]) or "
                         "$output_dims[2] = min(inputs[2])",
                         "must have the streams' size in dimension 2"),
        ptp::requirement("$output_dims[3] = -1 or $dim = 3 or min(inputs[3]) != max(inputs[3]) or "
                         "$output_dims[3] = min(inputs[3])",
                         "must have the streams' size in dimension 3"),
        ptp::requirement("$output_dims[4] = -1 or $dim = 4 or min(inputs[4]) != max(inputs[4]) or "
                         "$output_dims[4] = min(inputs[4])",
                         "must have the streams' size in dimension 4"),
        ptp::requirement("$output_dims[$dim] = -1 or $output_dims[$dim] = sum(inputs[$dim])",
                         "must have the sum of the streams' sizes along dim")};

    struct Config {
        std::vector<std::string> input_streams;
        std::vector<int64_t> output_dims;
        int64_t dim = 1;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("input_streams", &Config::input_streams,
                                           {.help = "Names of the streams to join, in order",
                                            .length = "[1, inf)",
                                            .is_required = true}),
                              ptp::setting("output_dims", &Config::output_dims,
                                           {.help = "Shape of the output; -1 is any size",
                                            .range = "[-1, inf)",
                                            .length = "[1, inf)",
                                            .is_required = true}),
                              ptp::setting("dim", &Config::dim,
                                           {.help = "The dimension that grows; 0 is the batch's",
                                            .range = "[0, inf)"})};
        }
    };

    ConcatenateTensor(const Config& config, ptp::Setup& setup) : dim_(config.dim) {
        const std::vector<int64_t>& dims = config.output_dims;
        if (dim_ >= static_cast<int64_t>(dims.size())) {
            throw ptp::ConfigError("dim = ", std::to_string(dim_), ": output_dims has only ",
                                   std::to_string(dims.size()), " dimensions");
        }
        for (const ptp::Binding& input : setup.inputs("inputs")) {
            check(input, dims);
        }
        check_sum(setup.inputs("inputs"), dims[static_cast<std::size_t>(dim_)]);
        if (dims.size() == 2) {
            setup.publish("output_size", dims[1]);
        } else {
            setup.publish("output_size", std::vector<int64_t>(dims.begin() + 1, dims.end()));
        }
    }

    at::Tensor forward(const ptp::List<at::Tensor>& inputs) {
        parts_.clear();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            parts_.push_back(inputs[i]);
        }
        at::Tensor joined = at::cat(parts_, dim_);
        parts_.clear();  // the graph alone decides how long the inputs live
        return joined;
    }

private:
    // Every known size but the one along dim_ must equal the output's.
    void check(const ptp::Binding& input, const std::vector<int64_t>& dims) const {
        if (!input.shape) {
            return;
        }
        bool fits = input.shape->size() == dims.size();
        for (std::size_t i = 0; fits && i < dims.size(); ++i) {
            const int64_t size = (*input.shape)[i];
            fits =
                static_cast<int64_t>(i) == dim_ || size == -1 || dims[i] == -1 || size == dims[i];
        }
        if (!fits) {
            throw ptp::ConfigError("the stream '", input.stream, "' has the shape ",
                                   ptp::Data(*input.shape).toml(), ", which does not fit in ",
                                   "output_dims = ", ptp::Data(dims).toml(), " along dim ",
                                   std::to_string(dim_));
        }
    }

    void check_sum(const std::vector<ptp::Binding>& inputs, int64_t expected) const {
        int64_t sum = 0;
        for (const ptp::Binding& input : inputs) {
            const int64_t size = input.shape ? (*input.shape)[static_cast<std::size_t>(dim_)] : -1;
            if (size == -1 || expected == -1) {
                return;
            }
            sum += size;
        }
        if (sum != expected) {
            throw ptp::ConfigError("output_dims: size ", std::to_string(dim_), " is ",
                                   std::to_string(expected), ", but the streams have ",
                                   std::to_string(sum), " together");
        }
    }

    int64_t dim_;
    std::vector<at::Tensor> parts_;
};

template const ptp_component_info& ptp::component<ConcatenateTensor>();
