#include "labelled_images.hpp"

#include "idx_file.hpp"

#include <ptp/error.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>

LabelledImages::LabelledImages(const ImagesConfig& config, const ClassNames& names,
                               const std::string& remedy, const ptp::Setup& setup)
    : names_(names) {
    const std::string part = config.use_train_data ? "train" : "t10k";
    IdxFile images = read_idx_file({config.data_folder, part + "-images-idx3-ubyte", 3, remedy});
    IdxFile labels = read_idx_file({config.data_folder, part + "-labels-idx1-ubyte", 1, remedy});
    if (images.sizes[0] != labels.sizes[0]) {
        throw ptp::DataError(images.path, ": has ", images.sizes[0], " images, but ", labels.path,
                             " has ", labels.sizes[0], " labels; ", remedy);
    }
    if (images.sizes[1] != 28 || images.sizes[2] != 28) {
        throw ptp::DataError(images.path, ": has images of ", images.sizes[1], " x ",
                             images.sizes[2], ", expected 28 x 28; ", remedy);
    }
    const auto wrong =
        std::ranges::find_if(labels.bytes, [](uint8_t label) { return label >= kClasses; });
    if (wrong != labels.bytes.end()) {
        throw ptp::DataError(labels.path, ": label ", wrong - labels.bytes.begin(), " is ",
                             int{*wrong}, ", expected 0 to 9; ", remedy);
    }

    stored_ = {images.sizes[1], images.sizes[2]};
    shown_ = stored_;
    pixels_ = std::move(images.bytes);
    labels_ = std::move(labels.bytes);
    if (config.resize_image) {
        shown_ = {config.resize_image->at(0), config.resize_image->at(1)};
    }
    if (shown_ != stored_) {
        resampling_.emplace(stored_, shown_);
    }
    const Normalization change = config.normalize.value_or(Normalization{});
    for (size_t byte = 0; byte < brightness_.size(); ++byte) {
        const double pixel = static_cast<double>(byte) / 255.0;
        brightness_[byte] = static_cast<float>((pixel - change.mean) / change.std);
    }
    publish(setup);
}

void LabelledImages::publish(const ptp::Setup& setup) const {
    ptp::Data::Table mappings;
    for (size_t i = 0; i < kClasses; ++i) {
        mappings.push_back({std::string(names_[i]), i});
    }
    setup.publish("num_classes", kClasses);
    setup.publish("image_height", shown_.height);
    setup.publish("image_width", shown_.width);
    setup.publish("image_depth", 1);
    setup.publish("label_word_mappings", mappings);
}

std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> LabelledImages::fetch(
    const ptp::Fetch& fetch) const {
    const std::span<const int64_t> indices = fetch.indices();
    const auto count = static_cast<int64_t>(indices.size());
    at::Tensor images = at::empty({count, 1, shown_.height, shown_.width}, at::kFloat);
    at::Tensor targets = at::empty({count}, at::kLong);
    std::vector<std::string_view> labels(indices.size());
    float* image = images.data_ptr<float>();
    auto* target = targets.data_ptr<int64_t>();
    for (size_t i = 0; i < indices.size(); ++i) {
        const uint8_t label = labels_[static_cast<size_t>(indices[i])];
        copy_image(indices[i], image);
        image += shown_.height * shown_.width;
        target[i] = label;
        labels[i] = names_[label];
    }
    return {std::move(images), std::move(targets), std::move(labels)};
}

void LabelledImages::copy_image(int64_t index, float* to) const {
    const int64_t pixels = stored_.height * stored_.width;
    const uint8_t* from = pixels_.data() + index * pixels;
    const auto brightness = [&](uint8_t byte) { return brightness_[byte]; };
    if (!resampling_) {
        std::transform(from, from + pixels, to, brightness);
        return;
    }
    std::vector<float> stored(static_cast<size_t>(pixels));
    std::transform(from, from + pixels, stored.begin(), brightness);
    resampling_->apply(stored.data(), to);
}
