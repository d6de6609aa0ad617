// RandomCrop: a part of each image at a random place, after padding the image.

#include "same_draw.hpp"

#include <ptp/component.hpp>
#include <ptp/setup.hpp>

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>
#include <vector>

class RandomCrop {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "RandomCrop";
    static constexpr const char* summary = "Cuts a part out of images, at a random place";
    static constexpr const char* description =
        "Images get `padding` pixels on each side, zeros or their own pixels mirrored at the edge "
        "(which is not repeated), and of that a part of `size` is taken; all places are equally "
        "likely. CIFAR's usual augmentation is padding = 4 without a size (He et al. 2015, arXiv "
        "1512.03385, section 4.2). The draw is a function of the run's seed, the epoch and the "
        "sample, and the same for all streams. Outside of training the part is the one in the "
        "middle, unless `always` is true.";

    static constexpr std::array ports{
        kImages,
        kMoreImages,
        kMasks,
        ptp::output("outputs", PTP_FLOAT, "B, channels, $size[0]|height, $size[1]|width",
                    "Parts of the images")
            .meaning("inputs"),
        ptp::output("more_outputs", PTP_FLOAT, "B, *, $size[0]|height, $size[1]|width",
                    "The same parts of the further images")
            .streams_from("more_outputs"),
        ptp::output("mask_outputs", PTP_INTEGER, "B, $size[0]|height, $size[1]|width",
                    "The same parts of the masks")
            .streams_from("mask_outputs")
            .meaning("masks")};

    static constexpr std::array requirements{
        ptp::requirement("$size[0] <= height + 2 * $padding and $size[1] <= width + 2 * $padding",
                         "must fit into the images with their padding"),
        ptp::requirement("$padding < min(height, width) or $padding_mode = 'zero'",
                         "must be less than the sides of an image, whose pixels are mirrored")};

    enum class Mode { kZero, kReflect };

    struct Config : MovingConfig {
        std::optional<std::vector<int64_t>> size;
        int64_t padding = 0;
        Mode padding_mode = Mode::kZero;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("size", &Config::size,
                                 {.help = "Height and width of the part, in pixels; the image's "
                                          "if not given",
                                  .range = "[1, inf)",
                                  .length = "[2, 2]"}),
                    ptp::setting("padding", &Config::padding,
                                 {.help = "Pixels added on each side before", .range = "[0, inf)"}),
                    ptp::setting("padding_mode", &Config::padding_mode,
                                 {.help = "What these are", .choices = "zero|reflect"})},
                MovingConfig::settings());
        }
    };

    // The position of the part in the image without padding.
    struct Draw {
        int64_t top = 0;
        int64_t left = 0;
        ImageSize size;  // size of the part
    };

    RandomCrop(const Config& config, ptp::Setup& setup) : config_(config) {
        check_output_counts(config);
        if (!config.size && config.padding == 0) {
            setup.log_warning("neither size nor padding is set: images stay as they are");
        }
        const auto height = setup.optional_size("height");
        const auto width = setup.optional_size("width");
        if (height && width) {
            check_size({*height, *width});
        }
    }

    std::tuple<at::Tensor, std::vector<at::Tensor>, std::vector<at::Tensor>> forward(
        const at::Tensor& inputs, const ptp::List<at::Tensor>& more,
        const ptp::List<at::Tensor>& masks, const ptp::Samples& samples) {
        check_size(image_size(inputs));
        const auto draws = draw_all(*this, samples, image_size(inputs), config_.always);
        return {change_images(*this, inputs, draws), change_more(*this, more, draws),
                change_masks(*this, masks, draws)};
    }

    Draw draw(ptp::Random& random, ImageSize size) const {
        const ImageSize part = part_of(size);
        const int64_t top = random.below(size.height + 2 * config_.padding - part.height + 1);
        const int64_t left = random.below(size.width + 2 * config_.padding - part.width + 1);
        return {top - config_.padding, left - config_.padding, part};
    }
    Draw no_draw(ImageSize size) const {
        const ImageSize part = part_of(size);
        return {(size.height + 2 * config_.padding - part.height) / 2 - config_.padding,
                (size.width + 2 * config_.padding - part.width) / 2 - config_.padding, part};
    }

    // Crops [..., H, W].
    at::Tensor image(const at::Tensor& image, const Draw& draw) const {
        if (config_.padding_mode == Mode::kReflect) {
            const at::Tensor rows = mirrored(draw.top, draw.size.height, image.size(-2));
            const at::Tensor columns = mirrored(draw.left, draw.size.width, image.size(-1));
            return image.index_select(-2, rows.to(image.device()))
                .index_select(-1, columns.to(image.device()));
        }
        std::vector<int64_t> sizes = image.sizes().vec();
        sizes[sizes.size() - 2] = draw.size.height;
        sizes[sizes.size() - 1] = draw.size.width;
        at::Tensor part = at::zeros(sizes, image.options());
        const Overlap rows(draw.top, draw.size.height, image.size(-2));
        const Overlap columns(draw.left, draw.size.width, image.size(-1));
        if (rows.count > 0 && columns.count > 0) {
            part.narrow(-2, rows.to, rows.count)
                .narrow(-1, columns.to, columns.count)
                .copy_(image.narrow(-2, rows.from, rows.count)
                           .narrow(-1, columns.from, columns.count));
        }
        return part;
    }
    at::Tensor mask(const at::Tensor& mask, const Draw& draw) const { return image(mask, draw); }

private:
    // The overlap of an image of `available` lines and a part of `wanted` lines that begins at
    // `begin`.
    struct Overlap {
        Overlap(int64_t begin, int64_t wanted, int64_t available)
            : from(std::max<int64_t>(begin, 0)),
              to(from - begin),
              count(std::min(begin + wanted, available) - from) {}
        int64_t from;
        int64_t to;
        int64_t count;
    };

    // Returns the numbers of the lines, mirrored beyond the edges.
    static at::Tensor mirrored(int64_t begin, int64_t wanted, int64_t available) {
        std::vector<int64_t> lines;
        for (int64_t line = begin; line < begin + wanted; ++line) {
            const int64_t inside = line < 0 ? -line : line;
            lines.push_back(inside < available ? inside : 2 * (available - 1) - inside);
        }
        return at::tensor(lines);
    }

    ImageSize part_of(ImageSize size) const {
        return config_.size ? ImageSize{config_.size->at(0), config_.size->at(1)} : size;
    }

    void check_size(ImageSize size) const {
        const ImageSize part = part_of(size);
        if (part.height > size.height + 2 * config_.padding ||
            part.width > size.width + 2 * config_.padding) {
            throw ptp::SettingError("size", "does not fit into images of ", size.height, " x ",
                                    size.width, " with a padding of ", config_.padding);
        }
        if (config_.padding_mode == Mode::kReflect &&
            config_.padding >= std::min(size.height, size.width)) {
            throw ptp::SettingError("padding", "an image of ", size.height, " x ", size.width,
                                    " does not have that many pixels to mirror");
        }
    }

    Config config_;
};

template const ptp_component_info& ptp::component<RandomCrop>();
