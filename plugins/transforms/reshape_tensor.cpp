// ReshapeTensor: reshapes a stream, without changing the values and their order.

#include "number_types.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

class ReshapeTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ReshapeTensor";
    static constexpr const char* summary = "Reshapes a stream";
    static constexpr const char* description =
        "The values stay in row-major order; integers and booleans stay what they are. The shapes "
        "are lists in which -1 is a size that follows from the others, usually the batch's: "
        "output_dims = [-1, 16]. Of two in output_dims the first is the batch's, and the other is "
        "what remains: [-1, -1] makes a vector of an image, [-1, -1, 10] rows of ten numbers. "
        "input_dims need not be given; where they are, the input is checked against them.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "$input_dims", "The tensor as it comes")
            .when("input_type = float & input_dims"),
        ptp::input("inputs", PTP_FLOAT, "...", "The tensor as it comes")
            .when("input_type = float & !input_dims"),
        ptp::input("inputs", PTP_INTEGER, "$input_dims", "The tensor as it comes")
            .when("input_type = integer & input_dims"),
        ptp::input("inputs", PTP_INTEGER, "...", "The tensor as it comes")
            .when("input_type = integer & !input_dims"),
        ptp::input("inputs", PTP_BOOL, "$input_dims", "The tensor as it comes")
            .when("input_type = bool & input_dims"),
        ptp::input("inputs", PTP_BOOL, "...", "The tensor as it comes")
            .when("input_type = bool & !input_dims"),
        ptp::output("outputs", PTP_FLOAT, "$output_dims", "The same values in the new shape")
            .when("input_type = float")
            .reshaped()
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, "$output_dims", "The same values in the new shape")
            .when("input_type = integer")
            .reshaped()
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, "$output_dims", "The same values in the new shape")
            .when("input_type = bool")
            .reshaped()
            .meaning("inputs")};
    static constexpr std::array globals{
        ptp::publishes("output_size",
                       "The sizes of the output after the first: a number if it is "
                       "only one, else a list; -1 is one that is not known before the data flow")
            .value("if(min($output_dims[1:]) = -1, if($output_dims[0] = -1 and "
                   "length($output_dims) = 2, product(inputs[1:])), $output_dims[1:])")};

    struct Config {
        std::optional<std::vector<int64_t>> input_dims;
        std::vector<int64_t> output_dims;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("input_dims", &Config::input_dims,
                             {.help = "Shape of the input; -1 is any size; any shape if not given",
                              .range = "[-1, inf)",
                              .length = "[1, inf)"}),
                ptp::setting("output_dims", &Config::output_dims,
                             {.help = "Shape of the output; -1 follows from the other sizes",
                              .range = "[-1, inf)",
                              .length = "[1, inf)",
                              .is_required = true}),
                transforms::input_type_setting<Config>()};
        }
    };

    ReshapeTensor(const Config& config, ptp::Setup& setup)
        : type_(config.input_type), output_dims_(config.output_dims), output_(output_dims_) {
        check(config);
        std::vector<int64_t> sizes(output_dims_.begin() + 1, output_dims_.end());
        if (keeps_batch()) {
            for (const ptp::Binding& input : setup.inputs("inputs")) {
                std::ranges::replace(sizes, int64_t{-1}, rest_of(input));
            }
        }
        setup.publish("output_size", sizes.size() == 1 ? ptp::Data(sizes[0]) : ptp::Data(sizes));
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(
        const at::Tensor* floats, const at::Tensor* any_floats, const at::Tensor* integers,
        const at::Tensor* any_integers, const at::Tensor* bools, const at::Tensor* any_bools) {
        const at::Tensor& inputs =
            transforms::existing({floats, any_floats, integers, any_integers, bools, any_bools});
        return transforms::of_type(type_, reshaped(inputs));
    }

private:
    at::Tensor reshaped(const at::Tensor& inputs) const {
        std::vector<int64_t> sizes = output_dims_;
        int64_t values = inputs.numel();
        if (keeps_batch() && inputs.dim() > 0) {
            sizes[0] = inputs.size(0);
            values = c10::multiply_integers(inputs.sizes().slice(1));
        }
        const bool fits =
            output_.free == 0 ? values == output_.product : values % output_.product == 0;
        if (!fits) {
            throw ptp::ConfigError("output_dims = ", ptp::Data(output_dims_).toml(), ": the ",
                                   values, " values of ", keeps_batch() ? "a sample of " : "",
                                   "inputs of ", ptp::Data(inputs.sizes().vec()).toml(),
                                   " do not fit into it");
        }
        if (keeps_batch()) {
            std::ranges::replace(sizes, int64_t{-1}, values / output_.product);
        }
        return inputs.reshape(sizes);
    }

    // Returns whether the first of two sizes of -1 is the batch's.
    [[nodiscard]] bool keeps_batch() const { return output_.free == 2; }

    // Returns the size that is -1 besides the batch's; -1 if unknown.
    [[nodiscard]] int64_t rest_of(const ptp::Binding& input) const {
        int64_t rest = 1;
        for (std::size_t i = 1; input.shape && i < input.shape->size(); ++i) {
            const int64_t size = (*input.shape)[i];
            if (size == -1 || __builtin_mul_overflow(rest, size, &rest)) {
                return -1;
            }
        }
        const bool is_known = input.shape && !input.shape->empty() && rest % output_.product == 0;
        return is_known ? rest / output_.product : -1;
    }

    // The number of sizes that are -1, and the product of the others.
    struct Shape {
        explicit Shape(const std::vector<int64_t>& dims) {
            for (const int64_t size : dims) {
                free += size == -1 ? 1 : 0;
                if (__builtin_mul_overflow(product, size == -1 ? 1 : size, &product)) {
                    throw ptp::ConfigError(ptp::Data(dims).toml(),
                                           ": a tensor cannot have that many values");
                }
            }
        }
        int64_t free = 0;
        int64_t product = 1;
    };

    static void check(const Config& config) {
        const Shape input(config.input_dims.value_or(std::vector<int64_t>{-1}));
        const Shape output(config.output_dims);
        const std::string text =
            (config.input_dims ? "input_dims = " + ptp::Data(*config.input_dims).toml() + ", "
                               : "") +
            "output_dims = " + ptp::Data(config.output_dims).toml() + ": ";
        if (has_0(config.output_dims) || (config.input_dims && has_0(*config.input_dims))) {
            throw ptp::ConfigError(text, "a size must be -1 or at least 1");
        }
        if (output.free > 2 || (output.free == 2 && config.output_dims.front() != -1)) {
            throw ptp::ConfigError(text,
                                   "only one size of the output can follow from the others, "
                                   "besides the batch's at the front");
        }
        const bool is_open = input.free > 0 && output.free > 0;
        const bool divides =
            input.product % output.product == 0 || output.product % input.product == 0;
        const bool is_possible = is_open           ? divides
                                 : input.free > 0  ? output.product % input.product == 0
                                 : output.free > 0 ? input.product % output.product == 0
                                                   : input.product == output.product;
        if (!is_possible) {
            throw ptp::ConfigError(text, input.product,
                                   " values for each size that is -1 cannot become ",
                                   output.product);
        }
    }

    static bool has_0(const std::vector<int64_t>& dims) {
        return std::ranges::find(dims, 0) != dims.end();
    }

    transforms::InputType type_;
    std::vector<int64_t> output_dims_;
    Shape output_;
};

template const ptp_component_info& ptp::component<ReshapeTensor>();
