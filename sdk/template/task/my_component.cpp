// MyComponent: points of a square, which are inside or outside of a circle.

#include <ptp/plugin.hpp>

#include <ATen/ops/empty.h>

namespace {

class MyComponent {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "MyComponent";
    static constexpr const char* summary = "Points in a circle or outside of it";
    static constexpr const char* description =
        "The centers of side x side equal parts of the square from -1 to 1, row by row. A point "
        "is inside if its distance from the center is less than radius.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 2", "The points, x and y"),
        ptp::output("targets", PTP_INTEGER, "B", "0 outside, 1 inside")
            .purpose(PTP_PURPOSE_TARGETS)};
    static constexpr std::array globals{ptp::publishes("num_classes", "Number of classes")
                                            .purpose(PTP_PURPOSE_CLASS_COUNT)
                                            .value("2")};
    // sample() may run on several threads at once; sample_count is the number of samples.
    static constexpr bool is_concurrent = true;
    static constexpr const char* sample_count = "$side * $side";

    struct Config {
        int64_t side = 16;
        double radius = 0.8;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("side", &Config::side,
                             {.help = "Points in a row, and rows", .range = "[1, 1000]"}),
                ptp::setting("radius", &Config::radius,
                             {.help = "Radius of the circle", .range = "(0, inf)"})};
        }
    };

    explicit MyComponent(const Config& config) : config_(config) {}

    int64_t size() const { return config_.side * config_.side; }

    // Returns the sample with this index; the SDK makes batches of them. Random numbers must come
    // from `random`, so that they do not depend on the number of threads.
    std::tuple<at::Tensor, int64_t> sample(int64_t index, ptp::Random&) const {
        const double x = coordinate(index % config_.side);
        const double y = coordinate(index / config_.side);
        at::Tensor point = at::empty({2}, at::kFloat);
        point.data_ptr<float>()[0] = static_cast<float>(x);
        point.data_ptr<float>()[1] = static_cast<float>(y);
        return {point, x * x + y * y < config_.radius * config_.radius ? 1 : 0};
    }

private:
    double coordinate(int64_t part) const {
        return static_cast<double>(2 * part + 1) / static_cast<double>(config_.side) - 1.0;
    }

    Config config_;
};

}  // namespace

PTP_PLUGIN("my_plugin", "0.1.0", MyComponent);
