#include "labelled_images.hpp"

#include "color_settings.hpp"
#include "idx_file.hpp"

#include <class_table.hpp>
#include <ptp/error.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>

namespace {

constexpr ImageSize kStoredSize{28, 28};

ImageValues::Options options_of(const ImagesConfig& config) {
    ImageValues::Options options = value_options(1, config.resize_image, std::nullopt);
    if (config.normalize) {
        options.mean = {config.normalize->mean};
        options.std = {config.normalize->std};
    }
    return options;
}

std::string part_of(const ImagesConfig& config) {
    return config.use_train_data ? "train" : "t10k";
}

IdxRequest images_of(const ImagesConfig& config, const std::string& remedy) {
    if (config.images) {
        return {config.images->parent_path(), config.images->filename().string(), 3,
                "name a file of images in the format of MNIST"};
    }
    return {config.data_folder, part_of(config) + "-images-idx3-ubyte", 3, remedy};
}

}  // namespace

LabelledImages::LabelledImages(const ImagesConfig& config, const ClassNames& names,
                               const std::string& remedy, const ptp::Setup& setup)
    : names_(names), values_(options_of(config)) {
    IdxFile images = read_idx_file(images_of(config, remedy));
    if (images.sizes[1] != kStoredSize.height || images.sizes[2] != kStoredSize.width) {
        throw ptp::DataError(images.path, ": has images of ", images.sizes[1], " x ",
                             images.sizes[2], ", expected 28 x 28; ", remedy);
    }
    if (!config.images) {
        read_labels(config, images, remedy);
    }
    count_ = images.sizes[0];
    pixels_ = std::move(images.bytes);
    values_.expect(kStoredSize);
    publish_size(setup, values_.shown(kStoredSize), 1);
    setup.publish("num_classes", kClasses);
    setup.publish("label_word_mappings", ptp::support::class_table(names_));
}

void LabelledImages::read_labels(const ImagesConfig& config, const IdxFile& images,
                                 const std::string& remedy) {
    IdxFile labels =
        read_idx_file({config.data_folder, part_of(config) + "-labels-idx1-ubyte", 1, remedy});
    if (images.sizes[0] != labels.sizes[0]) {
        throw ptp::DataError(images.path, ": has ", images.sizes[0], " images, but ", labels.path,
                             " has ", labels.sizes[0], " labels; ", remedy);
    }
    const auto wrong =
        std::ranges::find_if(labels.bytes, [](uint8_t label) { return label >= kClasses; });
    if (wrong != labels.bytes.end()) {
        throw ptp::DataError(labels.path, ": label ", wrong - labels.bytes.begin(), " is ",
                             int{*wrong}, ", expected 0 to 9; ", remedy);
    }
    labels_ = std::move(labels.bytes);
}

std::vector<int64_t> LabelledImages::sample_classes() const {
    if (labels_.empty()) {
        throw ptp::SettingError("images", "images without classes have no classes to draw by");
    }
    return {labels_.begin(), labels_.end()};
}

std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> LabelledImages::fetch(
    const ptp::Fetch& fetch) const {
    const std::span<const int64_t> indices = fetch.indices();
    const auto count = static_cast<int64_t>(indices.size());
    const ImageSize shown = values_.shown(kStoredSize);
    at::Tensor images = at::empty({count, 1, shown.height, shown.width}, at::kFloat);
    at::Tensor targets = at::empty({count}, at::kLong);
    std::vector<std::string_view> labels(indices.size());
    float* image = images.data_ptr<float>();
    auto* target = targets.data_ptr<int64_t>();
    for (size_t i = 0; i < indices.size(); ++i) {
        const uint8_t* bytes = pixels_.data() + indices[i] * kStoredSize.height * kStoredSize.width;
        values_.write(ByteImage::planar(bytes, kStoredSize), image);
        image += shown.height * shown.width;
        const uint8_t label =
            labels_.empty() ? uint8_t{0} : labels_[static_cast<size_t>(indices[i])];
        target[i] = label;  // which is unused where there are none
        labels[i] = names_[label];
    }
    return {std::move(images), std::move(targets), std::move(labels)};
}
