// Shapes: pictures of circles, squares, triangles and crosses, with their positions. Drawn on
// request; there are no files.

#include <color_settings.hpp>
#include "shape_scene.hpp"
#include "split.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

class Shapes {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "Shapes";
    static constexpr const char* summary =
        "Pictures of circles, squares, triangles and crosses, with the kind of every pixel";
    static constexpr const char* description =
        "An image has min_shapes to max_shapes shapes that do not touch: circles, squares, "
        "triangles that point up, left, down or right, and crosses, each kind equally likely. They "
        "are an eighth to a quarter of the image in size, and brighter than the background, which "
        "is grey; then noise is added. To learn: which kind the largest shape is (targets), what "
        "every pixel belongs to (segments, instances), how many there are of each kind (counts), "
        "and which text describes the image (captions).\n"
        "Sample i is a function of seed, split and i alone, and every sample has an image of its "
        "own: the splits share none, but by a chance that is practically 0.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 3, image_height, image_width",
                    "Images in [0, 1], red, green, blue"),
        ptp::output("targets", PTP_INTEGER, "B",
                    "Kind of the shape with the most pixels, the first of equal ones: 0 circle, 1 "
                    "square, 2 triangle, 3 cross")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::output("labels", PTP_STRING, "B", "The names of these kinds"),
        ptp::output(
            "captions", PTP_STRING, "B",
            "Size, kind and place of each shape: \"large circle at top left and small cross at "
            "middle center\""),
        ptp::output("segments", PTP_INTEGER, "B, image_height, image_width",
                    "For each pixel 0 for the background, or 1 more than the kind of the shape"),
        ptp::output("instances", PTP_INTEGER, "B, image_height, image_width",
                    "For each pixel 0 for the background, or the number of the shape, from 1"),
        ptp::output("counts", PTP_INTEGER, "B, num_classes",
                    "How many shapes there are of a kind")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of kinds")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("4"),
        ptp::publishes("num_segment_classes", "Number of kinds, and the background").value("5"),
        ptp::publishes("image_height", "Height of an image, in pixels").value("$image_size"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$image_size"),
        ptp::publishes("image_depth", "Channels of an image").value("3"),
        ptp::publishes("label_word_mappings", "Table from a kind's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES),
        ptp::publishes("caption_word_mappings", "Table from each word of captions to its number")
            .purpose(PTP_PURPOSE_VOCABULARY)};
    static constexpr bool is_concurrent = true;
    static constexpr const char* sample_count = "if($split or $seed, $size, $size)";
    static constexpr std::array requirements{
        ptp::requirement("$min_shapes <= $max_shapes", "must be at most max_shapes")};

    static constexpr const char* kSplits = "training|validation|test";

    struct Config {
        int64_t size = 10000;
        int64_t seed = 0;
        std::optional<std::string> split;
        int64_t image_size = 64;
        int64_t min_shapes = 1;
        int64_t max_shapes = 4;
        double noise = 0.05;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("size", &Config::size,
                             {.help = "Number of samples", .range = "[1, inf)"}),
                ptp::setting("seed", &Config::seed, {.help = "Other seeds produce other images"}),
                ptp::setting(
                    "split", &Config::split,
                    {.help = "Which images; if not given, the split with the section's name",
                     .choices = kSplits,
                     .purpose = PTP_PURPOSE_SPLIT}),
                ptp::setting(
                    "image_size", &Config::image_size,
                    {.help = "Height and width of an image, in pixels", .range = "[32, 1024]"}),
                ptp::setting("min_shapes", &Config::min_shapes,
                             {.help = "Fewest shapes of an image", .range = "[1, 6]"}),
                ptp::setting("max_shapes", &Config::max_shapes,
                             {.help = "Most shapes of an image", .range = "[1, 6]"}),
                ptp::setting(
                    "noise", &Config::noise,
                    {.help = "Added to each number: equally likely anything from -noise to "
                             "noise, then cut to [0, 1]",
                     .range = "[0, 1]"})};
        }
    };

    Shapes(const Config& config, ptp::Setup& setup) : config_(config) {
        if (config.min_shapes > config.max_shapes) {
            throw ptp::ConfigError("min_shapes = ", config.min_shapes,
                                   ": must be at most max_shapes, which is ", config.max_shapes);
        }
        seed_ =
            ptp::mix(static_cast<uint64_t>(config.seed),
                     static_cast<uint64_t>(split_index(config.split, kSplits, setup.section())));
        setup.publish("num_classes", kShapeNames.size());
        setup.publish("num_segment_classes", kShapeNames.size() + 1);
        setup.publish("label_word_mappings", ptp::support::class_table(kShapeNames));
        setup.publish("caption_word_mappings", ptp::support::class_table(kCaptionWords));
        publish_size(setup, {config.image_size, config.image_size}, 3);
    }

    int64_t size() const { return config_.size; }

    std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>, std::vector<std::string>,
               at::Tensor, at::Tensor, at::Tensor>
    fetch(const ptp::Fetch& fetch) const {
        const auto count = static_cast<int64_t>(fetch.size());
        const int64_t side = config_.image_size;
        const int64_t plane = side * side;
        at::Tensor images = at::empty({count, 3, side, side}, at::kFloat);
        at::Tensor targets = at::empty({count}, at::kLong);
        at::Tensor segments = at::empty({count, side, side}, at::kLong);
        at::Tensor instances = at::empty({count, side, side}, at::kLong);
        at::Tensor counts = at::zeros({count, kKinds}, at::kLong);
        std::vector<std::string_view> labels;
        std::vector<std::string> captions;
        for (int64_t i = 0; i < count; ++i) {
            ptp::Random random(
                ptp::mix(seed_, static_cast<uint64_t>(fetch.indices()[static_cast<size_t>(i)])));
            const ShapeScene scene =
                random_shapes(side, {config_.min_shapes, config_.max_shapes}, random);
            float* pixels = images.data_ptr<float>() + i * 3 * plane;
            scene.draw(pixels);
            add_noise(pixels, 3 * plane, random);
            scene.draw_segments(segments.data_ptr<int64_t>() + i * plane,
                                instances.data_ptr<int64_t>() + i * plane);
            for (const Shape& shape : scene.shapes) {
                ++counts.data_ptr<int64_t>()[i * kKinds + static_cast<int64_t>(shape.kind)];
            }
            const auto largest =
                static_cast<size_t>(std::ranges::max_element(scene.shapes, {}, &Shape::area)->kind);
            targets.data_ptr<int64_t>()[i] = static_cast<int64_t>(largest);
            labels.push_back(kShapeNames[largest]);
            captions.push_back(scene.caption());
        }
        return {images, targets, labels, captions, segments, instances, counts};
    }

private:
    static constexpr auto kKinds = static_cast<int64_t>(kShapeNames.size());

    void add_noise(float* pixels, int64_t count, ptp::Random& random) const {
        if (config_.noise == 0) {
            return;
        }
        for (int64_t i = 0; i < count; ++i) {
            const double noise = random.uniform(-config_.noise, config_.noise);
            pixels[i] = static_cast<float>(std::clamp(pixels[i] + noise, 0.0, 1.0));
        }
    }

    Config config_;
    uint64_t seed_ = 0;
};

template const ptp_component_info& ptp::component<Shapes>();
