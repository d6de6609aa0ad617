// ListToTensor: one tensor of tensors that differ in length.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

class ListToTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ListToTensor";
    static constexpr const char* summary = "Stacks a list of tensors, filling up the shorter ones";
    static constexpr const char* description =
        "With num_inputs_dims = 2 each sample is a vector, and all have one size; with 3 it is a "
        "sequence of such vectors, [length, input_size]. Sequences are filled up at their end with "
        "padding_value to the longest of the batch; lengths has their original lengths. With more, "
        "every dimension but the last is filled up so. The list itself stays as it is.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_TENSOR_LIST, "B, *^$num_inputs_dims-2, input_size",
                   "A tensor for each sample"),
        ptp::output("outputs", PTP_FLOAT, "B, length^$num_inputs_dims-2, input_size",
                    "All of them in one"),
        ptp::output("lengths", PTP_INTEGER, "B", "The first size of each, before filling up")
            .when("num_inputs_dims != 2")};

    struct Config {
        int64_t num_inputs_dims = 2;
        double padding_value = 0;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("num_inputs_dims", &Config::num_inputs_dims,
                                           {.help = "Dimensions of a sample and one for the batch",
                                            .range = "[2, inf)"}),
                              ptp::setting("padding_value", &Config::padding_value,
                                           {.help = "What shorter ones are filled up with"})};
        }
    };

    explicit ListToTensor(const Config& config) : config_(config) {}

    std::tuple<at::Tensor, at::Tensor> forward(const ptp::TensorList& inputs) {
        const auto dims = static_cast<std::size_t>(config_.num_inputs_dims - 1);
        std::vector<int64_t> longest(dims, 0);
        std::vector<int64_t> lengths;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            for (std::size_t dim = 0; dim < dims; ++dim) {
                longest[dim] = std::max(longest[dim], inputs[i].size(static_cast<int64_t>(dim)));
            }
            lengths.push_back(inputs[i].size(0));
        }
        std::vector<at::Tensor> filled;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            filled.push_back(filled_up(inputs[i], longest));
        }
        return {at::stack(filled), dims == 1 ? at::Tensor() : at::tensor(lengths)};
    }

private:
    at::Tensor filled_up(const at::Tensor& one, const std::vector<int64_t>& longest) const {
        std::vector<int64_t> missing;  // the last dimension first, before and after
        for (std::size_t dim = longest.size(); dim-- > 0;) {
            missing.push_back(0);
            missing.push_back(longest[dim] - one.size(static_cast<int64_t>(dim)));
        }
        return at::constant_pad_nd(one, missing, config_.padding_value);
    }

    Config config_;
};

template const ptp_component_info& ptp::component<ListToTensor>();
