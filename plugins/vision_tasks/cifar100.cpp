// CIFAR100: small photographs in a hundred classes of twenty groups, Krizhevsky 2009.

#include "cifar100_names.hpp"
#include "cifar_images.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

class CIFAR100 : public CifarImages {
public:
    static constexpr const char* name = "CIFAR100";
    static constexpr const char* summary =
        "Photographs of a hundred kinds of things in twenty groups, 32 x 32 pixels";
    static constexpr const char* description =
        "60000 colored images, 50000 to train and 10000 to test. Each has a fine class, one of 100 "
        "with 600 images each, and a coarse one, a group of five fine classes (Krizhevsky, "
        "Learning Multiple Layers of Features from Tiny Images, 2009). Both are numbered in "
        "alphabetical order. Nothing is downloaded: put the files train.bin and test.bin of the "
        "binary version into data_folder. They are read into memory whole.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 3, image_height, image_width",
                    "Images: red, green, blue")
            .meaning(kNormalizedMeaning),
        ptp::output("coarse_targets", PTP_INTEGER, "B", "Groups, 0 to 19"),
        ptp::output("fine_targets", PTP_INTEGER, "B", "Classes, 0 to 99"),
        ptp::output("coarse_labels", PTP_STRING, "B", "Names of the groups"),
        ptp::output("fine_labels", PTP_STRING, "B", "Names of the classes")};
    static constexpr std::array globals{
        ptp::publishes("num_coarse_classes", "Number of groups").value("20"),
        ptp::publishes("num_fine_classes", "Number of classes").value("100"),
        ptp::publishes("image_height", "Height of an image, in pixels")
            .value("$resize_image[0]|32"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]|32"),
        ptp::publishes("image_depth", "Channels of an image").value("3"),
        ptp::publishes("coarse_label_word_mappings", "Table from a group's name to its number"),
        ptp::publishes("fine_label_word_mappings", "Table from a class's name to its number")};

    // Each image has two labels and 3072 bytes.
    static constexpr const char* sample_count =
        "(if($use_train_data, file_size($data_folder, 'train.bin')|file_size($data_folder, "
        "'cifar-100-binary/train.bin'), file_size($data_folder, "
        "'test.bin')|file_size($data_folder, 'cifar-100-binary/test.bin'))) / 3074";

    static constexpr const char* kObtain =
        "unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz and set data_folder to "
        "where it is";

    struct Config : CifarConfig {
        static constexpr auto settings() { return CifarConfig::settings(kObtain); }
        Config() { data_folder = "~/data/cifar-100"; }
    };

    CIFAR100(const Config& config, ptp::Setup& setup)
        : CifarImages(config, request(config), setup) {
        setup.publish("num_coarse_classes", kCifar100Groups.size());
        setup.publish("num_fine_classes", kCifar100Classes.size());
        setup.publish("coarse_label_word_mappings", ptp::support::class_table(kCifar100Groups));
        setup.publish("fine_label_word_mappings", ptp::support::class_table(kCifar100Classes));
    }

    // Returns the fine classes.
    std::vector<int64_t> sample_classes() const { return classes(1); }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, std::vector<std::string_view>,
               std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        return {images(fetch), targets(fetch, 0), targets(fetch, 1),
                labels(fetch, 0, kCifar100Groups), labels(fetch, 1, kCifar100Classes)};
    }

private:
    static CifarRequest request(const Config& config) {
        return {config.data_folder,
                "cifar-100-binary",
                {config.use_train_data ? "train.bin" : "test.bin"},
                {20, 100},
                kObtain};
    }
};

template const ptp_component_info& ptp::component<CIFAR100>();
