// Decodes the one image of a WebP file, and finds the orientation in its EXIF chunk.

#include "webp_decoder.hpp"

#include "image_reading.hpp"
#include "orientation.hpp"

#include <ptp/error.hpp>

#include <webp/decode.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace ptp::support {

namespace {

uint32_t little_endian_word(std::span<const uint8_t> bytes) {
    return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

// Returns the content of the first chunk with this name of a RIFF file; empty if there is none.
std::span<const uint8_t> chunk_named(std::span<const uint8_t> file, std::string_view name) {
    constexpr size_t kFileHead = 12;  // "RIFF", size, "WEBP"
    constexpr size_t kChunkHead = 8;  // name, size
    for (size_t at = kFileHead; at + kChunkHead <= file.size();) {
        const size_t size = little_endian_word(file.subspan(at + 4));
        const size_t rest = file.size() - at - kChunkHead;
        if (std::memcmp(&file[at], name.data(), name.size()) == 0) {
            return file.subspan(at + kChunkHead, std::min(size, rest));
        }
        if (size > rest) {
            break;
        }
        at += kChunkHead + size + size % 2;
    }
    return {};
}

int webp_orientation(std::span<const uint8_t> file) {
    constexpr std::string_view kPrefix("Exif\0\0", 6);  // that some programs write
    std::span<const uint8_t> exif = chunk_named(file, "EXIF");
    if (exif.size() >= kPrefix.size() &&
        std::memcmp(exif.data(), kPrefix.data(), kPrefix.size()) == 0) {
        exif = exif.subspan(kPrefix.size());
    }
    return exif_orientation(exif);
}

class WebpDecoder : public ImageDecoder {
public:
    WebpDecoder(std::FILE* file, const std::filesystem::path& path) : path_(path) {
        std::array<uint8_t, 1 << 16> part{};
        for (size_t count = 0; (count = std::fread(part.data(), 1, part.size(), file)) > 0;) {
            bytes_.insert(bytes_.end(), part.begin(), part.begin() + static_cast<long>(count));
            if (bytes_.size() > static_cast<size_t>(kMaxFileBytes)) {
                refuse("it grows while it is read");
            }
        }
        const VP8StatusCode status = WebPGetFeatures(bytes_.data(), bytes_.size(), &features_);
        if (status != VP8_STATUS_OK) {
            refuse(status == VP8_STATUS_NOT_ENOUGH_DATA ? "it ends too early"
                                                        : "its header is damaged");
        }
        if (features_.has_animation != 0) {
            throw DataError(path_, ": is an animation, expected one image");
        }
    }

    StoredImage head() const override {
        return {features_.height, features_.width, webp_orientation(bytes_)};
    }

    int64_t decode(int64_t /*wanted*/, std::vector<uint8_t>& pixels) override {
        const bool has_opacity = features_.has_alpha != 0;
        const int channels = has_opacity ? 4 : 3;
        const int row_bytes = features_.width * channels;
        pixels.resize(static_cast<size_t>(row_bytes) * static_cast<size_t>(features_.height));
        const auto decode_into = has_opacity ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
        if (decode_into(bytes_.data(), bytes_.size(), pixels.data(), pixels.size(), row_bytes) ==
            nullptr) {
            refuse("its content is damaged, or ends too early");
        }
        return channels;
    }

private:
    [[noreturn]] void refuse(const char* reason) const {
        throw DataError(path_, ": is a WebP file that cannot be read (", reason, ")");
    }

    std::filesystem::path path_;
    std::vector<uint8_t> bytes_;
    WebPBitstreamFeatures features_{};
};

}  // namespace

std::unique_ptr<ImageDecoder> open_webp(std::FILE* file, const std::filesystem::path& path) {
    return std::make_unique<WebpDecoder>(file, path);
}

}  // namespace ptp::support
