// ImageViewer: writes images of a batch, with their targets and predictions, to a file every N
// episodes.

#include <canvas.hpp>
#include <class_names.hpp>
#include <font.hpp>
#include <image_writing.hpp>
#include <result_files.hpp>

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>

class ImageViewer {
public:
    static constexpr ptp_kind kind = PTP_VIEWER;
    static constexpr const char* name = "ImageViewer";
    static constexpr const char* summary = "Writes sheets of images with their answers";
    static constexpr const char* description =
        "Every N episodes, and for the first batch of each pass over another set, the first images "
        "of the batch are put on one sheet, or the one that sample_number names, or a random one: "
        "images/NAME/SECTION_EPISODE.png in the run's folder and, with [records.tensorboard], "
        "NAME/SECTION in TensorBoard. Below each image are the number of the sample, its target "
        "and its prediction: green if both are the same, red if not. Of a row of scores the class "
        "of the largest is the prediction. Classes are shown by the names that the task publishes "
        "as label_word_mappings, if there are as many as scores; globals = { word_mappings = ... } "
        "names another table. Small images are enlarged, each pixel to a square. Pixels are from 0 "
        "to 1; an image with others is stretched from its smallest to its largest.";

    static constexpr std::array ports{
        ptp::input("images", PTP_FLOAT, "B, channels, height, width", "Images of 1 or 3 channels"),
        ptp::input("indices", PTP_INTEGER, "B", "Numbers of the samples").optional(),
        ptp::input("labels", PTP_ANY, "", "What is right").optional(),
        ptp::input("predictions", PTP_ANY, "", "What was predicted").optional()};

    static constexpr std::array globals{ptp::support::kNamedClasses, ptp::support::kClassesOfTask};

    struct Config {
        int64_t interval = 100;
        int64_t images_on_sheet = 16;
        std::optional<int64_t> sample_number;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("interval", &Config::interval,
                             {.help = "Episodes from one sheet to the next", .range = "[1, inf)"}),
                ptp::setting(
                    "images_on_sheet", &Config::images_on_sheet,
                    {.help = "How many images are on a sheet, at most", .range = "[1, 400]"}),
                ptp::setting("sample_number", &Config::sample_number,
                             {.help = "Which sample of the batch to show alone, from 0; -1 is a "
                                      "random one; the first ones if not given",
                              .range = "[-1, inf)"})};
        }
    };

    ImageViewer(const Config& config, ptp::Setup& setup)
        : config_(config), setup_(setup), names_(setup) {
        if (const auto channels = setup.optional_size("channels")) {
            check_channels(*channels);
        }
        for (const char* port : {"labels", "predictions"}) {
            for (const ptp::Binding& input : setup.inputs(port)) {
                if (input.element == PTP_TENSOR_LIST) {
                    throw ptp::ConfigError("'", port, "': the stream '", input.stream,
                                           "' has lists of tensors, which would not be readable "
                                           "below an image");
                }
            }
        }
    }

    void forward(const at::Tensor& images, const at::Tensor* indices, const ptp::Value* labels,
                 const ptp::Value* predictions, const ptp::Step& step) {
        const auto interval = static_cast<uint64_t>(config_.interval);
        const bool is_due =
            step.is_training() ? step.episode() % interval == 0 : step.batch_index() == 0;
        if (is_due && images.size(0) > 0) {
            check_channels(images.size(1));
            const Selection shown = selected(images.size(0));
            if (shown.count > 0) {
                write(sheet(images, shown, {indices, labels, predictions}), step);
            } else {
                setup_.log_info(std::string(step.section()) + ", episode " +
                                std::to_string(step.episode()) + ", sample " +
                                std::to_string(shown.first) + " of " +
                                std::to_string(images.size(0)) + ": not in this batch");
            }
        }
    }

private:
    using Canvas = ptp::support::Canvas;
    using Color = ptp::support::Color;
    using Spot = ptp::support::Spot;

    struct Said {
        const at::Tensor* indices;
        const ptp::Value* labels;
        const ptp::Value* predictions;
    };

    // The samples of a batch on a sheet.
    struct Selection {
        int64_t first;
        int64_t count;  // 0: the batch does not have `first`
    };

    Selection selected(int64_t samples) const {
        if (!config_.sample_number) {
            return {0, std::min(samples, config_.images_on_sheet)};
        }
        const int64_t sample =
            *config_.sample_number >= 0
                ? *config_.sample_number
                : static_cast<int64_t>(setup_.random() % static_cast<uint64_t>(samples));
        return {sample, sample < samples ? 1 : 0};
    }

    static constexpr int64_t kMinSide = 96;  // of an image on the sheet, which is enlarged to it
    static constexpr int64_t kMargin = 4;
    static constexpr int64_t kLine = ptp::support::kGlyphHeight + 3;
    static constexpr Color kBlack{0, 0, 0};
    static constexpr Color kGreen{0, 128, 0};
    static constexpr Color kRed{192, 0, 0};

    static void check_channels(int64_t channels) {
        if (channels != 1 && channels != 3) {
            throw ptp::ConfigError("'images' must have 1 or 3 channels, these have ", channels);
        }
    }

    Canvas sheet(const at::Tensor& images, Selection shown, const Said& said) const {
        const int64_t count = shown.count;
        const auto columns = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
        const int64_t rows = (count + columns - 1) / columns;
        const int64_t scale =
            std::max<int64_t>(1, kMinSide / std::max(images.size(2), images.size(3)));
        const int64_t width = std::max(images.size(3) * scale, kMinSide);
        const int64_t lines = (said.indices == nullptr ? 0 : 1) + (said.labels == nullptr ? 0 : 1) +
                              (said.predictions == nullptr ? 0 : 1);
        const int64_t height = images.size(2) * scale + lines * kLine;
        Canvas canvas(rows * (height + kMargin) + kMargin, columns * (width + kMargin) + kMargin);
        for (int64_t i = 0; i < count; ++i) {
            Spot at{kMargin + i / columns * (height + kMargin),
                    kMargin + i % columns * (width + kMargin)};
            canvas.put_image(ptp::support::colored_bytes(images[shown.first + i]), at, scale);
            at.top += images.size(2) * scale + 2;
            put_texts(canvas, said, shown.first + i, at, width);
        }
        return canvas;
    }

    void put_texts(Canvas& canvas, const Said& said, int64_t sample, Spot at, int64_t width) const {
        const auto put = [&](const std::string& text, Color color) {
            canvas.put_text(text, at, width, color);
            at.top += kLine;
        };
        if (said.indices != nullptr) {
            put("#" + std::to_string((*said.indices)[sample].item<int64_t>()), kBlack);
        }
        if (said.labels != nullptr) {
            put(text_of(*said.labels, sample), kBlack);
        }
        if (said.predictions != nullptr) {
            const std::string text = text_of(*said.predictions, sample);
            const bool is_right = said.labels != nullptr && text == text_of(*said.labels, sample);
            put(text, !is_comparable(said) ? kBlack : is_right ? kGreen : kRed);
        }
    }

    // Returns whether labels and predictions are comparable: a number cannot equal a text.
    bool is_comparable(const Said& said) const {
        return said.labels != nullptr &&
               (names_.has_names(scores_of(*said.predictions)) ||
                said.labels->is_tensor() == said.predictions->is_tensor());
    }

    // Returns the number of classes with a score; nullopt unless there is a row of scores for each
    // sample.
    static std::optional<int64_t> scores_of(const ptp::Value& value) {
        const bool has_scores =
            value.is_tensor() && value.tensor().dim() == 2 && value.tensor().is_floating_point();
        return has_scores ? std::optional(value.tensor().size(1)) : std::nullopt;
    }

    // Returns the text of a value; scores are shown as the class of the largest.
    std::string text_of(const ptp::Value& value, int64_t sample) const {
        const auto place = static_cast<std::size_t>(sample);
        if (value.element() == PTP_STRING) {
            return std::string(value.strings()[place]);
        }
        if (value.element() == PTP_TOKENS) {
            std::string text;
            for (std::size_t i = 0; i < value.token_lists()[place].size(); ++i) {
                text += (i == 0 ? "" : " ") + std::string(value.token_lists()[place][i]);
            }
            return text;
        }
        const at::Tensor own = value.tensor()[sample].detach().to(at::kCPU);
        if (own.dim() == 1 && own.is_floating_point() && own.numel() > 0) {
            return names_.of(own.argmax().item<int64_t>(), own.numel());
        }
        if (own.dim() == 0 && !own.is_floating_point()) {
            return names_.of(own.item<int64_t>(), std::nullopt);
        }
        std::ostringstream text;
        const at::Tensor numbers = own.to(at::kDouble).flatten();
        for (int64_t i = 0; i < numbers.numel(); ++i) {
            text << (i == 0 ? "" : " ") << numbers[i].item<double>();
        }
        return text.str();
    }

    void write(const Canvas& canvas, const ptp::Step& step) const {
        ptp::support::write_png(
            setup_.run_folder(),
            std::filesystem::path("images") / setup_.name() /
                ptp::support::result_name(step.section(), step.episode(), "png"),
            {.height = canvas.height(),
             .width = canvas.width(),
             .channels = 3,
             .bytes = canvas.bytes()});
        setup_.show({.height = static_cast<uint32_t>(canvas.height()),
                     .width = static_cast<uint32_t>(canvas.width()),
                     .channels = 3,
                     .pixels = canvas.bytes()});
    }

    Config config_;
    ptp::Setup& setup_;
    ptp::support::ClassNames names_;
};

template const ptp_component_info& ptp::component<ImageViewer>();
