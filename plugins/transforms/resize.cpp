// Resize: resizes images or masks to another height and width.

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <tuple>
#include <vector>

class Resize {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Resize";
    static constexpr const char* summary = "Resizes images or masks to another height and width";
    static constexpr const char* description =
        "Pixels are squares: the middle of pixel i lies at i + 0.5 (align_corners = False in "
        "torch.nn.functional.interpolate, whose results these are). bilinear weighs the four "
        "nearest pixels; made much smaller, an image then loses most of its pixels and shows "
        "moire, which antialias = true prevents: it weighs all pixels below a triangle as wide as "
        "the new pixel, as Pillow does. Nothing changes by antialias where an image becomes "
        "larger. nearest takes the pixel at floor(i * old size / new size). With it masks can be "
        "resized too, with element = \"integer\" or \"bool\": no number comes in between, the type "
        "stays, and the same pixels are taken as of an image. bilinear takes images alone.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, *, *", "Images").when("mode = bilinear"),
        ptp::input("inputs", PTP_FLOAT, "B, channels, *, *", "Images")
            .when("mode = nearest & element = float"),
        ptp::input("inputs", PTP_INTEGER, "B, *, *", "A class for each pixel")
            .when("mode = nearest & element = integer"),
        ptp::input("inputs", PTP_BOOL, "B, *, *", "True or false for each pixel")
            .when("mode = nearest & element = bool"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, $size[0], $size[1]", "Resized images")
            .meaning("inputs")
            .when("mode = bilinear"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, $size[0], $size[1]", "Resized images")
            .meaning("inputs")
            .when("mode = nearest & element = float"),
        ptp::output("outputs", PTP_INTEGER, "B, $size[0], $size[1]", "Resized masks")
            .when("mode = nearest & element = integer"),
        ptp::output("outputs", PTP_BOOL, "B, $size[0], $size[1]", "Resized masks")
            .when("mode = nearest & element = bool")};
    static constexpr bool is_per_sample = true;
    static constexpr std::array requirements{
        ptp::requirement("!$antialias or $mode = 'bilinear'", "needs mode = \"bilinear\"")};

    enum class Mode { kBilinear, kNearest };
    enum class Element { kFloating, kInteger, kBoolean };

    struct Config {
        std::vector<int64_t> size;
        Mode mode = Mode::kBilinear;
        Element element = Element::kFloating;
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
                ptp::setting("element", &Config::element,
                             {.help = "With nearest: what is resized, images or masks",
                              .choices = "float|integer|bool"}),
                ptp::setting("antialias", &Config::antialias,
                             {.help = "With bilinear: whether all pixels count where an image "
                                      "becomes smaller"})};
        }
    };

    explicit Resize(const Config& config) : config_(config) {
        if (config.antialias && config.mode == Mode::kNearest) {
            throw ptp::ConfigError("antialias = true: only mode = \"bilinear\" can do that");
        }
        if (config.element != Element::kFloating && config.mode != Mode::kNearest) {
            throw ptp::ConfigError("element = \"",
                                   config.element == Element::kInteger ? "integer" : "bool",
                                   "\": only mode = \"nearest\" takes masks");
        }
    }

    using Outputs = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

    Outputs forward(const at::Tensor* images, const at::Tensor* same_images,
                    const at::Tensor* classes, const at::Tensor* marks) {
        if (images != nullptr) {
            return {config_.antialias ? at::_upsample_bilinear2d_aa(*images, config_.size, false)
                                      : at::upsample_bilinear2d(*images, config_.size, false),
                    {},
                    {},
                    {}};
        }
        if (same_images != nullptr) {
            return {{}, at::upsample_nearest2d(*same_images, config_.size), {}, {}};
        }
        return classes != nullptr ? Outputs{{}, {}, resized(*classes), {}}
                                  : Outputs{{}, {}, {}, resized(*marks)};
    }

private:
    at::Tensor resized(const at::Tensor& masks) const {
        return masks  // [B, H, W] -> [B, size[0], size[1]]
            .index_select(1, taken(masks.size(1), config_.size[0], masks.device()))
            .index_select(2, taken(masks.size(2), config_.size[1], masks.device()));
    }

    // Returns the numbers of the lines that remain. They are resized like an image, so that a mask
    // keeps the same pixels as its image, whatever libtorch's rounding.
    static at::Tensor taken(int64_t old_size, int64_t new_size, at::Device device) {
        const at::Tensor lines = at::arange(old_size, at::TensorOptions(at::kFloat).device(device));
        return at::upsample_nearest2d(lines.view({1, 1, 1, old_size}), {1, new_size})
            .view({new_size})
            .to(at::kLong);
    }

    Config config_;
};

template const ptp_component_info& ptp::component<Resize>();
