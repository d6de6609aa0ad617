// Flatten: joins dimensions of a stream into one, without changing the values and their order.

#include "number_types.hpp"

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

#include <optional>

class Flatten {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Flatten";
    static constexpr const char* summary = "Joins the dimensions of a sample into one";
    static constexpr const char* description =
        "Images of [B, 3, 32, 32] become vectors of [B, 3072]; no size has to be written down. The "
        "values stay in row-major order, as in torch.nn.Flatten. With start_dim = 2, [B, 10, 16, "
        "4, 4] becomes [B, 10, 256]; with end_dim = 2 as well, [B, 10, 16, 4, 4] stays as it is. "
        "What reads the outputs learns its sizes from the stream. Where a size is wanted as a "
        "global, name it: globals = { output_size = \"pixel_count\" }.";

    static constexpr const char* kJoined =
        "inputs[:$start_dim], (product(inputs[$start_dim:if($end_dim, $end_dim + 1, "
        "rank(inputs))])), inputs[if($end_dim, $end_dim + 1, rank(inputs)):]";
    static constexpr const char* kHelp = "The same values with fewer dimensions";
    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "The tensor as it comes").when("input_type = float"),
        ptp::input("inputs", PTP_INTEGER, "...", "The tensor as it comes")
            .when("input_type = integer"),
        ptp::input("inputs", PTP_BOOL, "...", "The tensor as it comes").when("input_type = bool"),
        ptp::output("outputs", PTP_FLOAT, kJoined, kHelp)
            .when("input_type = float")
            .meaning("inputs"),
        ptp::output("outputs", PTP_INTEGER, kJoined, kHelp)
            .when("input_type = integer")
            .meaning("inputs"),
        ptp::output("outputs", PTP_BOOL, kJoined, kHelp)
            .when("input_type = bool")
            .meaning("inputs")};
    static constexpr std::array globals{
        ptp::publishes_if_named("output_size", "The size of the joined dimension")
            .value("product(inputs[$start_dim:if($end_dim, $end_dim + 1, rank(inputs))])")};
    static constexpr std::array requirements{
        ptp::requirement("$start_dim < rank(inputs)", "must be a dimension of inputs"),
        ptp::requirement("$end_dim < rank(inputs)", "must be a dimension of inputs"),
        ptp::requirement("$end_dim >= $start_dim", "must be at least start_dim")};

    struct Config {
        int64_t start_dim = 1;
        std::optional<int64_t> end_dim;
        transforms::InputType input_type = transforms::InputType::kFloat;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("start_dim", &Config::start_dim,
                             {.help = "The first dimension that is joined; 0 would be the batch's",
                              .range = "[1, inf)"}),
                ptp::setting("end_dim", &Config::end_dim,
                             {.help = "The last one; if not given, the last of the inputs",
                              .range = "[1, inf)"}),
                transforms::input_type_setting<Config>()};
        }
    };

    explicit Flatten(const Config& config) : config_(config) {
        if (config.end_dim.value_or(config.start_dim) < config.start_dim) {
            throw ptp::ConfigError("end_dim = ", *config.end_dim, ": must be at least start_dim, ",
                                   "which is ", config.start_dim);
        }
    }

    auto forward(const at::Tensor* floats, const at::Tensor* integers, const at::Tensor* bools) {
        const at::Tensor& inputs = transforms::existing({floats, integers, bools});
        const int64_t last = config_.end_dim.value_or(inputs.dim() - 1);
        if (config_.start_dim >= inputs.dim() || last >= inputs.dim()) {
            throw ptp::ConfigError("start_dim = ", config_.start_dim, ", end_dim = ", last,
                                   ": inputs have ", inputs.dim(), " dimensions");
        }
        return transforms::of_type(config_.input_type, inputs.flatten(config_.start_dim, last));
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Flatten>();
