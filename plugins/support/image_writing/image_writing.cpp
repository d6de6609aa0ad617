#include "image_writing.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <png.h>

namespace ptp::support {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
    throw std::runtime_error("cannot write " + path.string() + ": " + reason);
}

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
        fail(path, image.message);
    }
    bytes.resize(size);
    return bytes;
}

void write_all(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool is_written = file >= 0;
    for (std::size_t done = 0; is_written && done < bytes.size();) {
        const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
        is_written = count > 0 || (count < 0 && errno == EINTR);
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    const int reason = errno;
    if (file >= 0) {
        close(file);
    }
    if (!is_written) {
        fail(path, std::generic_category().message(reason));
    }
}

}  // namespace

void write_png(const std::filesystem::path& path, const PixelsToWrite& pixels) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);  // else the next line says why
    const std::filesystem::path unfinished = path.string() + ".part";
    write_all(unfinished, encoded(path, pixels));
    std::filesystem::rename(unfinished, path, error);
    if (error) {
        fail(path, error.message());
    }
}

}  // namespace ptp::support
