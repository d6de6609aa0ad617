// Reads the images and labels of a split, and returns those of a batch.

#include "labelled_images.hpp"

#include <color_settings.hpp>

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

// Loads the next image into the cache while one is written: samples are drawn from anywhere in the
// file.
void prefetch(const uint8_t* image) {
    constexpr int64_t kCacheLine = 64;
    for (int64_t i = 0; i < kStoredSize.height * kStoredSize.width; i += kCacheLine) {
        __builtin_prefetch(image + i);
    }
}

}  // namespace

LabelledImages::LabelledImages(const ImagesConfig& config, const ClassNames& names,
                               const std::string& remedy, const ptp::Setup& setup)
    : names_(names), values_(options_of(config)) {
    images_ = shared_idx_file(images_of(config, remedy));
    const std::vector<int64_t>& sizes = images_->sizes;
    if (sizes[1] != kStoredSize.height || sizes[2] != kStoredSize.width) {
        throw ptp::DataError(images_->path, ": has images of ", sizes[1], " x ", sizes[2],
                             ", expected 28 x 28; ", remedy);
    }
    if (!config.images) {
        read_labels(config, remedy);
    }
    count_ = sizes[0];
    values_.expect(kStoredSize);
    publish_size(setup, values_.shown(kStoredSize), 1);
    setup.publish("num_classes", kClasses);
    setup.publish("label_word_mappings", ptp::support::class_table(names_));
}

void LabelledImages::read_labels(const ImagesConfig& config, const std::string& remedy) {
    labels_ =
        shared_idx_file({config.data_folder, part_of(config) + "-labels-idx1-ubyte", 1, remedy});
    if (images_->sizes[0] != labels_->sizes[0]) {
        throw ptp::DataError(images_->path, ": has ", images_->sizes[0], " images, but ",
                             labels_->path, " has ", labels_->sizes[0], " labels; ", remedy);
    }
    const std::span<const uint8_t> labels = labels_->bytes;
    const auto wrong =
        std::ranges::find_if(labels, [](uint8_t label) { return label >= kClasses; });
    if (wrong != labels.end()) {
        throw ptp::DataError(labels_->path, ": label ", wrong - labels.begin(), " is ", int{*wrong},
                             ", expected 0 to 9; ", remedy);
    }
}

std::vector<int64_t> LabelledImages::sample_classes() const {
    if (labels_ == nullptr) {
        throw ptp::SettingError("images", "images without classes have no classes to draw by");
    }
    return {labels_->bytes.begin(), labels_->bytes.end()};
}

// Returns 0 if there are no labels: it is then unused.
uint8_t LabelledImages::label(int64_t index) const {
    return labels_ == nullptr ? uint8_t{0} : labels_->bytes[static_cast<size_t>(index)];
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
    const auto stored = [&](int64_t index) {
        return images_->bytes.data() + index * kStoredSize.height * kStoredSize.width;
    };
    for (size_t i = 0; i < indices.size(); ++i) {
        if (i + 1 < indices.size()) {
            prefetch(stored(indices[i + 1]));
        }
        values_.write(ByteImage::planar(stored(indices[i]), kStoredSize), image);
        image += shown.height * shown.width;
        const uint8_t label = this->label(indices[i]);
        target[i] = label;
        labels[i] = names_[label];
    }
    return {std::move(images), std::move(targets), std::move(labels)};
}
