// ColorJitter: changes brightness, contrast, saturation and hue of images.

#include "colors.hpp"
#include "same_draw.hpp"

#include <ptp/component.hpp>
#include <ptp/setup.hpp>

#include <ATen/ops/aminmax.h>

#include <algorithm>
#include <span>
#include <vector>

class ColorJitter {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "ColorJitter";
    static constexpr const char* summary = "Changes the colors of images at random";
    static constexpr const char* description =
        "As torchvision.transforms.ColorJitter: four changes in a random order, each by an amount "
        "that is drawn evenly from its range. brightness multiplies the pixels; contrast and "
        "saturation move them away from the image's mean grey, or from the pixel's own grey "
        "(0.2989 red + 0.587 green + 0.114 blue), where the factor 1 changes nothing and 0 leaves "
        "only the grey; hue turns the color circle by a share of it. Images are in [0, 1], so "
        "normalize afterwards; what leaves the range is cut off. Saturation and hue leave images "
        "of one channel as they are. The draw is a function of the run's seed, the epoch and the "
        "sample, and the same for all streams. Outside of training images pass as they are, unless "
        "`always` is true.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images, from 0 to 1")
            .meaning("probabilities"),
        kMoreImages.meaning("probabilities"),
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", "Changed images")
            .meaning("inputs"),
        ptp::output("more_outputs", PTP_FLOAT, "B, *, height, width", "Further changed images")
            .streams_from("more_outputs")};

    struct Config : AugmentationConfig {
        std::vector<double> brightness = {0};
        std::vector<double> contrast = {0};
        std::vector<double> saturation = {0};
        std::vector<double> hue = {0};

        static constexpr auto settings() {
            constexpr const char* kFactor =
                "Range of the factor, [a, b], or a for [1 - a, 1 + a] but not below 0";
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("brightness", &Config::brightness,
                                 {.help = kFactor,
                                  .range = "[0, inf)",
                                  .length = "[1, 2]",
                                  .takes_list_or_one = true}),
                    ptp::setting("contrast", &Config::contrast,
                                 {.help = kFactor,
                                  .range = "[0, inf)",
                                  .length = "[1, 2]",
                                  .takes_list_or_one = true}),
                    ptp::setting("saturation", &Config::saturation,
                                 {.help = kFactor,
                                  .range = "[0, inf)",
                                  .length = "[1, 2]",
                                  .takes_list_or_one = true}),
                    ptp::setting("hue", &Config::hue,
                                 {.help = "Range of the turn, [a, b], or a for [-a, a]; 1 is the "
                                          "whole circle",
                                  .range = "[-0.5, 0.5]",
                                  .length = "[1, 2]",
                                  .takes_list_or_one = true})},
                AugmentationConfig::settings());
        }
    };

    enum Change : std::size_t { kBrightness, kContrast, kSaturation, kHue, kChanges };

    struct Draw {
        std::array<Change, kChanges> order{};
        std::array<float, kChanges> amounts{};
    };

    ColorJitter(const Config& config, const ptp::Setup& setup)
        : config_(config),
          ranges_{factors("brightness", config.brightness), factors("contrast", config.contrast),
                  factors("saturation", config.saturation), range_of("hue", config.hue, 0)} {
        check_output_counts(config);
        const auto changes_nothing = [&](std::size_t change) {
            const double same = change == kHue ? 0 : 1;
            return ranges_[change] == std::array<double, 2>{same, same};
        };
        if (changes_nothing(kBrightness) && changes_nothing(kContrast) &&
            changes_nothing(kSaturation) && changes_nothing(kHue)) {
            setup.log_warning(
                "none of brightness, contrast, saturation and hue is set: images stay as they are");
        }
    }

    std::tuple<at::Tensor, std::vector<at::Tensor>> forward(const at::Tensor& inputs,
                                                            const ptp::List<at::Tensor>& more,
                                                            const ptp::Samples& samples) {
        if (!samples.is_training() && !config_.always) {
            return {inputs, unchanged(more)};
        }
        check("inputs", inputs);
        for (std::size_t i = 0; i < more.size(); ++i) {
            check(config_.more_streams[i], more[i]);
        }
        const auto draws = draw_all(*this, samples, image_size(inputs), config_.always);
        return {change_images(*this, inputs, draws), change_more(*this, more, draws)};
    }

    // Draws everything, so that one range does not affect the draws of the others.
    Draw draw(ptp::Random& random, ImageSize) const {
        Draw drawn{.order = {kBrightness, kContrast, kSaturation, kHue}};
        random.shuffle(std::span<Change>(drawn.order));
        for (std::size_t change = 0; change < kChanges; ++change) {
            drawn.amounts[change] =
                static_cast<float>(random.uniform(ranges_[change][0], ranges_[change][1]));
        }
        return drawn;
    }
    static Draw no_draw(ImageSize) { return {}; }

    static at::Tensor image(const at::Tensor& image, const Draw& draw) {
        at::Tensor changed = image.to(at::kCPU).clamp(0, 1).contiguous();
        Colors colors({changed.data_ptr<float>(), static_cast<std::size_t>(changed.numel())},
                      image.size(0));
        for (const Change change : draw.order) {
            apply(colors, change, draw.amounts[change]);
        }
        return changed;
    }

private:
    static void apply(Colors& colors, Change change, float amount) {
        if (amount == (change == kHue ? 0.0F : 1.0F)) {
            return;
        }
        switch (change) {
            case kBrightness:
                return colors.brighten(amount);
            case kContrast:
                return colors.contrast(amount);
            case kSaturation:
                return colors.saturate(amount);
            default:
                return colors.turn_hue(amount);
        }
    }

    static std::array<double, 2> factors(const char* setting, const std::vector<double>& given) {
        const std::array<double, 2> range = range_of(setting, given, 1);
        return {std::max(range[0], 0.0), range[1]};
    }

    static void check(const std::string& stream, const at::Tensor& images) {
        if (images.size(1) != 1 && images.size(1) != 3) {
            throw ptp::ConfigError("'", stream, "': images have 1 or 3 channels, these have ",
                                   images.size(1));
        }
        // The weights of a resize add up to 1 but for rounding.
        constexpr double kRounding = 1e-4;
        const auto [least, most] = at::aminmax(images);
        if (!(least.item<double>() >= -kRounding && most.item<double>() <= 1 + kRounding)) {
            throw ptp::DataError("'", stream, "': pixels must be in [0, 1], these are in [",
                                 least.item<double>(), ", ", most.item<double>(),
                                 "]; normalize after jittering, not before");
        }
    }

    Config config_;
    std::array<std::array<double, 2>, kChanges> ranges_;
};

template const ptp_component_info& ptp::component<ColorJitter>();
