// SegmentationFolder: images, and masks of the same names with the class of every pixel.

#include "class_masks.hpp"

#include <color_settings.hpp>
#include <picture_files.hpp>

#include <folders.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <iterator>
#include <optional>

class SegmentationFolder {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "SegmentationFolder";
    static constexpr const char* sample_count = "if($colors, *, *)";  // known once they are read
    static constexpr const char* summary =
        "Images with masks beside them, which have the class of every pixel";
    static constexpr const char* description =
        "data_folder has two folders: images/street/001.jpg has its mask in "
        "masks/street/001.png. An image is a file whose name ends with .jpg, .jpeg, .png, .tif, "
        ".tiff or .webp, a mask one with .png, .tif or .tiff, in any case; each image has one "
        "mask of its name and size. Samples come in the order of names, compared byte by byte.\n"
        "The pixels of a mask are classes from 0: the indices of its palette's colors or grey "
        "levels, as they are stored (PNG files of 1 to 16 bits, TIFF files of 8 and 16 bits). For masks "
        "in colors `colors` lists the color of each class. Pixels of ignore_index have no class: "
        "losses and statistics leave them out with globals = { ignore_index = \"ignore_index\" }. "
        "Masks are resized to the nearest pixel, so that no class comes up that was not there.\n"
        "`files` reads images without masks instead: files, and folders whose images come in the "
        "order of their paths.\n"
        "Images and masks are decoded when they are asked for, in the loader's threads; images as "
        "ImageFolder does it. Before a training begins the sizes of all are compared.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, image_depth, image_height, image_width", "Images")
            .meaning(kNormalizedMeaning),
        ptp::output("targets", PTP_INTEGER, "B, image_height, image_width",
                    "The class of each pixel, from 0, or ignore_index")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!files"),
        ptp::output("files", PTP_STRING, "B",
                    "Paths of the images within the folder of images, or within the folder that "
                    "all of `files` share")
            .purpose(PTP_PURPOSE_FILES)};
    static constexpr std::array requirements{kNumbersOfChannels};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("if($num_classes, $num_classes, length($colors))")
            .when("!files"),
        ptp::publishes("ignore_index", "The value of pixels that do not count")
            .value("$ignore_index")
            .when("ignore_index"),
        ptp::publishes("image_height", "Height of an image, in pixels").value("$resize_image[0]"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]"),
        ptp::publishes("image_depth", "Channels of an image").value("$image_depth")};
    static constexpr bool is_concurrent = true;

    struct Config {
        std::filesystem::path data_folder;
        std::string images = "images";
        std::string masks = "masks";
        std::optional<std::vector<std::filesystem::path>> files;
        std::optional<int64_t> num_classes;
        std::vector<std::vector<int64_t>> colors;
        std::optional<int64_t> ignore_index;
        std::vector<int64_t> resize_image;
        int64_t image_depth = 3;
        std::optional<ColorNormalization> normalize;
        FileCheck check = FileCheck::kHeads;

        static constexpr auto settings();
    };

    SegmentationFolder(const Config& config, ptp::Setup& setup)
        : shown_{config.resize_image.at(0), config.resize_image.at(1)},
          masks_({class_count(config), config.ignore_index, config.colors}),
          images_({}, config.image_depth, ImageValues({})) {
        check_depth(config.image_depth);
        if (config.files) {
            find_images(*config.files, setup);
        } else {
            find_pairs(config, setup);
        }
        std::vector<std::filesystem::path> paths;
        std::ranges::transform(samples_, std::back_inserter(paths), &MaskedImage::image);
        refuse(find_bad_files(paths, config.check, std::nullopt), kImageRemedy);
        if (!config.files) {
            refuse(find_problems(samples_.size(), [&](size_t i) { check_sizes(samples_[i]); }),
                   "give both the same size, or take them out of the folders");
            if (config.check == FileCheck::kAll) {
                refuse(find_problems(samples_.size(), [&](size_t i) { masks_.check(samples_[i]); }),
                       kMaskRemedy);
            }
            setup.publish("num_classes", class_count(config));
        }
        if (config.ignore_index) {
            setup.publish("ignore_index", *config.ignore_index);
        }
        images_ = PictureFiles(
            std::move(paths), config.image_depth,
            ImageValues(value_options(config.image_depth, config.resize_image, config.normalize)),
            config.check == FileCheck::kAll
                ? ""
                : "\ncheck = \"all\" finds such files before a training begins");
        has_masks_ = !config.files;
        publish_size(setup, shown_, config.image_depth);
    }

    int64_t size() const { return images_.size(); }

    std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const {
        const auto count = static_cast<int64_t>(fetch.size());
        at::Tensor targets = at::empty({count, shown_.height, shown_.width}, at::kLong);
        auto* to = targets.data_ptr<int64_t>();
        std::vector<std::string_view> files;
        for (const int64_t index : fetch.indices()) {
            const MaskedImage& sample = samples_[static_cast<size_t>(index)];
            if (has_masks_) {
                masks_.write(sample, shown_, to);
            }
            to += shown_.height * shown_.width;
            files.emplace_back(sample.name);
        }
        return {images_.images(fetch.indices(), shown_), targets, files};
    }

private:
    static constexpr std::string_view kImageRemedy = "correct these files, or remove them";

    static int64_t class_count(const Config& config) {
        if (!config.num_classes && config.colors.empty() && !config.files) {
            throw ptp::ConfigError(
                "the number of classes is not known: give num_classes, or the color of each class "
                "in `colors`");
        }
        return config.num_classes.value_or(static_cast<int64_t>(config.colors.size()));
    }

    static void refuse(const std::vector<BadFile>& bad, std::string_view remedy) {
        if (!bad.empty()) {
            throw ptp::DataError(list_problems(bad), "\n", remedy);
        }
    }

    void find_images(const std::vector<std::filesystem::path>& files, const ptp::Setup& setup) {
        ptp::support::FoundFiles found = ptp::support::find_files(files, kImageEndings);
        for (size_t i = 0; i < found.paths.size(); ++i) {
            samples_.push_back({found.paths[i], {}, found.names[i]});
        }
        warn(setup, found.left_out);
    }

    void find_pairs(const Config& config, const ptp::Setup& setup) {
        MaskedImages found = find_masked_images(
            {config.data_folder / config.images, config.data_folder / config.masks});
        samples_ = std::move(found.pairs);
        warn(setup, found.left_out);
    }

    static void warn(const ptp::Setup& setup, const std::string& left_out) {
        if (!left_out.empty()) {
            setup.log_warning(left_out);
        }
    }

    ImageSize shown_;
    ClassMasks masks_;
    bool has_masks_ = true;
    std::vector<MaskedImage> samples_;
    PictureFiles images_;
};

constexpr auto SegmentationFolder::Config::settings() {
    return std::tuple{
        ptp::setting("data_folder", &Config::data_folder,
                     {.help = "Folder with the folders of images and of masks",
                      .is_required = true,
                      .obtain = "make it, with a folder images of JPEG, PNG, TIFF or WebP files, "
                                "and a folder masks of PNG or TIFF files with the same names",
                      .purpose = PTP_PURPOSE_DATA_FOLDER}),
        ptp::setting("images", &Config::images, {.help = "Folder of images in data_folder"}),
        ptp::setting("masks", &Config::masks, {.help = "Folder of masks in data_folder"}),
        ptp::setting("files", &Config::files,
                     {.help = "Images without masks, in place of data_folder: files, and folders "
                              "with images in them",
                      .length = "[1, inf)",
                      .takes_list_or_one = true,
                      .takes_unlabeled = true,
                      .obtain = "name an image file, or a folder with such files"}),
        ptp::setting(
            "num_classes", &Config::num_classes,
            {.help = "Number of classes; if not given, that of `colors`", .range = "[1, 256]"}),
        ptp::setting("colors", &Config::colors,
                     {.help = "The color of each class, [red, green, blue], for masks in colors; "
                              "if empty, masks store classes",
                      .range = "[0, 255]"}),
        ptp::setting("ignore_index", &Config::ignore_index,
                     {.help = "Value of pixels that have no class, such as 255; with `colors`, the "
                              "place of their color there",
                      .range = "[0, 255]"}),
        ptp::setting("resize_image", &Config::resize_image, kRequiredResizeText),
        ptp::setting("image_depth", &Config::image_depth, kDepthText),
        ptp::setting("normalize", &Config::normalize, kNormalizeText),
        ptp::setting("check", &Config::check,
                     {.help = "What is read of each file before the training begins; all finds "
                              "damage and pixels without a class, and takes as long as an epoch's "
                              "loading",
                      .choices = "heads|all"})};
}

template const ptp_component_info& ptp::component<SegmentationFolder>();
