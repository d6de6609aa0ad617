// ImageFolder: a folder of images for each class.

#include "class_sets.hpp"

#include <color_settings.hpp>
#include <picture_files.hpp>

#include <binary_classes.hpp>
#include <class_folders_config.hpp>
#include <class_table.hpp>
#include <folders.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <optional>

class ImageFolder {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "ImageFolder";
    static constexpr const char* sample_count = "if($classes, *, *)";  // known once they are read
    static constexpr const char* summary = "Images of any data set with one folder for each class";
    static constexpr const char* description =
        "data_folder has a folder for each class, and each of these the images of its class, in "
        "folders of their own or not: files whose names end with .jpg, .jpeg, .png, .tif, .tiff "
        "or .webp, in any case. Other files, a README or LICENSE, and those whose names begin with a dot, are left alone. Classes are "
        "numbered in the order of their names, or as listed in `classes`; samples come in the "
        "order of classes and paths, compared byte by byte.\n"
        "With multi_label an image may have several classes: a copy of it, or a link to it, is in the folder "
        "of each, under the same name. Files of one name with the same bytes are one sample then, "
        "and `targets` has a 1 for each of its classes and else 0, as BCEWithLogitsLoss takes it.\n"
        "`files` reads images without classes instead: files, and folders whose images come in the "
        "order of their paths. There are no targets and labels then, and num_classes is the "
        "training's.\n"
        "Images are decoded when they are asked for, by libjpeg-turbo, libpng, libtiff and "
        "libwebp, in the loader's threads. Orientations written by cameras are applied, transparent pixels blended with "
        "white, inks (CMYK) turned into colors; pixels are value / 255, of 16 bits value / 65535; "
        "grey is 0.299 R + 0.587 G + 0.114 B. An image may have 100 million pixels, a file 1 GiB. Before a training "
        "begins all files are looked at, and those that cannot be used are named.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, image_depth, image_height, image_width", "Images")
            .meaning(kNormalizedMeaning),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, from 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!files & !multi_label & !binary"),
        ptp::output("targets", PTP_FLOAT, "B, num_classes", "1 for each class of an image, else 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!files & multi_label"),
        ptp::output("targets", PTP_FLOAT, "B, 1", ptp::support::kBinaryTargetText)
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!files & binary"),
        ptp::output("labels", PTP_STRING, "B",
                    "Names of the classes; of several, with ';' between them")
            .when("!files"),
        ptp::output(
            "files", PTP_STRING, "B",
            "Paths of the files within data_folder, or within the folder that all of `files` share")
            .purpose(PTP_PURPOSE_FILES)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("if(length($classes) > 0, length($classes))")
            .when("!files"),
        ptp::publishes("image_height", "Height of an image, in pixels").value("$resize_image[0]"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]"),
        ptp::publishes("image_depth", "Channels of an image").value("$image_depth"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)
            .when("!files")};
    static constexpr bool is_concurrent = true;
    static constexpr std::array requirements{
        ptp::requirement("!$binary or !$multi_label",
                         "is for samples with one of two classes, and with multi_label a sample "
                         "has any number: remove one of them"),
        kNumbersOfChannels};

    static constexpr const char* kObtain =
        "make it, with a folder of JPEG, PNG, TIFF or WebP files for each class";

    struct Config : ptp::support::ClassFoldersConfig {
        std::vector<int64_t> resize_image;
        bool cut = false;
        bool scaled_decoding = false;
        int64_t image_depth = 3;
        bool multi_label = false;
        bool binary = false;
        std::optional<ColorNormalization> normalize;
        FileCheck check = FileCheck::kHeads;
        bool leave_out_bad_files = false;

        static constexpr auto settings();
    };

    ImageFolder(const Config& config, ptp::Setup& setup)
        : shown_{config.resize_image.at(0), config.resize_image.at(1)},
          classes_(config.files ? std::vector<std::string>()
                                : ptp::support::find_classes(
                                      {config.data_folder, config.classes, config.incomplete})),
          files_({}, config.image_depth, ImageValues({})) {
        check_depth(config.image_depth);
        ImageValues::Options options =
            value_options(config.image_depth, config.resize_image, config.normalize);
        options.is_cut = config.cut;
        ClassFiles found =
            config.files
                ? files_without_classes(*config.files)
                : ptp::support::find_class_files(
                      {config.data_folder, classes_, config.incomplete, config.classes.empty()},
                      kEndings);
        if (!found.left_out.empty()) {
            setup.log_warning(found.left_out);
        }
        ptp::support::warn_of_alike_classes(config, classes_, setup);
        refuse_or_leave_out(find_bad_files(found.paths, config.check, std::nullopt), config, found,
                            setup);
        if (!config.files) {
            ptp::support::warn_of_absent_classes(config, classes_, found.targets, setup);
        }
        if (config.multi_label && !config.files) {
            class_sets_ = join_copies(found);
        }
        names_ = std::move(found.names);
        targets_ = std::move(found.targets);
        const bool is_all_read = config.check == FileCheck::kAll;
        ImageValues values(std::move(options));
        const auto least = config.scaled_decoding ? std::optional(shown_) : std::nullopt;
        if (!found.paths.empty()) {  // many folders have images of one size
            values.expect(decoded_size(found.paths.front(), least));
        }
        files_ = PictureFiles(std::move(found.paths), config.image_depth, std::move(values),
                              is_all_read
                                  ? ""
                                  : "\nfix: remove it, or leave out such files: check = \"all\", "
                                    "leave_out_bad_files = true");
        if (least) {
            files_.decode_scaled(*least);
        }
        if (!config.files) {
            ptp::support::check_classes(config.binary, classes_);
            // The names come first: where another section has others, they say more.
            setup.publish("label_word_mappings", ptp::support::class_table(classes_));
            setup.publish("num_classes", classes_.size());
        }
        publish_size(setup, shown_, config.image_depth);
    }

    int64_t size() const { return files_.size(); }

    std::vector<int64_t> sample_classes() const {
        if (classes_.empty()) {
            throw ptp::SettingError("files", "images without classes have no classes to draw by");
        }
        if (!class_sets_.empty()) {
            throw ptp::SettingError("multi_label",
                                    "images with several classes have no single one to draw by");
        }
        return targets_;
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, std::vector<std::string>,
               std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        const auto count = static_cast<int64_t>(fetch.size());
        at::Tensor targets = at::empty({count}, at::kLong);
        at::Tensor sets;
        if (!class_sets_.empty()) {
            sets = at::zeros({count, static_cast<int64_t>(classes_.size())}, at::kFloat);
        }
        std::vector<std::string> labels(fetch.size());
        std::vector<std::string_view> files;
        for (size_t i = 0; i < fetch.size(); ++i) {
            const auto index = static_cast<size_t>(fetch.indices()[i]);
            const int64_t target = targets_[index];
            targets.data_ptr<int64_t>()[i] = target;
            if (sets.defined()) {
                for (const int64_t one : class_sets_[index]) {
                    sets.data_ptr<float>()[i * classes_.size() + static_cast<size_t>(one)] = 1;
                    labels[i] +=
                        (labels[i].empty() ? "" : ";") + classes_[static_cast<size_t>(one)];
                }
            } else if (target != kNoClass) {
                labels[i] = classes_[static_cast<size_t>(target)];
            }
            files.emplace_back(names_[index]);
        }
        return {files_.images(fetch.indices(), shown_), targets, sets,
                targets.to(at::kFloat).view({-1, 1}),   labels,  files};
    }

private:
    using ClassFiles = ptp::support::ClassFiles;
    static constexpr std::array<std::string_view, 6> kEndings{".jpg", ".jpeg", ".png",
                                                              ".tif", ".tiff", ".webp"};
    static constexpr int64_t kNoClass = -1;  // for files without classes: unused

    static ClassFiles files_without_classes(const std::vector<std::filesystem::path>& files) {
        ptp::support::FoundFiles images = ptp::support::find_files(files, kEndings);
        const size_t count = images.paths.size();
        return {std::move(images.paths), std::move(images.names),
                std::vector<int64_t>(count, kNoClass), std::move(images.left_out)};
    }

    static void refuse_or_leave_out(const std::vector<BadFile>& bad, const Config& config,
                                    ClassFiles& found, const ptp::Setup& setup) {
        if (bad.empty()) {
            return;
        }
        if (!config.leave_out_bad_files) {
            throw ptp::DataError(
                list_problems(bad),
                "\nfix: remove them, or leave them out: leave_out_bad_files = true");
        }
        for (const BadFile& file : bad) {
            setup.log_warning(file.problem + "; it is left out");
        }
        leave_out(bad, found);
        if (found.paths.empty()) {
            throw ptp::DataError(config.files ? std::filesystem::path("files") : config.data_folder,
                                 ": has no file that can be used");
        }
    }

    static void leave_out(const std::vector<BadFile>& bad, ClassFiles& files) {
        ClassFiles kept;
        auto next = bad.begin();
        for (size_t i = 0; i < files.paths.size(); ++i) {
            if (next != bad.end() && next->index == i) {
                ++next;
                continue;
            }
            kept.paths.push_back(std::move(files.paths[i]));
            kept.names.push_back(std::move(files.names[i]));
            kept.targets.push_back(files.targets[i]);
        }
        files = std::move(kept);
    }

    ImageSize shown_;
    std::vector<std::string> classes_;
    std::vector<std::string> names_;  // of the files, relative to data_folder
    std::vector<int64_t> targets_;
    std::vector<std::vector<int64_t>> class_sets_;  // of each file; empty without multi_label
    PictureFiles files_;
};

constexpr auto ImageFolder::Config::settings() {
    return std::tuple_cat(
        ClassFoldersConfig::settings(
            {.obtain = kObtain,
             .files = "Images without classes, in place of data_folder: files, and folders with "
                      "images in them",
             .obtain_files = "name an image file, or a folder with such files"}),
        std::tuple{
            ptp::setting("resize_image", &Config::resize_image, kRequiredResizeText),
            ptp::setting("cut", &Config::cut, kCutText),
            ptp::setting("scaled_decoding", &Config::scaled_decoding,
                         {.help = "Decode JPEG files at the smallest number of eighths of their "
                                  "size that is not smaller than resize_image: in less time, "
                                  "with slightly other pixels",
                          .is_preparation = true}),
            ptp::setting("image_depth", &Config::image_depth, kDepthText),
            ptp::setting("multi_label", &Config::multi_label,
                         {.help = "Whether an image may be in the folders of several classes"}),
            ptp::setting("binary", &Config::binary, ptp::support::kBinaryText),
            ptp::setting("normalize", &Config::normalize, kNormalizeText),
            ptp::setting("check", &Config::check,
                         {.help = "What is read of each file before the training begins; all "
                                  "finds damage, and takes as long as an epoch's loading",
                          .choices = "heads|all"}),
            ptp::setting("leave_out_bad_files", &Config::leave_out_bad_files,
                         {.help = "Continue without the files that are found bad, and log them, "
                                  "instead of refusing to begin"})});
}

template const ptp_component_info& ptp::component<ImageFolder>();
