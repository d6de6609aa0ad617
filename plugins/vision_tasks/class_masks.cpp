// Pairs images and masks by their names, and reads the masks.

#include "class_masks.hpp"

#include <folders.hpp>
#include <image_reading.hpp>
#include <picture_files.hpp>
#include <ptp/data.hpp>
#include <ptp/error.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

namespace {

namespace fs = std::filesystem;
using ptp::support::Image;
using ptp::support::ImageHead;

constexpr std::array<std::string_view, 3> kMaskEndings{".png", ".tif", ".tiff"};

std::string without_ending(const std::string& name) {
    return name.substr(0, name.size() - fs::path(name).extension().string().size());
}

// The numbers of files by their names without endings. Names that come twice are added to
// `problems`.
std::map<std::string, size_t> by_name(const ptp::support::FoundFiles& files,
                                      std::vector<BadFile>& problems) {
    std::map<std::string, size_t> numbers;
    for (size_t i = 0; i < files.names.size(); ++i) {
        const auto [first, is_new] = numbers.emplace(without_ending(files.names[i]), i);
        if (!is_new) {
            problems.push_back(
                {i, ptp::detail::join(files.paths[i], ": has the name of ",
                                      files.paths[first->second], " but for the ending")});
        }
    }
    return numbers;
}

ImageSize size_of(const fs::path& file) {
    const ImageHead head = ptp::support::read_image_head(file);
    return {head.height, head.width};
}

uint32_t packed(int64_t red, int64_t green, int64_t blue) {
    return static_cast<uint32_t>(red << 16 | green << 8 | blue);
}

void require_folder(const fs::path& path) {
    std::error_code error;
    const fs::directory_iterator begin(path, error);
    if (error) {
        throw ptp::DataError(path, ": cannot be read as a folder: ", error.message());
    }
}

}  // namespace

MaskedImages find_masked_images(const MaskFolders& folders) {
    require_folder(folders.images);
    require_folder(folders.masks);
    ptp::support::FoundFiles images = ptp::support::find_files({folders.images}, kImageEndings);
    ptp::support::FoundFiles masks = ptp::support::find_files({folders.masks}, kMaskEndings);
    std::vector<BadFile> problems;
    const std::map<std::string, size_t> images_by_name = by_name(images, problems);
    const std::map<std::string, size_t> masks_by_name = by_name(masks, problems);
    MaskedImages found;
    for (const auto& [name, image] : images_by_name) {
        const auto mask = masks_by_name.find(name);
        if (mask == masks_by_name.end()) {
            problems.push_back(
                {image, ptp::detail::join(images.paths[image], ": has no mask ",
                                          folders.masks / name, ".png, .tif or .tiff")});
        } else {
            found.pairs.push_back(
                {images.paths[image], masks.paths[mask->second], std::move(images.names[image])});
        }
    }
    for (const auto& [name, mask] : masks_by_name) {
        if (!images_by_name.contains(name)) {
            problems.push_back({mask, ptp::detail::join(masks.paths[mask], ": has no image ",
                                                        folders.images / name,
                                                        ".jpg, .jpeg, .png, .tif, .tiff or "
                                                        ".webp")});
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(list_problems(problems),
                             "\ngive each image one mask of its name, or take the files out of the "
                             "folders");
    }
    found.left_out = images.left_out;
    if (!masks.left_out.empty()) {
        found.left_out += (found.left_out.empty() ? "" : "; ") + masks.left_out;
    }
    return found;
}

void check_sizes(const MaskedImage& files) {
    const ImageSize image = size_of(files.image);
    const ImageSize mask = size_of(files.mask);
    if (mask != image) {
        throw ptp::DataError(files.mask, ": has ", mask.height, " x ", mask.width,
                             " pixels, and its image ", files.image, " has ", image.height, " x ",
                             image.width);
    }
}

ClassMasks::ClassMasks(MaskClasses classes) : classes_(std::move(classes)) {
    for (size_t i = 0; i < classes_.colors.size(); ++i) {
        const std::vector<int64_t>& color = classes_.colors[i];
        if (color.size() != 3) {
            throw ptp::SettingError("colors", "a color is [red, green, blue], and number ", i,
                                    " is ", ptp::Data(color).toml());
        }
        const auto [first, is_new] =
            class_of_color_.emplace(packed(color[0], color[1], color[2]), static_cast<int64_t>(i));
        if (!is_new) {
            throw ptp::SettingError("colors", ptp::Data(color).toml(), " is the color of classes ",
                                    first->second, " and ", i);
        }
    }
}

ClassMasks::Pixels ClassMasks::read(const fs::path& mask) const {
    Image image = classes_.colors.empty() ? ptp::support::read_numbers(mask)
                                          : ptp::support::read_image(mask, 3);
    return {{image.height, image.width}, image.channels, std::move(image.pixels)};
}

int64_t ClassMasks::number_at(const Pixels& pixels, int64_t place) {
    if (pixels.pixel_bytes == 1) {
        return pixels.bytes[static_cast<size_t>(place)];
    }
    uint16_t number = 0;
    std::memcpy(&number, pixels.bytes.data() + 2 * place, sizeof number);
    return number;
}

int64_t ClassMasks::class_at(const MaskedImage& files, const Pixels& pixels, int64_t y,
                             int64_t x) const {
    const int64_t place = y * pixels.size.width + x;
    int64_t number = -1;
    if (classes_.colors.empty()) {
        number = number_at(pixels, place);
    } else {
        const uint8_t* color = pixels.bytes.data() + 3 * place;
        const auto found = class_of_color_.find(packed(color[0], color[1], color[2]));
        number = found == class_of_color_.end() ? -1 : found->second;
    }
    if (number < 0 || (number >= classes_.count && number != classes_.ignore_index)) {
        refuse(files, pixels, y, x);
    }
    return number;
}

void ClassMasks::refuse(const MaskedImage& files, const Pixels& pixels, int64_t y,
                        int64_t x) const {
    const int64_t place = y * pixels.size.width + x;
    const uint8_t* pixel = pixels.bytes.data() + place * pixels.pixel_bytes;
    const std::string value = classes_.colors.empty()
                                  ? ptp::detail::join("is ", number_at(pixels, place))
                                  : ptp::detail::join("has the color [", int{pixel[0]}, ", ",
                                                      int{pixel[1]}, ", ", int{pixel[2]}, "]");
    const std::string ignored =
        classes_.ignore_index ? ptp::detail::join(" or ", *classes_.ignore_index) : "";
    throw ptp::DataError(files.mask, ": the mask of ", files.image, " ", value, " in row ", y,
                         ", column ", x, ", expected ",
                         classes_.colors.empty() ? "a class" : "the color of a class",
                         " from 0 to ", classes_.count - 1, ignored);
}

void ClassMasks::write(const MaskedImage& files, ImageSize shown, int64_t* to) const {
    try {
        write_nearest(files, read(files.mask), shown, to);
    } catch (const ptp::DataError& error) {
        throw ptp::DataError(error.what(), "\n", kMaskRemedy,
                             "; check = \"all\" finds such masks before a training begins");
    }
}

void ClassMasks::write_nearest(const MaskedImage& files, const Pixels& pixels, ImageSize shown,
                               int64_t* to) const {
    const ImageSize& size = pixels.size;
    for (int64_t y = 0; y < shown.height; ++y) {
        const int64_t row = (2 * y + 1) * size.height / (2 * shown.height);
        for (int64_t x = 0; x < shown.width; ++x) {
            const int64_t column = (2 * x + 1) * size.width / (2 * shown.width);
            *to++ = class_at(files, pixels, row, column);
        }
    }
}

void ClassMasks::check(const MaskedImage& files) const {
    const Pixels pixels = read(files.mask);
    for (int64_t y = 0; y < pixels.size.height; ++y) {
        for (int64_t x = 0; x < pixels.size.width; ++x) {
            static_cast<void>(class_at(files, pixels, y, x));
        }
    }
}
