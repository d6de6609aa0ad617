// CutOut: covers squares of images, DeVries and Taylor 2017.

#include "same_draw.hpp"

#include <ptp/component.hpp>

#include <algorithm>
#include <vector>

class CutOut {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "CutOut";
    static constexpr const char* summary = "Covers squares of images";
    static constexpr const char* description =
        "DeVries and Taylor 2017, arXiv 1708.04552. The middle of a square is any pixel of the "
        "image with equal chance, so that a part of it may lie outside; the square at the pixel "
        "(y, x) covers the lines y - size / 2 (rounded down) to size - 1 further, and so the "
        "columns. The paper uses one square of 16 for CIFAR-10, 8 for CIFAR-100 and 20 for SVHN, "
        "on normalized images, whose mean is 0. The draw is a function of the run's seed, "
        "the epoch and the sample, and the same for all streams. Outside of training images pass "
        "as they are, unless `always` is true.";

    static constexpr std::array ports{
        kImages, kMoreImages,
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", "Covered images")
            .meaning("inputs"),
        ptp::output("more_outputs", PTP_FLOAT, "B, *, height, width", "Further covered images")
            .streams_from("more_outputs")};

    struct Config : AugmentationConfig {
        int64_t size = 0;
        int64_t holes = 1;
        double probability = 1;
        double fill = 0;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("size", &Config::size,
                                 {.help = "Side of a square, in pixels",
                                  .range = "[1, inf)",
                                  .is_required = true}),
                    ptp::setting("holes", &Config::holes,
                                 {.help = "How many squares are covered", .range = "[1, inf)"}),
                    ptp::setting(
                        "probability", &Config::probability,
                        {.help = "Chance that an image is covered at all", .range = "[0, 1]"}),
                    ptp::setting("fill", &Config::fill, {.help = "What the pixels become"})},
                AugmentationConfig::settings());
        }
    };

    struct Square {
        int64_t top = 0;
        int64_t left = 0;
    };
    using Draw = std::vector<Square>;

    explicit CutOut(const Config& config) : config_(config) { check_output_counts(config); }

    std::tuple<at::Tensor, std::vector<at::Tensor>> forward(const at::Tensor& inputs,
                                                            const ptp::List<at::Tensor>& more,
                                                            const ptp::Samples& samples) {
        if (!samples.is_training() && !config_.always) {
            return {inputs, unchanged(more)};
        }
        const auto draws = draw_all(*this, samples, image_size(inputs), config_.always);
        return {change_images(*this, inputs, draws), change_more(*this, more, draws)};
    }

    Draw draw(ptp::Random& random, ImageSize size) const {
        Draw squares;
        if (random.uniform() >= config_.probability) {
            return squares;
        }
        for (int64_t i = 0; i < config_.holes; ++i) {
            const int64_t y = random.below(size.height);
            const int64_t x = random.below(size.width);
            squares.push_back({y - config_.size / 2, x - config_.size / 2});
        }
        return squares;
    }
    static Draw no_draw(ImageSize) { return {}; }

    at::Tensor image(const at::Tensor& image, const Draw& draw) const {
        if (draw.empty()) {
            return image;
        }
        at::Tensor covered = image.clone();
        for (const Square& square : draw) {
            const int64_t top = std::max<int64_t>(square.top, 0);
            const int64_t left = std::max<int64_t>(square.left, 0);
            const int64_t bottom = std::min(square.top + config_.size, image.size(-2));
            const int64_t right = std::min(square.left + config_.size, image.size(-1));
            covered.narrow(-2, top, bottom - top)
                .narrow(-1, left, right - left)
                .fill_(config_.fill);
        }
        return covered;
    }

private:
    Config config_;
};

template const ptp_component_info& ptp::component<CutOut>();
