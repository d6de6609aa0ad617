// libpng reports errors by a function that must not return. It jumps back to attempt_png(), over
// frames of libpng and of the functions passed to it. These frames contain no objects with
// destructors, which are in the Png or outside of attempt_png().

#include "png_decoder.hpp"

#include "orientation.hpp"

#include <ptp/error.hpp>

#include <bit>
#include <csetjmp>

#include <png.h>

namespace ptp::support {

namespace {

struct Png {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::jmp_buf give_up{};
    char message[200]{};  // the reason of a failure
    std::FILE* file = nullptr;
    png_bytepp rows = nullptr;  // destination of the pixels

    Png() = default;
    Png(const Png&) = delete;
    Png& operator=(const Png&) = delete;
    ~Png() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_png_error(png_structp png, png_const_charp message) {
    Png& owner = *static_cast<Png*>(png_get_error_ptr(png));
    std::snprintf(owner.message, sizeof owner.message, "%s", message);
    std::longjmp(owner.give_up, 1);
}

// Ignores warnings, which do not affect the pixels.
void on_warning(png_structp, png_const_charp) {}

// Returns false if libpng failed.
bool attempt_png(Png& png, void (*work)(Png&)) {
    if (setjmp(png.give_up) != 0) {
        return false;
    }
    work(png);
    return true;
}

void create(Png& png) {
    png.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &png, on_png_error, on_warning);
    if (png.png == nullptr) {
        std::snprintf(png.message, sizeof png.message, "no memory");
        std::longjmp(png.give_up, 1);
    }
    png.info = png_create_info_struct(png.png);
    if (png.info == nullptr) {
        png_error(png.png, "no memory");
    }
}

void read_png_header(Png& png) {
    png_init_io(png.png, png.file);
    png_read_info(png.png, png.info);
}

// Requests 8 bits per channel of gray or colors, and opacity if present.
void plan_pixels(Png& png) {
    const int color = png_get_color_type(png.png, png.info);
    if (color == PNG_COLOR_TYPE_PALETTE) {
        png_set_palette_to_rgb(png.png);
    } else if (color == PNG_COLOR_TYPE_GRAY) {
        png_set_expand_gray_1_2_4_to_8(png.png);
    }
    if (png_get_valid(png.png, png.info, PNG_INFO_tRNS) != 0) {
        png_set_tRNS_to_alpha(png.png);
    }
    png_set_scale_16(png.png);
    png_set_interlace_handling(png.png);
    png_read_update_info(png.png, png.info);
}

// Requests 16 bits per channel of gray or colors, and opacity if present.
void plan_words(Png& png) {
    if (png_get_valid(png.png, png.info, PNG_INFO_tRNS) != 0) {
        png_set_tRNS_to_alpha(png.png);
    }
    if constexpr (std::endian::native == std::endian::little) {
        png_set_swap(png.png);
    }
    png_set_interlace_handling(png.png);
    png_read_update_info(png.png, png.info);
}

// Requests a byte for each index of a palette or gray level, or two of 16 bits, without scaling.
void plan_numbers(Png& png) {
    png_set_packing(png.png);
    if constexpr (std::endian::native == std::endian::little) {
        png_set_swap(png.png);
    }
    png_set_interlace_handling(png.png);
    png_read_update_info(png.png, png.info);
}

void read_png_pixels(Png& png) {
    png_read_image(png.png, png.rows);
    png_read_end(png.png, nullptr);  // verifies the last checksums
}

class PngDecoder : public ImageDecoder {
public:
    PngDecoder(std::FILE* file, const std::filesystem::path& path) : path_(path) {
        png_.file = file;
        if (!attempt_png(png_, create) || !attempt_png(png_, read_png_header)) {
            refuse();
        }
    }

    StoredImage head() const override {
        return {png_get_image_height(png_.png, png_.info), png_get_image_width(png_.png, png_.info),
                orientation()};
    }

    int64_t decode(int64_t /*wanted*/, std::vector<uint8_t>& pixels) override {
        decode_as(plan_pixels, pixels);
        return png_get_channels(png_.png, png_.info);
    }

    int64_t decode_words(std::vector<uint8_t>& pixels) override {
        if (png_get_bit_depth(png_.png, png_.info) != 16) {
            return 0;
        }
        decode_as(plan_words, pixels);
        return png_get_channels(png_.png, png_.info);
    }

    int64_t decode_numbers(std::vector<uint8_t>& pixels) override {
        const int color = png_get_color_type(png_.png, png_.info);
        if (color != PNG_COLOR_TYPE_PALETTE && color != PNG_COLOR_TYPE_GRAY) {
            return 0;
        }
        decode_as(plan_numbers, pixels);
        return png_get_bit_depth(png_.png, png_.info) > 8 ? 2 : 1;
    }

private:
    void decode_as(void (*plan)(Png&), std::vector<uint8_t>& pixels) {
        const StoredImage stored = head();
        if (!attempt_png(png_, plan)) {
            refuse();
        }
        const size_t row_bytes = png_get_rowbytes(png_.png, png_.info);
        pixels.resize(row_bytes * static_cast<size_t>(stored.height));
        std::vector<png_bytep> rows;
        for (int64_t i = 0; i < stored.height; ++i) {
            rows.push_back(pixels.data() + static_cast<size_t>(i) * row_bytes);
        }
        png_.rows = rows.data();
        if (!attempt_png(png_, read_png_pixels)) {
            refuse();
        }
    }

    int orientation() const {
        png_uint_32 length = 0;
        png_bytep exif = nullptr;
        const bool has_exif = png_get_eXIf_1(png_.png, png_.info, &length, &exif) != 0;
        return has_exif ? exif_orientation({exif, length}) : 1;
    }

    [[noreturn]] void refuse() const {
        throw DataError(path_, ": is a PNG file that cannot be read (", png_.message, ")");
    }

    std::filesystem::path path_;
    Png png_;
};

}  // namespace

std::unique_ptr<ImageDecoder> open_png(std::FILE* file, const std::filesystem::path& path) {
    return std::make_unique<PngDecoder>(file, path);
}

}  // namespace ptp::support
