// MyComponent: writes the range of a stream to the log at intervals.

#include <ptp/plugin.hpp>

#include <sstream>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Logs the range and the mean of a stream";
    static constexpr const char* description =
        "Every N episodes of the training, and for the first batch of each pass over another set.";

    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "...", "Numbers to show")};

    struct Config {
        int64_t interval = 100;

        static constexpr auto settings() {
            return std::tuple{ptp::setting(
                "interval", &Config::interval,
                {.help = "Episodes from one showing to the next", .range = "[1, inf)"})};
        }
    };

    MyComponent(const Config& config, ptp::Setup& setup)
        : interval_(static_cast<uint64_t>(config.interval)), setup_(setup) {}

    void forward(const at::Tensor& inputs, const ptp::Step& step) {
        const bool is_due =
            step.is_training() ? step.episode() % interval_ == 0 : step.batch_index() == 0;
        if (!is_due || inputs.numel() == 0) {
            return;
        }
        const at::Tensor numbers = inputs.detach().to(at::kCPU, at::kDouble);
        std::ostringstream text;
        text << step.section() << ", episode " << step.episode() << ": from "
             << numbers.min().item<double>() << " to " << numbers.max().item<double>() << ", mean "
             << numbers.mean().item<double>();
        setup_.log_info(text.str());
    }

private:
    uint64_t interval_;
    ptp::Setup& setup_;
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
