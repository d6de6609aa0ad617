// Unflatten: divides a dimension into several, as torch.nn.Unflatten.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class Unflatten {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Unflatten";
    static constexpr const char* summary =
        "Divides a dimension into several, as Flatten joins them: a layer of torch.nn";
    static constexpr const char* description =
        "Behind a Linear it makes the images, or feature maps, that a ConvTranspose2d reads: "
        "unflattened_size = [64, 7, 7].";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "Any numbers"),
        ptp::output("outputs", PTP_FLOAT, "inputs[:$dim], $unflattened_size, inputs[$dim + 1:]",
                    "The same numbers with more dimensions")
            .reshaped()
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$dim < rank(inputs)", "must be a dimension of its input")};

    struct Config {
        int64_t dim = 1;
        std::vector<int64_t> unflattened_size;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("dim", &Config::dim,
                             {.help = "The dimension that is divided; 0 would be the batch's",
                              .range = "[1, inf)"}),
                ptp::setting("unflattened_size", &Config::unflattened_size,
                             {.help = "The sizes that it becomes, whose product is its size",
                              .range = "[1, inf)",
                              .length = "[1, inf)",
                              .is_required = true})};
        }
    };

    explicit Unflatten(const Config& config) : config_(config) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.unflatten(config_.dim, config_.unflattened_size);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Unflatten>();
