// RandomAffine: turns, moves, scales and shears images.

#include "affine_kernel.hpp"
#include "same_draw.hpp"

#include <ptp/component.hpp>
#include <ptp/setup.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

class RandomAffine {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "RandomAffine";
    static constexpr const char* summary = "Turns, moves, scales and shears images at random";
    static constexpr const char* description =
        "As torchvision.transforms.RandomAffine: an image is sheared, scaled, turned clockwise "
        "about its middle and moved, by amounts that are drawn evenly from their ranges; moves are "
        "whole pixels. Pixels in between are interpolated as `mode` specifies, those of masks are "
        "the nearest ones; what was outside becomes `fill` or `mask_fill`. A pixel at the border, "
        "partly outside, is blended with `fill` once; torchvision 0.14 weights the image's share "
        "of it twice. The draw is a function of the run's seed, the epoch and the sample, and the "
        "same for all streams. Outside of training images pass as they are, unless `always` is "
        "true.";

    static constexpr std::array ports{
        kImages,
        kMoreImages,
        kMasks,
        ptp::output("outputs", PTP_FLOAT, "B, channels, height, width", "Moved images")
            .meaning("inputs"),
        ptp::output("more_outputs", PTP_FLOAT, "B, *, height, width", "Further moved images")
            .streams_from("more_outputs"),
        ptp::output("mask_outputs", PTP_INTEGER, "B, height, width", "Moved masks")
            .streams_from("mask_outputs")
            .meaning("masks")};

    enum class Mode { kBilinear, kNearest };

    struct Config : MovingConfig {
        std::vector<double> degrees = {0};
        std::vector<double> translate = {0, 0};
        std::vector<double> scale = {1, 1};
        std::vector<double> shear = {0};
        Mode mode = Mode::kBilinear;
        double fill = 0;
        int64_t mask_fill = 0;

        static constexpr auto settings();
    };

    // Maps places in the new image to places in the old one, in pixels from the center: x' = m[0] x
    // + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
    using Draw = std::array<double, 6>;

    RandomAffine(const Config& config, const ptp::Setup& setup)
        : config_(config),
          degrees_(range_of("degrees", config.degrees, 0)),
          scale_(range_of("scale", config.scale, 1)),
          shear_x_(range_of("shear", first_two(config.shear), 0)),
          shear_y_(config.shear.size() == 4
                       ? range_of("shear", {config.shear[2], config.shear[3]}, 0)
                       : std::array<double, 2>{0, 0}) {
        check_output_counts(config);
        if (config.shear.size() == 3) {
            throw ptp::SettingError("shear", "must be one, two or four numbers");
        }
        const std::array<double, 2> none = {0, 0};
        const bool moves =
            std::ranges::any_of(config.translate, [](double one) { return one > 0; });
        if (!moves && degrees_ == none && shear_x_ == none && shear_y_ == none &&
            scale_ == std::array<double, 2>{1, 1}) {
            setup.log_warning(
                "none of degrees, translate, scale and shear is set: images stay as they are");
        }
    }

    std::tuple<at::Tensor, std::vector<at::Tensor>, std::vector<at::Tensor>> forward(
        const at::Tensor& inputs, const ptp::List<at::Tensor>& more,
        const ptp::List<at::Tensor>& masks, const ptp::Samples& samples) {
        if (!samples.is_training() && !config_.always) {
            return {inputs, unchanged(more), unchanged(masks)};
        }
        const ImageSize size = image_size(inputs);
        const std::vector<Draw> draws = draw_all(*this, samples, size, config_.always);
        std::vector<at::Tensor> more_moved;
        for (std::size_t i = 0; i < more.size(); ++i) {
            more_moved.push_back(moved(more[i], draws, size));
        }
        std::vector<at::Tensor> moved_masks;
        for (std::size_t i = 0; i < masks.size(); ++i) {
            moved_masks.push_back(moved_mask(masks[i], draws, size));
        }
        return {moved(inputs, draws, size), std::move(more_moved), std::move(moved_masks)};
    }

    Draw draw(ptp::Random& random, ImageSize size) const {
        const double degrees = random.uniform(degrees_[0], degrees_[1]);
        const double most_x = config_.translate[0] * static_cast<double>(size.width);
        const double most_y = config_.translate[1] * static_cast<double>(size.height);
        const double x = std::round(random.uniform(-most_x, most_x));
        const double y = std::round(random.uniform(-most_y, most_y));
        const double scale = random.uniform(scale_[0], scale_[1]);
        const double shear_x = random.uniform(shear_x_[0], shear_x_[1]);
        const double shear_y = random.uniform(shear_y_[0], shear_y_[1]);
        return inverse({degrees, x, y, scale, shear_x, shear_y});
    }
    static Draw no_draw(ImageSize) { return {1, 0, 0, 0, 1, 0}; }

private:
    struct Movement {
        double degrees, x, y, scale, shear_x, shear_y;
    };

    // Computes torchvision.transforms.functional._get_inverse_affine_matrix() about the center.
    static Draw inverse(const Movement& movement) {
        constexpr double kRadian = std::numbers::pi / 180;
        const double turn = movement.degrees * kRadian;
        const double shear_x = movement.shear_x * kRadian;
        const double shear_y = movement.shear_y * kRadian;
        const double a = std::cos(turn - shear_y) / std::cos(shear_y);
        const double b =
            -std::cos(turn - shear_y) * std::tan(shear_x) / std::cos(shear_y) - std::sin(turn);
        const double c = std::sin(turn - shear_y) / std::cos(shear_y);
        const double d =
            -std::sin(turn - shear_y) * std::tan(shear_x) / std::cos(shear_y) + std::cos(turn);
        Draw m{d / movement.scale,  -b / movement.scale, 0,
               -c / movement.scale, a / movement.scale,  0};
        m[2] = -m[0] * movement.x - m[1] * movement.y;
        m[5] = -m[3] * movement.x - m[4] * movement.y;
        return m;
    }

    // Returns whether the kernels can read the tensor; others are left to libtorch.
    static bool is_plain(const at::Tensor& batch, at::ScalarType type,
                         const std::vector<Draw>& draws, ImageSize size) {
        return batch.device().is_cpu() && batch.scalar_type() == type && !batch.requires_grad() &&
               batch.size(0) == static_cast<int64_t>(draws.size()) &&
               batch.size(-2) == size.height && batch.size(-1) == size.width;
    }

    // Calls `move(from, shape, map, to)` for each sample.
    template <class Number, class Move>
    static at::Tensor moved_each(const at::Tensor& batch, const std::vector<Draw>& draws,
                                 ImageSize size, Move move) {
        const at::Tensor images = batch.contiguous();
        at::Tensor made = at::empty_like(images);
        const auto pixels = size.height * size.width;
        const PlaneShape shape{images.numel() / std::max<int64_t>(images.size(0) * pixels, 1),
                               size.height, size.width};
        const Number* from = images.data_ptr<Number>();
        auto* to = made.data_ptr<Number>();
        for (const Draw& draw : draws) {
            move(from, shape, {{draw[0], draw[1], draw[2]}, {draw[3], draw[4], draw[5]}}, to);
            from += shape.channels * pixels;
            to += shape.channels * pixels;
        }
        return made;
    }

    at::Tensor moved(const at::Tensor& batch, const std::vector<Draw>& draws,
                     ImageSize size) const {
        if (!is_plain(batch, at::kFloat, draws, size)) {
            return sampled(batch, old_places(draws, size), config_.mode, config_.fill);
        }
        const auto fill = static_cast<float>(config_.fill);
        const bool is_nearest = config_.mode == Mode::kNearest;
        return moved_each<float>(
            batch, draws, size,
            [&](const float* from, const PlaneShape& shape, const PlaceMap& map, float* to) {
                if (is_nearest) {
                    move_nearest(from, shape, map, fill, to);
                } else {
                    move_bilinear(from, shape, map, fill, to);
                }
            });
    }

    at::Tensor moved_mask(const at::Tensor& mask, const std::vector<Draw>& draws,
                          ImageSize size) const {
        if (!is_plain(mask, at::kLong, draws, size)) {
            return sampled(mask.unsqueeze(1), old_places(draws, size), Mode::kNearest,
                           static_cast<double>(config_.mask_fill))
                .squeeze(1);
        }
        return moved_each<int64_t>(
            mask, draws, size,
            [&](const int64_t* from, const PlaneShape& shape, const PlaceMap& map, int64_t* to) {
                move_nearest(from, shape, map, config_.mask_fill, to);
            });
    }

    // Returns [B, H, W, 2]: for each new pixel its x and y in the old image, from -1 to 1.
    static at::Tensor old_places(const std::vector<Draw>& draws, ImageSize size) {
        const auto count = static_cast<int64_t>(draws.size());
        auto* numbers = const_cast<Draw*>(draws.data());  // NOLINT: they are only read
        const at::Tensor m = at::from_blob(numbers, {count, 6, 1, 1}, at::kDouble);
        const double half_height = static_cast<double>(size.height) / 2;
        const double half_width = static_cast<double>(size.width) / 2;
        const at::Tensor x = at::arange(size.width, at::kDouble) + (0.5 - half_width);
        const at::Tensor y = (at::arange(size.height, at::kDouble) + (0.5 - half_height))
                                 .unsqueeze(1);  // [H] -> [H, 1]
        const auto along = [&](int64_t row) {
            return m.select(1, row) * x + m.select(1, row + 1) * y + m.select(1, row + 2);
        };
        return at::stack({along(0) / half_width, along(3) / half_height}, -1);
    }

    // Replaces libtorch's zeros for pixels outside by `fill`.
    static at::Tensor sampled(const at::Tensor& batch, const at::Tensor& places, Mode mode,
                              double fill) {
        const bool is_mask = !batch.is_floating_point();
        const at::Tensor from = (is_mask ? batch.to(at::kDouble) : batch) - fill;
        const int64_t interpolation = mode == Mode::kBilinear ? 0 : 1;
        const at::Tensor made =
            at::grid_sampler(from, places.to(from.options()), interpolation, 0, false);
        return (made + fill).to(batch.scalar_type());
    }

    static std::vector<double> first_two(const std::vector<double>& shear) {
        return {shear.begin(), shear.begin() + (shear.size() == 1 ? 1 : 2)};
    }

    Config config_;
    std::array<double, 2> degrees_;
    std::array<double, 2> scale_;
    std::array<double, 2> shear_x_;
    std::array<double, 2> shear_y_;
};

constexpr auto RandomAffine::Config::settings() {
    return std::tuple_cat(
        std::tuple{
            ptp::setting("degrees", &Config::degrees,
                         {.help = "Clockwise turn: [a, b], or a for [-a, a]",
                          .length = "[1, 2]",
                          .takes_list_or_one = true}),
            ptp::setting("translate", &Config::translate,
                         {.help = "Farthest move to the sides and up or down, as shares of "
                                  "width and height",
                          .range = "[0, 1]",
                          .length = "[2, 2]"}),
            ptp::setting("scale", &Config::scale,
                         {.help = "Smallest and largest factor of size",
                          .range = "(0, inf)",
                          .length = "[2, 2]"}),
            ptp::setting("shear", &Config::shear,
                         {.help = "Degrees along x: [a, b], or a for [-a, a]; two more are "
                                  "those along y",
                          .range = "(-90, 90)",
                          .length = "[1, 4]",
                          .takes_list_or_one = true}),
            ptp::setting("mode", &Config::mode,
                         {.help = "How pixels in between are made", .choices = "bilinear|nearest"}),
            ptp::setting("fill", &Config::fill, {.help = "Pixels from outside"}),
            ptp::setting("mask_fill", &Config::mask_fill,
                         {.help = "The class of pixels from outside"})},
        MovingConfig::settings());
}

template const ptp_component_info& ptp::component<RandomAffine>();
