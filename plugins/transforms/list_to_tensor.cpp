// ListToTensor: joins tensors of different lengths into one tensor.

#include "number_types.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

class ListToTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ListToTensor";
    static constexpr const char* summary = "Stacks a list of tensors, filling up the shorter ones";
    static constexpr const char* description =
        "With num_inputs_dims = 2 each sample is a vector, and all have one size; with 3 it is a "
        "sequence of such vectors, [length, input_size]. Sequences are filled up at their end with "
        "padding_value to the longest of the batch; lengths has their original lengths, masks is "
        "true for their steps. With more, every dimension but the last is filled up so. The list "
        "itself stays as it is.";

    static constexpr const char* kFilled = "B, length^$num_inputs_dims-2, input_size";
    static constexpr const char* kHelp = "All of them in one";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_TENSOR_LIST, "B, *^$num_inputs_dims-2, input_size",
                   "A tensor for each sample"),
        ptp::output("outputs", PTP_FLOAT, kFilled, kHelp).when("input_type = float"),
        ptp::output("outputs", PTP_INTEGER, kFilled, kHelp).when("input_type = integer"),
        ptp::output("outputs", PTP_BOOL, kFilled, kHelp).when("input_type = bool"),
        ptp::output("lengths", PTP_INTEGER, "B", "The first size of each, before filling up")
            .when("num_inputs_dims != 2"),
        ptp::output("masks", PTP_BOOL, "B, length^$num_inputs_dims-2", "False for filling")
            .when("num_inputs_dims != 2 & output_masks")};
    static constexpr std::array requirements{ptp::requirement(
        "$num_inputs_dims != 2 or !$output_masks", "has no effect: vectors have no steps")};

    struct Config {
        int64_t num_inputs_dims = 2;
        double padding_value = 0;
        bool output_masks = false;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("num_inputs_dims", &Config::num_inputs_dims,
                                           {.help = "Dimensions of a sample and one for the batch",
                                            .range = "[2, inf)"}),
                              ptp::setting("padding_value", &Config::padding_value,
                                           {.help = "What shorter ones are filled up with"}),
                              ptp::setting("output_masks", &Config::output_masks,
                                           {.help = "Whether masks are an output"}),
                              transforms::input_type_setting<Config>()};
        }
    };

    explicit ListToTensor(const Config& config) : config_(config) {
        using transforms::InputType;
        const double value = config.padding_value;
        if (config.input_type == InputType::kInteger && value != std::floor(value)) {
            throw ptp::SettingError("padding_value", "must be an integer, as the inputs are");
        }
        if (config.input_type == InputType::kBool && value != 0 && value != 1) {
            throw ptp::SettingError("padding_value",
                                    "must be 0 or 1, because the inputs are bools");
        }
        if (config.output_masks && config.num_inputs_dims == 2) {
            throw ptp::SettingError("output_masks", "has no effect: vectors have no steps");
        }
    }

    auto forward(const ptp::TensorList& inputs) {
        const auto dims = static_cast<std::size_t>(config_.num_inputs_dims - 1);
        std::vector<int64_t> longest(dims, 0);
        std::vector<int64_t> lengths;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            check_type(inputs[i], i);
            for (std::size_t dim = 0; dim < dims; ++dim) {
                longest[dim] = std::max(longest[dim], inputs[i].size(static_cast<int64_t>(dim)));
            }
            lengths.push_back(inputs[i].size(0));
        }
        std::vector<at::Tensor> filled;
        std::vector<at::Tensor> masks;
        const std::vector<int64_t> steps(longest.begin(), longest.end() - 1);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            filled.push_back(filled_up(inputs[i], longest, config_.padding_value));
            if (config_.output_masks) {
                const at::Tensor there = at::ones(inputs[i].sizes().slice(0, dims - 1),
                                                  inputs[i].options().dtype(at::kBool));
                masks.push_back(filled_up(there, steps, false));
            }
        }
        return std::tuple_cat(
            transforms::of_type(config_.input_type, at::stack(filled)),
            std::tuple{dims == 1 ? at::Tensor() : at::tensor(lengths).to(inputs[0].device()),
                       config_.output_masks ? at::stack(masks) : at::Tensor()});
    }

private:
    void check_type(const at::Tensor& one, std::size_t number) const {
        using transforms::InputType;
        const bool is_bool = one.scalar_type() == at::kBool;
        const InputType type = is_bool                   ? InputType::kBool
                               : one.is_floating_point() ? InputType::kFloat
                                                         : InputType::kInteger;
        if (type != config_.input_type) {
            throw ptp::DataError("inputs[", number, "] is a tensor of ", one.scalar_type(),
                                 ", which does not fit input_type");
        }
    }

    static at::Tensor filled_up(const at::Tensor& one, const std::vector<int64_t>& longest,
                                const at::Scalar& with) {
        std::vector<int64_t> missing;  // padding, last dimension first, before and after
        for (std::size_t dim = longest.size(); dim-- > 0;) {
            missing.push_back(0);
            missing.push_back(longest[dim] - one.size(static_cast<int64_t>(dim)));
        }
        return at::constant_pad_nd(one, missing, with);
    }

    Config config_;
};

template const ptp_component_info& ptp::component<ListToTensor>();
