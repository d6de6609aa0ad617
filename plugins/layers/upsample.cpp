// Upsample: enlarges images, as torch.nn.Upsample.

#include <ptp/component.hpp>

#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>

class Upsample {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Upsample";
    static constexpr const char* summary = "Enlarges images: a layer of torch.nn";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images or feature maps"),
        ptp::output("outputs", PTP_FLOAT,
                    "B, channels, (height * $scale_factor), (width * $scale_factor)",
                    "Larger images")
            .meaning("inputs")};

    enum class Mode { kNearest, kBilinear };
    struct Config {
        int64_t scale_factor = 2;
        Mode mode = Mode::kNearest;
        bool align_corners = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("scale_factor", &Config::scale_factor,
                             {.help = "The factor of height and width", .range = "[1, inf)"}),
                ptp::setting("mode", &Config::mode,
                             {.help = "How pixels are computed", .choices = "nearest|bilinear"}),
                ptp::setting("align_corners", &Config::align_corners,
                             {.help = "Whether the corners keep their numbers, if bilinear"})};
        }
    };

    explicit Upsample(const Config& config) : config_(config) {}

    // [B, C, H, W] -> [B, C, h, w]
    at::Tensor forward(const at::Tensor& inputs) {
        const std::vector<int64_t> size = {inputs.size(2) * config_.scale_factor,
                                           inputs.size(3) * config_.scale_factor};
        return config_.mode == Mode::kNearest
                   ? at::upsample_nearest2d(inputs, size)
                   : at::upsample_bilinear2d(inputs, size, config_.align_corners);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Upsample>();
