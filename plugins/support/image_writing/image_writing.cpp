// Encodes a PNG file in memory, and writes it with write_file() of result_files.hpp.

#include "image_writing.hpp"

#include <ptp/error.hpp>
#include <result_files.hpp>

#include <vector>

#include <png.h>

namespace ptp::support {

namespace {

std::vector<uint8_t> encoded(const std::filesystem::path& path, const PixelsToWrite& pixels) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.height = static_cast<png_uint_32>(pixels.height);
    image.width = static_cast<png_uint_32>(pixels.width);
    image.format = pixels.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    std::vector<uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
    png_alloc_size_t size = bytes.size();
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.bytes.data(), 0,
                                  nullptr) == 0) {
        throw SystemError("cannot write ", path, ": ", image.message);
    }
    bytes.resize(size);
    return bytes;
}

}  // namespace

void write_png(const std::filesystem::path& folder, const std::filesystem::path& name,
               const PixelsToWrite& pixels) {
    const std::vector<uint8_t> bytes = encoded(folder / name, pixels);
    write_file(folder, name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace ptp::support
