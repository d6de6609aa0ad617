// Masks beside images: files with the class of every pixel.
#pragma once

#include <resampling.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

inline constexpr std::array<std::string_view, 6> kImageEndings{".jpg", ".jpeg", ".png",
                                                               ".tif", ".tiff", ".webp"};

// The valid values of the pixels of masks.
struct MaskClasses {
    int64_t count = 0;                    // classes are below it
    std::optional<int64_t> ignore_index;  // is accepted, too
    // The color of each class; if empty, the files store classes.
    std::vector<std::vector<int64_t>> colors;
};

// An image and its mask.
struct MaskedImage {
    std::filesystem::path image;
    std::filesystem::path mask;
    std::string name;  // of the image, relative to the folder of images, in UTF-8
};

struct MaskedImages {
    std::vector<MaskedImage> pairs;  // in the order of names
    std::string left_out;            // sentences about other files in the folders; "": none
};

// The folders of images and masks.
struct MaskFolders {
    std::filesystem::path images;
    std::filesystem::path masks;
};

// Pairs the files of the folders and their subfolders whose names are equal but for the ending.
// Throws DataError, which names all files without a counterpart, or the first ten.
MaskedImages find_masked_images(const MaskFolders& folders);

// The end of a message about masks that cannot be used.
inline constexpr const char* kMaskRemedy =
    "correct the masks, or change num_classes, ignore_index or colors";

class ClassMasks {
public:
    // Throws SettingError for colors that are not three numbers, or come twice.
    explicit ClassMasks(MaskClasses classes);

    // Writes the class of each pixel, resized to the nearest one. Throws DataError, which names the
    // files, for a pixel of no class. [any]
    void write(const MaskedImage& files, ImageSize shown, int64_t* to) const;

    // Throws DataError for a mask that write() would refuse in some size. [any]
    void check(const MaskedImage& files) const;

private:
    struct Pixels {
        ImageSize size;
        int64_t pixel_bytes = 0;  // 1 or 2 of a number, 3 of a color
        std::vector<uint8_t> bytes;
    };

    [[nodiscard]] Pixels read(const std::filesystem::path& mask) const;
    void write_nearest(const MaskedImage& files, const Pixels& pixels, ImageSize shown,
                       int64_t* to) const;
    static int64_t number_at(const Pixels& pixels, int64_t place);
    [[nodiscard]] int64_t class_at(const MaskedImage& files, const Pixels& pixels, int64_t y,
                                   int64_t x) const;
    [[noreturn]] void refuse(const MaskedImage& files, const Pixels& pixels, int64_t y,
                             int64_t x) const;

    MaskClasses classes_;
    std::unordered_map<uint32_t, int64_t> class_of_color_;
};

// Throws DataError, which names both, unless the files have the same size; reads their headers.
void check_sizes(const MaskedImage& files);
