// CIFAR10: small photographs in ten classes, Krizhevsky 2009.

#include "cifar_images.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

class CIFAR10 : public CifarImages {
public:
    static constexpr const char* name = "CIFAR10";
    static constexpr const char* summary = "Photographs of ten kinds of things, 32 x 32 pixels";
    static constexpr const char* description =
        "60000 colored images, 50000 to train and 10000 to test, 6000 of each class (Krizhevsky, "
        "Learning Multiple Layers of Features from Tiny Images, 2009). Nothing is downloaded: put "
        "the files data_batch_1.bin to data_batch_5.bin and test_batch.bin of the binary version "
        "into data_folder. They are read into memory whole.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_FLOAT, "B, 3, image_height, image_width",
                    "Images: red, green, blue")
            .meaning(kNormalizedMeaning),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, 0 to 9").purpose(PTP_PURPOSE_TARGETS),
        ptp::output("labels", PTP_STRING, "B", "Names of the classes")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("10"),
        ptp::publishes("image_height", "Height of an image, in pixels")
            .value("$resize_image[0]|32"),
        ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]|32"),
        ptp::publishes("image_depth", "Channels of an image").value("3"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)};

    // Each image has a label and 3072 bytes.
    static constexpr const char* sample_count =
        "(if($use_train_data, file_size($data_folder, 'data_batch_1.bin')|file_size($data_folder, "
        "'cifar-10-batches-bin/data_batch_1.bin') + file_size($data_folder, "
        "'data_batch_2.bin')|file_size($data_folder, 'cifar-10-batches-bin/data_batch_2.bin') + "
        "file_size($data_folder, 'data_batch_3.bin')|file_size($data_folder, "
        "'cifar-10-batches-bin/data_batch_3.bin') + file_size($data_folder, "
        "'data_batch_4.bin')|file_size($data_folder, 'cifar-10-batches-bin/data_batch_4.bin') + "
        "file_size($data_folder, 'data_batch_5.bin')|file_size($data_folder, "
        "'cifar-10-batches-bin/data_batch_5.bin'), file_size($data_folder, "
        "'test_batch.bin')|file_size($data_folder, 'cifar-10-batches-bin/test_batch.bin'))) / 3073";

    static constexpr const char* kObtain =
        "unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz and set data_folder to "
        "where it is";

    struct Config : CifarConfig {
        static constexpr auto settings() { return CifarConfig::settings(kObtain); }
        Config() { data_folder = "~/data/cifar-10"; }
    };

    CIFAR10(const Config& config, ptp::Setup& setup) : CifarImages(config, request(config), setup) {
        setup.publish("num_classes", kNames.size());
        setup.publish("label_word_mappings", ptp::support::class_table(kNames));
    }

    std::vector<int64_t> sample_classes() const { return classes(0); }

    std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const {
        return {images(fetch), targets(fetch, 0), labels(fetch, 0, kNames)};
    }

private:
    static constexpr std::array<std::string_view, 10> kNames{
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

    static CifarRequest request(const Config& config) {
        CifarRequest request{config.data_folder, "cifar-10-batches-bin", {}, {10}, kObtain};
        if (config.use_train_data) {
            for (const char* number : {"1", "2", "3", "4", "5"}) {
                request.files.push_back(std::string("data_batch_") + number + ".bin");
            }
        } else {
            request.files.emplace_back("test_batch.bin");
        }
        return request;
    }
};

template const ptp_component_info& ptp::component<CIFAR10>();
