// ReshapeTensor: reshapes a stream; the values and their order stay.

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <algorithm>

class ReshapeTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ReshapeTensor";
    static constexpr const char* summary = "Reshapes a stream";
    static constexpr const char* description =
        "The values stay in row-major order. The shapes are written as lists in which -1, at "
        "most once in each, is a size that follows from the others, usually the batch's: "
        "input_dims = [-1, 16, 1, 1] and output_dims = [-1, 16].";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "$input_dims", "The tensor as it comes"),
        ptp::output("outputs", PTP_FLOAT, "$output_dims", "The same values in the new shape")
            .reshaped()};
    static constexpr std::array globals{
        ptp::publishes("output_size",
                       "The sizes of the output after the first: a number if it is "
                       "only one, else a list")
            .value("$output_dims[1:]")};

    struct Config {
        std::vector<int64_t> input_dims;
        std::vector<int64_t> output_dims;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("input_dims", &Config::input_dims,
                                           {.help = "Shape of the input; -1 is any size",
                                            .range = "[-1, inf)",
                                            .length = "[1, inf)",
                                            .is_required = true}),
                              ptp::setting("output_dims", &Config::output_dims,
                                           {.help = "Shape of the output; -1 follows",
                                            .range = "[-1, inf)",
                                            .length = "[1, inf)",
                                            .is_required = true})};
        }
    };

    ReshapeTensor(const Config& config, ptp::Setup& setup)
        : output_dims_(config.output_dims), output_(output_dims_) {
        check(config);
        if (output_dims_.size() == 2) {
            setup.publish("output_size", output_dims_[1]);
        } else {
            setup.publish("output_size",
                          std::vector<int64_t>(output_dims_.begin() + 1, output_dims_.end()));
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        const bool fits = output_.free == 0 ? inputs.numel() == output_.product
                                            : inputs.numel() % output_.product == 0;
        if (!fits) {
            throw ptp::ConfigError("output_dims = ", ptp::Data(output_dims_).toml(), ": the ",
                                   inputs.numel(), " values of inputs of ",
                                   ptp::Data(inputs.sizes().vec()).toml(), " do not fit into it");
        }
        return inputs.reshape(output_dims_);
    }

private:
    // How many sizes are -1, and the product of the others.
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
        const Shape input(config.input_dims);
        const Shape output(config.output_dims);
        const std::string text = "input_dims = " + ptp::Data(config.input_dims).toml() +
                                 ", output_dims = " + ptp::Data(config.output_dims).toml() + ": ";
        const auto is_zero = [](int64_t size) { return size == 0; };
        if (std::ranges::any_of(config.input_dims, is_zero) ||
            std::ranges::any_of(config.output_dims, is_zero)) {
            throw ptp::ConfigError(text, "a size must be -1 or at least 1");
        }
        if (output.free > 1) {
            throw ptp::ConfigError(text, "only one size of the output can follow from the others");
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

    std::vector<int64_t> output_dims_;
    Shape output_;
};

template const ptp_component_info& ptp::component<ReshapeTensor>();
