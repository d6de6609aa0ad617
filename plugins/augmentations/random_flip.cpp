// RandomFlip: mirrors images, left to right or top to bottom.

#include "same_draw.hpp"

#include <ptp/component.hpp>

#include <vector>

class RandomFlip {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "RandomFlip";
    static constexpr const char* summary = "Mirrors images at random";
    static constexpr const char* description =
        "Left becomes right with the chance `horizontal`, top becomes bottom with the chance "
        "`vertical`; both may happen. The draw is a function of the run's seed, the epoch and the "
        "sample, and the same for all streams. Outside of training images pass as they are, unless "
        "`always` is true.";

    static constexpr std::array ports{
        kImages,
        kMoreImages,
        kMasks,
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", "Mirrored images")
            .meaning("inputs"),
        ptp::output("more_outputs", PTP_FLOAT, "B, *, height, width", "Further mirrored images")
            .streams_from("more_outputs"),
        ptp::output("mask_outputs", PTP_INTEGER, "B, height, width", "Mirrored masks")
            .streams_from("mask_outputs")
            .meaning("masks")};

    struct Config : MovingConfig {
        double horizontal = 0.5;
        double vertical = 0;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("horizontal", &Config::horizontal,
                                 {.help = "Chance that left becomes right", .range = "[0, 1]"}),
                    ptp::setting("vertical", &Config::vertical,
                                 {.help = "Chance that top becomes bottom", .range = "[0, 1]"})},
                MovingConfig::settings());
        }
    };

    struct Draw {
        bool is_horizontal = false;
        bool is_vertical = false;
    };

    explicit RandomFlip(const Config& config) : config_(config) { check_output_counts(config); }

    std::tuple<at::Tensor, std::vector<at::Tensor>, std::vector<at::Tensor>> forward(
        const at::Tensor& inputs, const ptp::List<at::Tensor>& more,
        const ptp::List<at::Tensor>& masks, const ptp::Samples& samples) {
        if (!samples.is_training() && !config_.always) {
            return {inputs, unchanged(more), unchanged(masks)};
        }
        const auto draws = draw_all(*this, samples, image_size(inputs), config_.always);
        return {change_images(*this, inputs, draws), change_more(*this, more, draws),
                change_masks(*this, masks, draws)};
    }

    // Draws both, so that one chance does not affect the draws of the other.
    Draw draw(ptp::Random& random, ImageSize) const {
        const bool is_horizontal = random.uniform() < config_.horizontal;
        const bool is_vertical = random.uniform() < config_.vertical;
        return {is_horizontal, is_vertical};
    }
    static Draw no_draw(ImageSize) { return {}; }

    static at::Tensor image(const at::Tensor& image, const Draw& draw) {
        std::vector<int64_t> dims;
        if (draw.is_horizontal) {
            dims.push_back(-1);
        }
        if (draw.is_vertical) {
            dims.push_back(-2);
        }
        return dims.empty() ? image : image.flip(dims);
    }
    static at::Tensor mask(const at::Tensor& mask, const Draw& draw) { return image(mask, draw); }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<RandomFlip>();
