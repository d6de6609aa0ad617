// Flatten: joins dimensions into one, as torch.nn.Flatten.

#include <ptp/component.hpp>

class Flatten {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Flatten";
    static constexpr const char* summary = "Joins dimensions into one: a layer of torch.nn";
    static constexpr const char* description =
        "In a list of layers. In a pipeline the component of the same name in `transforms` does "
        "this, which takes integers too.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "Any numbers"),
        ptp::output("outputs", PTP_FLOAT,
                    "inputs[:$start_dim], (product(inputs[$start_dim:"
                    "if($end_dim < 0, rank(inputs) + $end_dim, $end_dim) + 1])), "
                    "inputs[if($end_dim < 0, rank(inputs) + $end_dim, $end_dim) + 1:]",
                    "The same numbers with fewer dimensions")
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$start_dim < rank(inputs)", "must be a dimension of its input"),
        ptp::requirement("$end_dim < rank(inputs)", "must be a dimension of its input"),
        ptp::requirement("$end_dim < 0 or $end_dim >= $start_dim", "must be at least start_dim")};

    struct Config {
        int64_t start_dim = 1;
        int64_t end_dim = -1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("start_dim", &Config::start_dim,
                             {.help = "The first dimension that is joined; 0 would be the batch's",
                              .range = "[1, inf)"}),
                ptp::setting(
                    "end_dim", &Config::end_dim,
                    {.help = "The last one; -1 is the last of the input", .range = "[-1, inf)"})};
        }
    };

    explicit Flatten(const Config& config) : config_(config) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.flatten(config_.start_dim, config_.end_dim);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Flatten>();
