// ReduceTensor: reduces a dimension to one number.

#include "number_types.hpp"
#include "reduce_where.hpp"
#include "tensor_checks.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

class ReduceTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ReduceTensor";
    static constexpr const char* summary = "Reduces a dimension to one number: sum, mean, max, ...";
    static constexpr const char* kReduced = "inputs[:$reduction_dim], inputs[$reduction_dim + 1:]";
    static constexpr const char* kKept = "inputs[:$reduction_dim], 1, inputs[$reduction_dim + 1:]";
    static constexpr const char* kOneOfTwo = "lengths and masks both say what counts: use one";
    static constexpr const char* description =
        "The dimension reduction_dim goes, or becomes 1 with keepdim. Of an even number of values "
        "median is the lower one of the two in the middle. argmin and argmax return the place, "
        "from 0, and of equal values the first. The gradient of a min, max or median goes to one "
        "value. Batches of [B, 10] need no settings; of [B, 3, 28, 28] images the mean over the "
        "channels is reduction_type = \"mean\", reduction_dim = 1. With input_type = \"integer\" "
        "the results are integers, but for means. Of booleans, sum is how many are true, mean "
        "their share, min whether all are and max whether any is; false comes before true.\n"
        "With use_lengths, of each sample only the first places of the dimension count, as many as "
        "lengths has, such as the real steps of a sequence that is filled up; with use_masking, "
        "those with a true mask. What does not count changes nothing, whatever it is. A row in "
        "which nothing counts has the sum 0, and is refused otherwise.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "The numbers to reduce").when("input_type = float"),
        ptp::input("inputs", PTP_INTEGER, "...", "The numbers to reduce")
            .when("input_type = integer"),
        ptp::input("inputs", PTP_BOOL, "...", "The booleans to reduce").when("input_type = bool"),
        ptp::input("lengths", PTP_INTEGER, "B", "How many places of each sample count")
            .when("use_lengths"),
        ptp::input("masks", PTP_BOOL, "B, n^$reduction_dim", "True for places that count")
            .when("use_masking"),
        ptp::output("outputs", PTP_FLOAT, kReduced, "One number for each row")
            .when("!keepdim & input_type = float & reduction_type != argmin|argmax"),
        ptp::output("outputs", PTP_FLOAT, kKept, "One number for each row")
            .when("keepdim & input_type = float & reduction_type != argmin|argmax"),
        ptp::output("outputs", PTP_FLOAT, kReduced, "One number for each row")
            .when("!keepdim & input_type != float & reduction_type = mean"),
        ptp::output("outputs", PTP_FLOAT, kKept, "One number for each row")
            .when("keepdim & input_type != float & reduction_type = mean"),
        ptp::output("outputs", PTP_INTEGER, kReduced, "One place for each row")
            .when("!keepdim & reduction_type = argmin|argmax"),
        ptp::output("outputs", PTP_INTEGER, kKept, "One place for each row")
            .when("keepdim & reduction_type = argmin|argmax"),
        ptp::output("outputs", PTP_INTEGER, kReduced, "One number for each row")
            .when("!keepdim & input_type = integer & reduction_type = sum|min|max|median"),
        ptp::output("outputs", PTP_INTEGER, kKept, "One number for each row")
            .when("keepdim & input_type = integer & reduction_type = sum|min|max|median"),
        ptp::output("outputs", PTP_INTEGER, kReduced, "How many are true in each row")
            .when("!keepdim & input_type = bool & reduction_type = sum"),
        ptp::output("outputs", PTP_INTEGER, kKept, "How many are true in each row")
            .when("keepdim & input_type = bool & reduction_type = sum"),
        ptp::output("outputs", PTP_BOOL, kReduced, "One boolean for each row")
            .when("!keepdim & input_type = bool & reduction_type = min|max|median"),
        ptp::output("outputs", PTP_BOOL, kKept, "One boolean for each row")
            .when("keepdim & input_type = bool & reduction_type = min|max|median")};
    static constexpr std::array requirements{
        ptp::requirement("$reduction_dim < rank(inputs)", "must be a dimension of inputs"),
        ptp::requirement("$trailing_dims = rank(inputs) - $reduction_dim - 1",
                         "must be how many dimensions inputs has after reduction_dim"),
        ptp::requirement("!$use_lengths or !$use_masking", kOneOfTwo)};

    using Reduction = transforms::Reduction;
    struct Config {
        Reduction reduction_type = Reduction::kSum;
        int64_t reduction_dim = 1;
        std::optional<int64_t> trailing_dims;
        bool keepdim = false;
        bool use_lengths = false;
        bool use_masking = false;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("reduction_type", &Config::reduction_type,
                             {.help = "What the numbers become",
                              .choices = "sum|mean|min|max|median|argmin|argmax"}),
                ptp::setting("reduction_dim", &Config::reduction_dim,
                             {.help = "The dimension that is reduced; 0 is the batch's, which "
                                      "cannot be",
                              .range = "[1, inf)"}),
                ptp::setting(
                    "trailing_dims", &Config::trailing_dims,
                    {.help = "How many dimensions the input has after that one; any number "
                             "if not given",
                     .range = "[0, inf)"}),
                ptp::setting("keepdim", &Config::keepdim,
                             {.help = "Whether the dimension stays, with the size 1"}),
                ptp::setting("use_lengths", &Config::use_lengths,
                             {.help = "Whether samples end after their own number of places"}),
                ptp::setting("use_masking", &Config::use_masking,
                             {.help = "Whether only places with a true mask count"}),
                transforms::input_type_setting<Config>()};
        }
    };

    explicit ReduceTensor(const Config& config) : config_(config) {
        if (config.use_lengths && config.use_masking) {
            throw ptp::SettingError("use_lengths", kOneOfTwo);
        }
    }

    auto forward(const at::Tensor* floats, const at::Tensor* integers, const at::Tensor* bools,
                 const at::Tensor* lengths, const at::Tensor* masks) {
        const at::Tensor& inputs = transforms::existing({floats, integers, bools});
        const int64_t trailing = inputs.dim() - config_.reduction_dim - 1;
        if (trailing < 0 || trailing != config_.trailing_dims.value_or(trailing)) {
            throw ptp::ConfigError(
                "reduction_dim = ", config_.reduction_dim,
                config_.trailing_dims ? ", trailing_dims = " : "",
                config_.trailing_dims ? std::to_string(*config_.trailing_dims) : "",
                ": inputs have ", inputs.dim(), " dimensions");
        }
        const bool is_bool = config_.input_type == transforms::InputType::kBool;
        const at::Tensor numbers = is_bool ? inputs.to(at::kByte) : inputs;
        const at::Tensor output =
            lengths == nullptr && masks == nullptr
                ? reduce(numbers)
                : transforms::reduced_where(
                      numbers, counted(inputs, lengths, masks),
                      {config_.reduction_type, config_.reduction_dim, config_.keepdim});
        return transforms::only<12>(2 * result() + (config_.keepdim ? 1 : 0),
                                    result() == kBools ? output.to(at::kBool) : output);
    }

private:
    // The outputs by the type of the results, in their order.
    static constexpr std::size_t kFloats = 0;
    static constexpr std::size_t kMeans = 1;
    static constexpr std::size_t kPlaces = 2;
    static constexpr std::size_t kIntegers = 3;
    static constexpr std::size_t kCounts = 4;
    static constexpr std::size_t kBools = 5;

    [[nodiscard]] std::size_t result() const {
        const Reduction how = config_.reduction_type;
        if (how == Reduction::kArgmin || how == Reduction::kArgmax) {
            return kPlaces;
        }
        if (config_.input_type == transforms::InputType::kFloat) {
            return kFloats;
        }
        if (how == Reduction::kMean) {
            return kMeans;
        }
        if (config_.input_type == transforms::InputType::kInteger) {
            return kIntegers;
        }
        return how == Reduction::kSum ? kCounts : kBools;
    }

    // Returns what counts, with the rank of the inputs, of size 1 after reduction_dim.
    [[nodiscard]] at::Tensor counted(const at::Tensor& inputs, const at::Tensor* lengths,
                                     const at::Tensor* masks) const {
        const int64_t dim = config_.reduction_dim;
        std::vector<int64_t> sizes(static_cast<std::size_t>(inputs.dim()), 1);
        sizes[0] = inputs.size(0);
        if (masks != nullptr) {
            ptp::support::require_sizes("masks", *masks,
                                        inputs.sizes().slice(0, static_cast<std::size_t>(dim) + 1),
                                        "as inputs has");
            std::copy(masks->sizes().begin(), masks->sizes().end(), sizes.begin());
            return masks->reshape(sizes);
        }
        const int64_t places = inputs.size(dim);
        ptp::support::require_sizes("lengths", *lengths, inputs.sizes().slice(0, 1),
                                    "one for each sample");
        ptp::support::require_none(
            ptp::support::are_outside(*lengths, 0, places + 1), "lengths", *lengths,
            "be in [0, " + std::to_string(places) + "], the size of the dimension that is reduced");
        std::vector<int64_t> along(static_cast<std::size_t>(inputs.dim()), 1);
        along[static_cast<std::size_t>(dim)] = places;
        return at::arange(places, lengths->options().dtype(at::kLong))
            .view(along)
            .lt(lengths->view(sizes));
    }

    [[nodiscard]] at::Tensor reduce(const at::Tensor& inputs) const {
        const int64_t dim = config_.reduction_dim;
        switch (config_.reduction_type) {
            case Reduction::kSum:
                return inputs.sum(dim, config_.keepdim);
            case Reduction::kMean:
                return (inputs.is_floating_point() ? inputs : inputs.to(at::kFloat))
                    .mean(dim, config_.keepdim);
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
