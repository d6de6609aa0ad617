// MyComponent: publishes a constant of the pipeline.

#include <ptp/plugin.hpp>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_PUBLISHER;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Publishes how many numbers a model predicts";
    static constexpr const char* description =
        "prediction_size = columns * numbers_per_column, for models that read it.";

    // With value(), the host knows it before anything runs, and checks the sizes that depend on it.
    static constexpr std::array globals{
        ptp::publishes("prediction_size", "How many numbers to predict for each sample")
            .value("$columns * $numbers_per_column")};

    struct Config {
        int64_t columns = 1;
        int64_t numbers_per_column = 1;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("columns", &Config::columns,
                             {.help = "Columns that are predicted", .range = "[1, 1000]"}),
                ptp::setting(
                    "numbers_per_column", &Config::numbers_per_column,
                    {.help = "Numbers that are predicted for each", .range = "[1, 1000]"})};
        }
    };

    MyComponent(const Config& config, ptp::Setup& setup) {
        setup.publish("prediction_size", config.columns * config.numbers_per_column);
    }

    void forward() {}
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
