// SliceTensor: selects a part of a stream along one dimension, or one position.

#include "number_types.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

class SliceTensor {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "SliceTensor";
    static constexpr const char* summary = "Takes a part of a stream along one dimension";
    static constexpr const char* description =
        "With index, that place of the dimension dim, which goes: of [B, 3, 1, 28, 28] index = 0 "
        "is the first image of each sample, [B, 1, 28, 28]. Else the places from start to before "
        "end, every step-th: of [B, 10] start = 2, end = 8, step = 3 is places 2 and 5, [B, 2]. "
        "Negative numbers count from the end, as in Python: start = -2 is the last two. Places "
        "that do not exist are refused, as is an empty part. Gradients are 0 for what is left out.";

    static constexpr const char* kAlone = "belongs to a part, but index takes one place";
    static constexpr const char* kExists = "must be a place of the dimension";
    static constexpr const char* kPlace = "inputs[:$dim], inputs[$dim + 1:]";
    static constexpr const char* kPart =
        "inputs[:$dim], ((if($end, if($end < 0, $end + inputs[$dim], $end), inputs[$dim]) - "
        "if($start < 0, $start + inputs[$dim], $start) + $step - 1) / $step), inputs[$dim + 1:]";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "The whole").when("input_type = float"),
        ptp::input("inputs", PTP_INTEGER, "...", "The whole").when("input_type = integer"),
        ptp::input("inputs", PTP_BOOL, "...", "The whole").when("input_type = bool"),
        ptp::output("outputs", PTP_FLOAT, kPart, "The part")
            .when("input_type = float & !index")
            .meaning("inputs"),
        ptp::output("outputs", PTP_FLOAT, kPlace, "The place")
            .when("input_type = float & index")
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, kPart, "The part")
            .when("input_type = integer & !index")
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, kPlace, "The place")
            .when("input_type = integer & index")
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, kPart, "The part")
            .when("input_type = bool & !index")
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, kPlace, "The place")
            .when("input_type = bool & index")
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$dim < rank(inputs)", "must be a dimension of inputs"),
        ptp::requirement("$start = 0 or !$index", kAlone),
        ptp::requirement("!$end or !$index", kAlone),
        ptp::requirement("$step = 1 or !$index", kAlone),
        ptp::requirement("$index < inputs[$dim] and $index >= -inputs[$dim]", kExists),
        ptp::requirement("$start < inputs[$dim] and $start >= -inputs[$dim]", kExists),
        ptp::requirement("$end <= inputs[$dim] and $end >= -inputs[$dim]",
                         "must not be beyond the places of the dimension"),
        ptp::requirement("if($start < 0, $start + inputs[$dim], $start) < "
                         "if($end < 0, $end + inputs[$dim], $end)",
                         "must be before end")};

    struct Config {
        int64_t dim = 1;
        std::optional<int64_t> index;
        int64_t start = 0;
        std::optional<int64_t> end;
        int64_t step = 1;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("dim", &Config::dim,
                             {.help = "The dimension; 0 is the batch's, which cannot be",
                              .range = "[1, inf)"}),
                ptp::setting("index", &Config::index,
                             {.help = "The only place to take, from 0; -1 is the last"}),
                ptp::setting("start", &Config::start,
                             {.help = "The first place to take, from 0; -1 is the last"}),
                ptp::setting("end", &Config::end,
                             {.help = "The place after the last one to take; if not given, all to "
                                      "the end"}),
                ptp::setting(
                    "step", &Config::step,
                    {.help = "How many places further the next one is", .range = "[1, inf)"}),
                transforms::input_type_setting<Config>()};
        }
    };

    explicit SliceTensor(const Config& config) : config_(config) {
        if (config.index && (config.start != 0 || config.end || config.step != 1)) {
            const char* other = config.start != 0 ? "start" : config.end ? "end" : "step";
            throw ptp::SettingError(other, kAlone);
        }
    }

    auto forward(const at::Tensor* floats, const at::Tensor* integers, const at::Tensor* bools) {
        const at::Tensor& inputs = transforms::existing({floats, integers, bools});
        if (config_.dim >= inputs.dim()) {
            throw ptp::ConfigError("dim = ", config_.dim, ": inputs have ", inputs.dim(),
                                   " dimensions");
        }
        return transforms::only<6>(
            2 * static_cast<std::size_t>(config_.input_type) + (config_.index ? 1 : 0),
            config_.index ? place(inputs) : part(inputs));
    }

private:
    [[nodiscard]] at::Tensor place(const at::Tensor& inputs) const {
        const int64_t size = inputs.size(config_.dim);
        if (*config_.index >= size || *config_.index < -size) {
            throw ptp::ConfigError("index = ", *config_.index, ": dimension ", config_.dim,
                                   " of inputs has the size ", size);
        }
        return inputs.select(config_.dim, *config_.index);
    }

    [[nodiscard]] at::Tensor part(const at::Tensor& inputs) const {
        const int64_t size = inputs.size(config_.dim);
        const auto from_front = [&](int64_t place) { return place < 0 ? place + size : place; };
        const int64_t start = from_front(config_.start);
        const int64_t end = from_front(config_.end.value_or(size));
        if (start < 0 || end > size || start >= end) {
            throw ptp::ConfigError("start = ", config_.start,
                                   config_.end ? ", end = " + std::to_string(*config_.end) : "",
                                   ": dimension ", config_.dim, " of inputs has the size ", size);
        }
        return inputs.slice(config_.dim, start, end, config_.step);
    }

    Config config_;
};

template const ptp_component_info& ptp::component<SliceTensor>();
