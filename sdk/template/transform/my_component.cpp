// MyComponent: limits numbers to a range around 0.

#include <ptp/plugin.hpp>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Limits numbers to a range around 0";
    static constexpr const char* description =
        "A number below -limit becomes -limit, one above limit becomes limit; the others stay as "
        "they are.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, size", "Numbers"),
        ptp::output("outputs", PTP_FLOAT, "B, size", "The numbers in [-limit, limit]")};
    // Processes each sample separately: it may run in several loader threads at once.
    static constexpr bool is_per_sample = true;

    struct Config {
        double limit = 1.0;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("limit", &Config::limit,
                                           {.help = "Largest number", .range = "(0, inf)"})};
        }
    };

    explicit MyComponent(const Config& config) : limit_(config.limit) {}

    at::Tensor forward(const at::Tensor& inputs) {
        return inputs.clamp(-limit_, limit_);  // [B, size]
    }

private:
    double limit_;
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
