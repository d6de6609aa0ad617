// Checks the files in several threads before the training, and decodes an image when it is
// fetched.

#include "picture_files.hpp"

#include <ptp/error.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace {

namespace fs = std::filesystem;

// Returns the size of the image.
ImageSize check_file(const fs::path& file, FileCheck check, std::optional<ImageSize> expected) {
    const ptp::support::ImageHead head = ptp::support::read_image_head(file);
    const ImageSize size{head.height, head.width};
    if (expected && size != *expected) {
        throw ptp::DataError(file, ": has ", size.height, " x ", size.width, " pixels, expected ",
                             expected->height, " x ", expected->width);
    }
    if (check == FileCheck::kAll) {
        ptp::support::read_reduced_image(file, 3, ptp::support::kWholeImage);
    }
    return size;
}

}  // namespace

ImageSize decoded_size(const fs::path& file, const std::optional<ImageSize>& least) {
    const ptp::support::ImageHead head =
        least ? ptp::support::read_reduced_head(file, {least->height, least->width})
              : ptp::support::read_image_head(file);
    return {head.height, head.width};
}

std::vector<BadFile> find_problems(size_t count, const std::function<void(size_t)>& look) {
    std::vector<std::string> problems(count);  // each thread writes separate ones
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i = next++; i < count; i = next++) {
            try {
                look(i);
            } catch (const std::exception& error) {
                problems[i] = error.what();
            }
        }
    };
    constexpr size_t kFilesForAThread = 64;
    const size_t threads =
        std::min<size_t>({8, std::thread::hardware_concurrency(), count / kFilesForAThread});
    {
        std::vector<std::jthread> others;
        for (size_t i = 1; i < threads; ++i) {
            others.emplace_back(work);
        }
        work();
    }
    std::vector<BadFile> bad;
    for (size_t i = 0; i < count; ++i) {
        if (!problems[i].empty()) {
            bad.push_back({i, std::move(problems[i])});
        }
    }
    return bad;
}

std::vector<BadFile> find_bad_files(const std::vector<fs::path>& files, FileCheck check,
                                    std::optional<ImageSize> size, std::vector<ImageSize>* sizes) {
    std::vector<ImageSize> found(files.size());
    std::vector<BadFile> bad = find_problems(
        files.size(), [&](size_t i) { found[i] = check_file(files[i], check, size); });
    if (sizes != nullptr) {
        *sizes = std::move(found);
    }
    return bad;
}

std::string list_problems(const std::vector<BadFile>& bad) {
    constexpr size_t kMax = 10;
    std::string text;
    for (size_t i = 0; i < std::min(bad.size(), kMax); ++i) {
        text += (i == 0 ? "" : "\n") + bad[i].problem;
    }
    if (bad.size() > kMax) {
        text += "\nand " + std::to_string(bad.size() - kMax) + " more";
    }
    return text;
}

ptp::support::Image PictureFiles::read(size_t index, std::vector<uint8_t> memory,
                                       const ptp::support::RowSink& rows) const {
    const ptp::support::ImageHead least =
        least_ ? ptp::support::ImageHead{least_->height, least_->width} : ptp::support::kWholeImage;
    try {
        return ptp::support::read_reduced_image(files_[index], channels_, least, std::move(memory),
                                                &rows);
    } catch (const ptp::DataError& error) {
        throw ptp::DataError(lines_.of(index), error.what(), remedy_);
    }
}

at::Tensor PictureFiles::images(std::span<const int64_t> numbers, ImageSize shown) const {
    at::Tensor images = at::empty(
        {static_cast<int64_t>(numbers.size()), channels_, shown.height, shown.width}, at::kFloat);
    float* to = images.data_ptr<float>();
    const ptp::support::RowSink rows{{shown.height, shown.width},
                                     [&](int64_t row, std::span<const uint8_t> pixels) {
                                         values_.write_row(pixels, row, shown, to);
                                     }};
    ptp::support::Image image;
    for (const int64_t number : numbers) {
        const auto index = static_cast<size_t>(number);
        image = read(index, std::move(image.pixels), rows);
        const ImageSize size{image.height, image.width};
        if (values_.shown(size) != shown) {
            throw ptp::DataError(lines_.of(index), files_[index], ": has ", size.height, " x ",
                                 size.width, " pixels now, and had others when the training began");
        }
        if (!image.pixels.empty()) {
            values_.write(
                ByteImage::interleaved(image.pixels.data(), size, channels_, image.value_bytes),
                to);
        }
        to += channels_ * shown.height * shown.width;
    }
    return images;
}
