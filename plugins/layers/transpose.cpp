// Transpose: exchanges two dimensions, as torch.transpose.

#include <ptp/component.hpp>

#include <ATen/core/Tensor.h>

class Transpose {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Transpose";
    static constexpr const char* summary = "Exchanges two dimensions, as torch.transpose";
    static constexpr const char* description =
        "Without settings [B, length, size], as an Embedding and recurrent layers write it, "
        "becomes [B, size, length], which Conv1d and BatchNorm1d read, channels first; a second "
        "one makes it [B, length, size] again.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "...", "Any numbers"),
        ptp::output("outputs", PTP_FLOAT,
                    "inputs[:$dim0], inputs[$dim1], inputs[$dim0 + 1:$dim1], inputs[$dim0], "
                    "inputs[$dim1 + 1:]",
                    "The same numbers, the two dimensions exchanged")
            .meaning("inputs")};
    static constexpr std::array requirements{
        ptp::requirement("$dim0 < $dim1", "must be less than dim1"),
        ptp::requirement("$dim1 < rank(inputs)", "must be a dimension of its input")};

    struct Config {
        int64_t dim0 = 1;
        int64_t dim1 = 2;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("dim0", &Config::dim0,
                             {.help = "The first of the two dimensions; 0 would be the batch's",
                              .range = "[1, inf)"}),
                ptp::setting("dim1", &Config::dim1,
                             {.help = "The second one", .range = "[1, inf)"})};
        }
    };

    explicit Transpose(const Config& config) : config_(config) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.transpose(config_.dim0, config_.dim1);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Transpose>();
