// Reads the records of a split, and returns the images and labels of a batch.

#include "cifar_images.hpp"

#include <ATen/ops/empty.h>

#include <string>

namespace {

constexpr ImageSize kStoredCifar{kCifarSide, kCifarSide};

}  // namespace

CifarImages::CifarImages(const CifarConfig& config, const CifarRequest& request,
                         const ptp::Setup& setup)
    : records_(read_cifar(request)),
      values_(value_options(3, config.resize_image, config.normalize)) {
    const int64_t published = config.use_train_data ? 50000 : 10000;
    if (records_.count != published) {
        setup.log_warning("there are " + std::to_string(records_.count) +
                          " images, where the published set has " + std::to_string(published));
    }
    values_.expect(kStoredCifar);
    publish_size(setup, values_.shown(kStoredCifar), 3);
}

at::Tensor CifarImages::images(const ptp::Fetch& fetch) const {
    const ImageSize shown = values_.shown(kStoredCifar);
    const int64_t numbers = 3 * shown.height * shown.width;
    at::Tensor images =
        at::empty({static_cast<int64_t>(fetch.size()), 3, shown.height, shown.width}, at::kFloat);
    float* to = images.data_ptr<float>();
    for (const int64_t index : fetch.indices()) {
        const uint8_t* bytes = records_.pixels.data() + index * kCifarImageBytes;
        values_.write(ByteImage::planar(bytes, kStoredCifar), to);
        to += numbers;
    }
    return images;
}

std::vector<int64_t> CifarImages::classes(size_t which) const {
    const auto& labels = records_.labels[which];
    return {labels.begin(), labels.end()};
}

at::Tensor CifarImages::targets(const ptp::Fetch& fetch, size_t which) const {
    at::Tensor targets = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
    auto* to = targets.data_ptr<int64_t>();
    for (const int64_t index : fetch.indices()) {
        *to++ = label(index, which);
    }
    return targets;
}

std::vector<std::string_view> CifarImages::labels(const ptp::Fetch& fetch, size_t which,
                                                  std::span<const std::string_view> names) const {
    std::vector<std::string_view> labels;
    for (const int64_t index : fetch.indices()) {
        labels.push_back(names[label(index, which)]);
    }
    return labels;
}
