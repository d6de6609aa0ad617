// Opens an image, detects its format by the first bytes, and decodes it. The decoders of the
// formats, the conversion of channels and the orientation have their own files.

#include "image_reading.hpp"

#include "image_decoder.hpp"
#include "jpeg_decoder.hpp"
#include "orientation.hpp"
#include "pixels.hpp"
#include "png_decoder.hpp"
#include "tiff_decoder.hpp"
#include "webp_decoder.hpp"

#include <ptp/error.hpp>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace ptp::support {

namespace {

namespace fs = std::filesystem;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

File open_file(const fs::path& path) {
    std::error_code error;
    const auto size = fs::file_size(path, error);  // an error for a folder
    if (error) {
        throw DataError(path, ": cannot be opened: ", error.message());
    }
    if (size > kMaxFileBytes) {
        throw DataError(path, ": is ", size, " bytes long, images may have ", kMaxFileBytes);
    }
    File file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) {
        throw DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
    return file;
}

// In both byte orders, also of the variant for large files.
bool is_tiff(std::string_view magic) {
    using namespace std::string_view_literals;
    return magic.starts_with("II*\0"sv) || magic.starts_with("MM\0*"sv) ||
           magic.starts_with("II+\0"sv) || magic.starts_with("MM\0+"sv);
}

// Detects the format by the file's content, not its name.
std::unique_ptr<ImageDecoder> open_image(std::FILE* file, const fs::path& path) {
    std::array<char, 12> begin{};
    const std::string_view magic(begin.data(), std::fread(begin.data(), 1, begin.size(), file));
    std::rewind(file);
    std::unique_ptr<ImageDecoder> decoder;
    if (magic.starts_with("\xff\xd8\xff")) {
        decoder = open_jpeg(file, path);
    } else if (magic.starts_with("\x89PNG\r\n\x1a\n")) {
        decoder = open_png(file, path);
    } else if (is_tiff(magic)) {
        decoder = open_tiff(file, path);
    } else if (magic.starts_with("RIFF") && magic.substr(magic.size() - 4) == "WEBP") {
        decoder = open_webp(file, path);
    } else {
        throw DataError(path, magic.empty() ? ": is empty, expected a JPEG, PNG, TIFF or WebP file"
                                            : ": is no JPEG, PNG, TIFF or WebP file");
    }
    const StoredImage& head = decoder->head();
    if (head.height < 1 || head.width < 1 || head.height > kMaxPixels / head.width) {
        throw DataError(path, ": has ", head.height, " x ", head.width, " pixels, at most ",
                        kMaxPixels, " are read");
    }
    return decoder;
}

std::unique_ptr<ImageDecoder> open_reduced(std::FILE* file, const fs::path& path, ImageHead least) {
    std::unique_ptr<ImageDecoder> decoder = open_image(file, path);
    if (swaps_axes(decoder->head().orientation)) {
        std::swap(least.height, least.width);
    }
    decoder->reduce(least.height, least.width);
    return decoder;
}

// Decodes into `memory`, with 16 bits where the file has them and they are kept.
Image decode_image(ImageDecoder& decoder, int64_t channels, bool keeps_words,
                   std::vector<uint8_t> memory) {
    const StoredImage size = decoder.decoded_size();
    Image image{size.height, size.width, channels, std::move(memory)};
    const int64_t word_channels = keeps_words ? decoder.decode_words(image.pixels) : 0;
    if (word_channels > 0) {
        image.channels = word_channels;
        image.value_bytes = 2;
    } else {
        image.channels = decoder.decode(channels, image.pixels);
    }
    convert_channels(image, channels);
    apply_orientation(image, size.orientation);
    return image;
}

// Returns the size of the image as displayed, after its orientation is applied.
ImageHead shown(const StoredImage& stored) {
    return swaps_axes(stored.orientation) ? ImageHead{stored.width, stored.height}
                                          : ImageHead{stored.height, stored.width};
}

}  // namespace

ImageHead read_image_head(const fs::path& path) {
    const File file = open_file(path);
    return shown(open_image(file.get(), path)->head());
}

ImageHead read_reduced_head(const fs::path& path, ImageHead least) {
    const File file = open_file(path);
    return shown(open_reduced(file.get(), path, least)->decoded_size());
}

Image read_image(const fs::path& path, int64_t channels, std::vector<uint8_t> memory) {
    const File file = open_file(path);
    return decode_image(*open_image(file.get(), path), channels, false, std::move(memory));
}

Image read_numbers(const fs::path& path) {
    const File file = open_file(path);
    const std::unique_ptr<ImageDecoder> decoder = open_image(file.get(), path);
    const StoredImage size = decoder->head();
    Image image{size.height, size.width, 1, {}};
    image.channels = decoder->decode_numbers(image.pixels);
    if (image.channels == 0) {
        throw DataError(path,
                        ": stores no numbers, expected a PNG or TIFF file with a palette or with "
                        "gray levels of at most 16 bits");
    }
    apply_orientation(image, size.orientation);
    return image;
}

Image read_image_bytes(std::string& bytes, const std::string& place, int64_t channels) {
    const File file(bytes.empty() ? nullptr : fmemopen(bytes.data(), bytes.size(), "rb"));
    if (file == nullptr) {
        throw DataError(place, bytes.empty() ? ": is empty" : ": cannot be read from memory");
    }
    return decode_image(*open_image(file.get(), place), channels, true, {});
}

Image read_reduced_image(const fs::path& path, int64_t channels, ImageHead least,
                         std::vector<uint8_t> memory, const RowSink* rows) {
    const File file = open_file(path);
    const std::unique_ptr<ImageDecoder> decoder = open_reduced(file.get(), path, least);
    const StoredImage size = decoder->decoded_size();
    if (rows != nullptr && size.orientation == 1 && shown(size) == rows->size &&
        decoder->decode_rows(channels, rows->take)) {
        memory.clear();
        return {size.height, size.width, channels, std::move(memory)};
    }
    return decode_image(*decoder, channels, true, std::move(memory));
}

}  // namespace ptp::support
