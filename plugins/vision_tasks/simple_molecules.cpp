// SimpleMolecules: drawings of molecules in ten classes, IBM's ChemDATA A.

#include <color_settings.hpp>
#include <picture_files.hpp>
#include "label_table.hpp"
#include "split.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

class SimpleMolecules {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "SimpleMolecules";
    static constexpr const char* sample_count = "if($split, *, *)";  // known once they are read
    static constexpr const char* summary = "Drawings of molecules in ten classes, 875 x 875 pixels";
    static constexpr const char* description =
        "The data set ChemDATA A of PyTorchPipe's task of the same name: PNG files, and for each "
        "split a table with a line for each image, `label<tab>name of the image` without `.png`. "
        "Splits and their files: training, validation and test: "
        "`ChemDATA_A_Dist_Labels_Set0.tsv`, `..._Set1.tsv` and `..._Set2.tsv` with the images of "
        "`ChemDATA_A_Dist/`; test_mirror_blur, test_on_grid and test_handwritten: "
        "`ChemDATA_A_Test1_Labels.tsv`, `...Test2...` and `...Test3...` with those of "
        "`ChemDATA_A_Test1/` and so on. The classes are called Zero to Nine.\n"
        "Images are decoded when they are asked for, in the loader's threads. That all are there, "
        "and have the right size, is found out before a training begins.";

    static constexpr std::array ports{
        ptp::output("images", PTP_FLOAT, "B, image_depth, image_height, image_width", "Drawings")
            .meaning(kNormalizedMeaning),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, 0 to 9").purpose(PTP_PURPOSE_TARGETS),
        ptp::output("labels", PTP_STRING, "B", "Names of the classes")};
    static constexpr std::array requirements{kNumbersOfChannels};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("10"),
        ptp::publishes("image_height", "Height of an image, in pixels")
            .value("$resize_image[0]|875"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]|875"),
        ptp::publishes("image_depth", "Channels of an image").value("$image_depth"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "the files of ChemDATA A are not published; ask the authors of PyTorchPipe, "
        "https://github.com/IBM/pytorchpipe, and set data_folder to where they are";
    static constexpr const char* kSplits =
        "training|validation|test|test_mirror_blur|test_on_grid|test_handwritten";

    struct Config {
        std::filesystem::path data_folder = "~/data/simple-molecules";
        std::optional<std::string> split;
        std::optional<std::vector<int64_t>> resize_image;
        int64_t image_depth = 1;
        std::optional<ColorNormalization> normalize;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("data_folder", &Config::data_folder,
                             {.help = "Folder with the tables and the folders of images",
                              .obtain = kObtain,
                              .purpose = PTP_PURPOSE_DATA_FOLDER}),
                ptp::setting(
                    "split", &Config::split,
                    {.help = "Which images; if not given, the split with the section's name",
                     .choices = kSplits,
                     .purpose = PTP_PURPOSE_SPLIT}),
                ptp::setting("resize_image", &Config::resize_image, kResizeText),
                ptp::setting("image_depth", &Config::image_depth, kDepthText),
                ptp::setting("normalize", &Config::normalize, kNormalizeText)};
        }
    };

    SimpleMolecules(const Config& config, ptp::Setup& setup)
        : shown_(config.resize_image
                     ? ImageSize{config.resize_image->at(0), config.resize_image->at(1)}
                     : kDrawn),
          files_(find_files(config, setup)) {
        setup.publish("num_classes", kNames.size());
        setup.publish("label_word_mappings", ptp::support::class_table(kNames));
        publish_size(setup, shown_, config.image_depth);
    }

    int64_t size() const { return files_.size(); }
    std::vector<int64_t> sample_classes() const { return targets_; }

    std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const {
        at::Tensor targets = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
        std::vector<std::string_view> labels;
        for (size_t i = 0; i < fetch.size(); ++i) {
            const int64_t target = targets_[static_cast<size_t>(fetch.indices()[i])];
            targets.data_ptr<int64_t>()[i] = target;
            labels.push_back(kNames[static_cast<size_t>(target)]);
        }
        return {files_.images(fetch.indices(), shown_), targets, labels};
    }

private:
    static constexpr ImageSize kDrawn{875, 875};
    static constexpr std::array<std::string_view, 10> kNames{
        "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"};

    struct Source {
        const char* table;
        const char* folder;
    };
    static constexpr std::array<Source, 6> kSources{{
        {"ChemDATA_A_Dist_Labels_Set0.tsv", "ChemDATA_A_Dist"},
        {"ChemDATA_A_Dist_Labels_Set1.tsv", "ChemDATA_A_Dist"},
        {"ChemDATA_A_Dist_Labels_Set2.tsv", "ChemDATA_A_Dist"},
        {"ChemDATA_A_Test1_Labels.tsv", "ChemDATA_A_Test1"},
        {"ChemDATA_A_Test2_Labels.tsv", "ChemDATA_A_Test2"},
        {"ChemDATA_A_Test3_Labels.tsv", "ChemDATA_A_Test3"},
    }};

    // Also fills targets_.
    PictureFiles find_files(const Config& config, const ptp::Setup& setup) {
        check_depth(config.image_depth);
        const Source& source =
            kSources[static_cast<size_t>(split_index(config.split, kSplits, setup.section()))];
        const std::filesystem::path table = config.data_folder / source.table;
        if (!std::filesystem::exists(table)) {
            throw ptp::DataError(table, ": no such file; ", kObtain);
        }
        std::vector<std::filesystem::path> files;
        for (const LabelledName& row :
             read_label_table(table, static_cast<int64_t>(kNames.size()))) {
            files.push_back(config.data_folder / source.folder / (row.name + ".png"));
            targets_.push_back(row.label);
        }
        const auto size = config.resize_image ? std::nullopt : std::optional(kDrawn);
        const std::vector<BadFile> bad = find_bad_files(files, FileCheck::kHeads, size);
        if (!bad.empty()) {
            throw ptp::DataError(list_problems(bad), "\nthe images of ", table,
                                 " must be there as PNG files",
                                 size ? ", or resize_image must set their size" : "");
        }
        ImageValues values(
            value_options(config.image_depth, config.resize_image, config.normalize));
        values.expect(kDrawn);
        return {std::move(files), config.image_depth, std::move(values)};
    }

    ImageSize shown_;
    std::vector<int64_t> targets_;
    PictureFiles files_;
};

template const ptp_component_info& ptp::component<SimpleMolecules>();
