// Lets libtiff turn whatever a TIFF file stores (palettes, inks, tiles) into red, green, blue and
// opacity, and takes the first of several images. Values of 16 bits are read as they are stored.

#include "tiff_decoder.hpp"

#include "image_reading.hpp"

#include <ptp/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstring>

#include <tiffio.h>

namespace ptp::support {

namespace {

struct CloseTiff {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeOptions {
    void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// The first error of one file.
struct TiffMessage {
    char text[200]{};
};

// Keeps the first message; returns that it is handled, so that libtiff prints nothing.
int keep_error(TIFF*, void* user, const char* /*module*/, const char* format, va_list values) {
    TiffMessage& message = *static_cast<TiffMessage*>(user);
    if (message.text[0] == '\0') {
        std::vsnprintf(message.text, sizeof message.text, format, values);
    }
    return 1;
}

int ignore_warning(TIFF*, void*, const char*, const char*, va_list) {
    return 1;
}

class TiffDecoder : public ImageDecoder {
public:
    TiffDecoder(std::FILE* file, const std::filesystem::path& path) : path_(path) {
        const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
        TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxFileBytes);
        TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, message_.get());
        TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
        const int descriptor = dup(fileno(file));  // TIFFClose() closes it
        if (descriptor >= 0) {
            // "m": a mapped file that another process cuts would end this one by a signal.
            tiff_.reset(TIFFFdOpenExt(descriptor, path.c_str(), "rm", options.get()));
            if (tiff_ == nullptr) {
                close(descriptor);
            }
        }
        uint32_t height = 0;
        uint32_t width = 0;
        if (tiff_ == nullptr || TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &height) == 0 ||
            TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &width) == 0) {
            refuse("has no image");
        }
        uint16_t orientation = 1;
        TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ORIENTATION, &orientation);
        head_ = {height, width, orientation >= 1 && orientation <= 8 ? orientation : 1};
    }

    StoredImage head() const override { return head_; }

    int64_t decode(int64_t /*wanted*/, std::vector<uint8_t>& pixels) override {
        TIFFRGBAImage image{};
        char reason[1024]{};  // as libtiff demands
        constexpr int kStopOnError = 1;
        if (TIFFRGBAImageBegin(&image, tiff_.get(), kStopOnError, reason) == 0) {
            refuse(reason);
        }
        // The rows as they are stored; image_reading.cpp turns them.
        image.req_orientation = image.orientation;
        std::vector<uint32_t> raster(static_cast<size_t>(head_.height * head_.width));
        const bool is_read =
            TIFFRGBAImageGet(&image, raster.data(), static_cast<uint32_t>(head_.width),
                             static_cast<uint32_t>(head_.height)) != 0;
        TIFFRGBAImageEnd(&image);
        if (!is_read || message_->text[0] != '\0') {
            refuse("is damaged");
        }
        pixels.resize(raster.size() * 3);
        uint8_t* to = pixels.data();
        for (const uint32_t pixel : raster) {
            const uint32_t white = 255 - TIFFGetA(pixel);  // colors are multiplied by opacity
            *to++ = static_cast<uint8_t>(TIFFGetR(pixel) + white);
            *to++ = static_cast<uint8_t>(TIFFGetG(pixel) + white);
            *to++ = static_cast<uint8_t>(TIFFGetB(pixel) + white);
        }
        return 3;
    }

    int64_t decode_words(std::vector<uint8_t>& pixels) override {
        const uint16_t meaning = field(TIFFTAG_PHOTOMETRIC);
        const int64_t channels = field(TIFFTAG_SAMPLESPERPIXEL);
        const int64_t colors = meaning == PHOTOMETRIC_RGB ? 3 : 1;
        const bool has_colors = meaning == PHOTOMETRIC_RGB || meaning == PHOTOMETRIC_MINISBLACK ||
                                meaning == PHOTOMETRIC_MINISWHITE;
        if (!has_colors || field(TIFFTAG_BITSPERSAMPLE) != 16 || channels < colors ||
            channels > colors + 1 || field(TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT) {
            return 0;
        }
        read_stored(pixels, 2, channels);
        if (meaning == PHOTOMETRIC_MINISWHITE) {
            for_each_pixel(pixels, channels, [](uint16_t* pixel) {
                pixel[0] = static_cast<uint16_t>(kWhite - pixel[0]);
            });
        }
        if (channels > colors) {
            settle_opacity(pixels, colors);
        }
        return channels;
    }

    int64_t decode_numbers(std::vector<uint8_t>& pixels) override {
        const uint16_t meaning = field(TIFFTAG_PHOTOMETRIC);
        const bool has_numbers =
            meaning == PHOTOMETRIC_PALETTE || meaning == PHOTOMETRIC_MINISBLACK;
        const uint16_t bits = field(TIFFTAG_BITSPERSAMPLE);
        if (!has_numbers || (bits != 8 && bits != 16) || field(TIFFTAG_SAMPLESPERPIXEL) != 1 ||
            field(TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT) {
            return 0;
        }
        const int64_t bytes = bits / 8;
        read_stored(pixels, bytes, 1);
        return bytes;
    }

private:
    static constexpr uint16_t kWhite = 65535;

    // Calls change(uint16_t*) with the channels of each pixel.
    template <class Change>
    static void for_each_pixel(std::vector<uint8_t>& pixels, int64_t channels,
                               const Change& change) {
        std::array<uint16_t, 4> pixel{};
        const size_t bytes = static_cast<size_t>(channels) * sizeof(uint16_t);
        for (size_t at = 0; at < pixels.size(); at += bytes) {
            std::memcpy(pixel.data(), &pixels[at], bytes);
            change(pixel.data());
            std::memcpy(&pixels[at], pixel.data(), bytes);
        }
    }

    // Makes pixels opaque, on white, whose colors are multiplied by their opacity, as libtiff takes
    // those of four channels where the file does not state it. What else is beside gray counts for
    // nothing.
    void settle_opacity(std::vector<uint8_t>& pixels, int64_t colors) const {
        uint16_t count = 0;
        uint16_t* kinds = nullptr;
        TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
        const uint16_t kind = count > 0 ? kinds[0] : uint16_t{EXTRASAMPLE_UNSPECIFIED};
        if (kind == EXTRASAMPLE_UNASSALPHA) {
            return;
        }
        const bool is_multiplied = kind == EXTRASAMPLE_ASSOCALPHA || colors == 3;
        for_each_pixel(pixels, colors + 1, [&](uint16_t* pixel) {
            const uint32_t white = is_multiplied ? uint32_t{kWhite} - pixel[colors] : 0;
            for (int64_t i = 0; i < colors; ++i) {
                pixel[i] = static_cast<uint16_t>(std::min<uint32_t>(pixel[i] + white, kWhite));
            }
            pixel[colors] = kWhite;
        });
    }

    // Reads pixels with `channels` values of `bytes` bytes each.
    void read_stored(std::vector<uint8_t>& pixels, int64_t bytes, int64_t channels) const {
        const bool is_planar = field(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && channels > 1;
        const int64_t count = head_.height * head_.width;
        pixels.resize(static_cast<size_t>(count * bytes * channels));
        bool is_read = true;
        if (!is_planar) {
            is_read = read_plane(pixels, bytes * channels, 0);
        }
        std::vector<uint8_t> plane(is_planar ? static_cast<size_t>(count * bytes) : 0);
        for (int64_t channel = 0; is_planar && is_read && channel < channels; ++channel) {
            is_read = read_plane(plane, bytes, static_cast<uint16_t>(channel));
            for (int64_t i = 0; i < count; ++i) {
                std::copy_n(plane.data() + i * bytes, bytes,
                            pixels.data() + (i * channels + channel) * bytes);
            }
        }
        if (!is_read || message_->text[0] != '\0') {
            refuse("is damaged");
        }
    }

    bool read_plane(std::vector<uint8_t>& pixels, int64_t bytes, uint16_t plane) const {
        return TIFFIsTiled(tiff_.get()) != 0 ? read_tiles(pixels, bytes, plane)
                                             : read_rows(pixels, bytes, plane);
    }

    uint16_t field(uint32_t tag) const {
        uint16_t value = 0;
        TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
        return value;
    }

    // `bytes` are those of a pixel.
    bool read_rows(std::vector<uint8_t>& pixels, int64_t bytes, uint16_t plane) const {
        const int64_t row = head_.width * bytes;
        if (TIFFScanlineSize(tiff_.get()) != row) {
            return false;
        }
        for (int64_t y = 0; y < head_.height; ++y) {
            if (TIFFReadScanline(tiff_.get(), pixels.data() + y * row, static_cast<uint32_t>(y),
                                 plane) < 0) {
                return false;
            }
        }
        return true;
    }

    bool read_tiles(std::vector<uint8_t>& pixels, int64_t bytes, uint16_t plane) const {
        uint32_t height = 0;
        uint32_t width = 0;
        TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &height);
        TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
        const tmsize_t size = TIFFTileSize(tiff_.get());
        if (height == 0 || width == 0 || size > kMaxFileBytes ||
            size != tmsize_t{height} * width * bytes) {
            return false;
        }
        std::vector<uint8_t> tile(static_cast<size_t>(size));
        for (int64_t top = 0; top < head_.height; top += height) {
            for (int64_t left = 0; left < head_.width; left += width) {
                if (TIFFReadTile(tiff_.get(), tile.data(), static_cast<uint32_t>(left),
                                 static_cast<uint32_t>(top), 0, plane) < 0) {
                    return false;
                }
                const int64_t shown = std::min<int64_t>(width, head_.width - left);
                for (int64_t y = top; y < std::min(top + int64_t{height}, head_.height); ++y) {
                    std::copy_n(tile.data() + (y - top) * width * bytes, shown * bytes,
                                pixels.data() + (y * head_.width + left) * bytes);
                }
            }
        }
        return true;
    }

    [[noreturn]] void refuse(const char* reason) const {
        throw DataError(path_, ": is a TIFF file that cannot be read (",
                        message_->text[0] != '\0' ? message_->text : reason, ")");
    }

    std::filesystem::path path_;
    std::unique_ptr<TiffMessage> message_ = std::make_unique<TiffMessage>();
    std::unique_ptr<TIFF, CloseTiff> tiff_;
    StoredImage head_;
};

}  // namespace

std::unique_ptr<ImageDecoder> open_tiff(std::FILE* file, const std::filesystem::path& path) {
    return std::make_unique<TiffDecoder>(file, path);
}

}  // namespace ptp::support
