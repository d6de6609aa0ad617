// ConcatenateTensor: joins streams along one dimension.

#include "number_types.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

class ConcatenateTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ConcatenateTensor";
    static constexpr const char* summary = "Joins streams along one dimension";
    static constexpr const char* kJoined = "inputs[:$dim], (sum(inputs[$dim])), inputs[$dim + 1:]";
    static constexpr const char* description =
        "The streams have the same sizes but along `dim`, where the output's size is their sum: "
        "vectors of 784 and 11 become vectors of 795. The shape of the output follows from the "
        "streams; where output_dims is given, such as [-1, 795], it is checked, and -1 is any "
        "size. The streams are of one type, and so is the output.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "The streams to join")
            .when("input_type = float")
            .streams_from("input_streams"),
        ptp::input("inputs", PTP_INTEGER, "...", "The streams to join")
            .when("input_type = integer")
            .streams_from("input_streams"),
        ptp::input("inputs", PTP_BOOL, "...", "The streams to join")
            .when("input_type = bool")
            .streams_from("input_streams"),
        ptp::output("outputs", PTP_FLOAT, "$output_dims", "All of them, one after the other")
            .when("input_type = float & output_dims")
            .meaning("inputs"),
        ptp::output("outputs", PTP_FLOAT, kJoined, "All of them, one after the other")
            .when("input_type = float & !output_dims")
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, "$output_dims", "All of them, one after the other")
            .when("input_type = integer & output_dims")
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, kJoined, "All of them, one after the other")
            .when("input_type = integer & !output_dims")
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, "$output_dims", "All of them, one after the other")
            .when("input_type = bool & output_dims")
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, kJoined, "All of them, one after the other")
            .when("input_type = bool & !output_dims")
            .meaning("inputs")};
    static constexpr std::array globals{
        ptp::publishes("output_size",
                       "The sizes of the output after the first: a number if it is only one, else "
                       "a list; -1 is one that is not known before the data flow")
            .value("if($output_dims, if(min($output_dims[1:]) >= 1, $output_dims[1:]), "
                   "if($dim = 1 and max(rank(inputs)) = 2, sum(inputs[1])))")};
    static constexpr std::array requirements{
        ptp::requirement("$dim < length($output_dims)", "must be a dimension of output_dims"),
        ptp::requirement("length($input_streams) = 1 or min(rank(inputs)) = max(rank(inputs))",
                         "must have as many dimensions each")
            .when("!output_dims"),
        ptp::requirement("$dim < max(rank(inputs))", "must be a dimension of the streams")
            .when("!output_dims"),
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
        std::optional<std::vector<int64_t>> output_dims;
        int64_t dim = 1;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("input_streams", &Config::input_streams,
                                           {.help = "Names of the streams to join, in order",
                                            .length = "[1, inf)",
                                            .is_required = true}),
                              ptp::setting("output_dims", &Config::output_dims,
                                           {.help = "Shape of the output, to be checked; -1 is any "
                                                    "size",
                                            .range = "[-1, inf)",
                                            .length = "[1, inf)"}),
                              ptp::setting("dim", &Config::dim,
                                           {.help = "The dimension that grows; 0 is the batch's",
                                            .range = "[0, inf)"}),
                              transforms::input_type_setting<Config>()};
        }
    };

    ConcatenateTensor(const Config& config, ptp::Setup& setup)
        : dim_(config.dim),
          type_(config.input_type),
          has_output_dims_(config.output_dims.has_value()) {
        const std::vector<ptp::Binding> inputs = setup.inputs("inputs");
        if (config.output_dims) {
            check(inputs, *config.output_dims);
        }
        const auto dims = config.output_dims ? config.output_dims : joined(inputs);
        if (!dims || dims->size() == 2) {
            setup.publish("output_size", dims ? (*dims)[1] : int64_t{-1});
        } else {
            setup.publish("output_size", std::vector<int64_t>(dims->begin() + 1, dims->end()));
        }
    }

    auto forward(const ptp::List<at::Tensor>& floats, const ptp::List<at::Tensor>& integers,
                 const ptp::List<at::Tensor>& bools) {
        parts_.clear();
        for (const ptp::List<at::Tensor>* inputs : {&floats, &integers, &bools}) {
            for (std::size_t i = 0; i < inputs->size(); ++i) {
                parts_.push_back((*inputs)[i]);
            }
        }
        const at::Tensor output = at::cat(parts_, dim_);
        parts_.clear();  // only the graph decides how long the inputs live
        return transforms::only<6>(2 * static_cast<std::size_t>(type_) + (has_output_dims_ ? 0 : 1),
                                   output);
    }

private:
    void check(const std::vector<ptp::Binding>& inputs, const std::vector<int64_t>& dims) const {
        if (dim_ >= static_cast<int64_t>(dims.size())) {
            throw ptp::ConfigError("dim = ", std::to_string(dim_), ": output_dims has only ",
                                   std::to_string(dims.size()), " dimensions");
        }
        for (const ptp::Binding& input : inputs) {
            check(input, dims);
        }
        check_sum(inputs, dims[static_cast<std::size_t>(dim_)]);
    }

    // Checks that every known size except that of dim_ equals the output's.
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

    // Returns the joint shape of all streams, as far as it is known; nullopt if its rank is
    // unknown.
    [[nodiscard]] std::optional<std::vector<int64_t>> joined(
        const std::vector<ptp::Binding>& inputs) const {
        const auto place = static_cast<std::size_t>(dim_);
        std::vector<int64_t> dims;
        for (const ptp::Binding& input : inputs) {
            const bool fits = input.shape && place < input.shape->size() &&
                              (dims.empty() || dims.size() == input.shape->size());
            if (!fits) {
                return std::nullopt;
            }
            if (dims.empty()) {
                dims = *input.shape;
                continue;
            }
            for (std::size_t i = 0; i < dims.size(); ++i) {
                const int64_t size = (*input.shape)[i];
                if (i == place) {
                    dims[i] = dims[i] == -1 || size == -1 ? -1 : dims[i] + size;
                } else if (dims[i] == -1) {
                    dims[i] = size;
                }
            }
        }
        return dims.empty() ? std::nullopt : std::optional(dims);
    }

    int64_t dim_;
    transforms::InputType type_;
    bool has_output_dims_;
    std::vector<at::Tensor> parts_;
};

template const ptp_component_info& ptp::component<ConcatenateTensor>();
