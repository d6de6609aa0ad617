// Resize: gives images another height and width.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <vector>

class Resize {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Resize";
    static constexpr const char* summary = "Gives images another height and width";
    static constexpr const char* description =
        "Pixels are squares: the middle of pixel i lies at i + 0.5 (align_corners = False in "
        "torch.nn.functional.interpolate, whose results these are). bilinear weighs the four "
        "nearest pixels; made much smaller, an image then loses most of its pixels and shows "
        "moire, "
        "which antialias = true prevents: it weighs all pixels below a triangle as wide as the new "
        "pixel, as Pillow does. Nothing changes by antialias where an image becomes larger. "
        "nearest "
        "takes the pixel at floor(i * old size / new size).";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, *, *", "Images"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, $size[0], $size[1]", "Resized images")};
    static constexpr bool is_samplewise = true;

    enum class Mode { bilinear, nearest };

    struct Config {
        std::vector<int64_t> size;
        Mode mode = Mode::bilinear;
        bool antialias = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("size", &Config::size,
                             {.help = "New height and width, in pixels",
                              .range = "[1, inf)",
                              .length = "[2, 2]",
                              .is_required = true}),
                ptp::setting(
                    "mode", &Config::mode,
                    {.help = "How pixels in between are made", .choices = "bilinear|nearest"}),
                ptp::setting("antialias", &Config::antialias,
                             {.help = "With bilinear: whether all pixels count where an image "
                                      "becomes smaller"})};
        }
    };

    explicit Resize(const Config& config) : config_(config) {
        if (config.antialias && config.mode == Mode::nearest) {
            throw ptp::ConfigError("antialias = true: only mode = \"bilinear\" can do that");
        }
    }

    at::Tensor forward(const at::Tensor& inputs) {
        if (config_.mode == Mode::nearest) {
            return at::upsample_nearest2d(inputs, config_.size);
        }
        return config_.antialias ? at::_upsample_bilinear2d_aa(inputs, config_.size, false)
                                 : at::upsample_bilinear2d(inputs, config_.size, false);
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<Resize>();
