// Writes a picture as a PNG file, in memory.

#include "common/png.hpp"

#include <zlib.h>

#include <stdexcept>

namespace ptp::tools {

namespace {

void add_word(std::string& text, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        text += static_cast<char>((number >> static_cast<unsigned>(shift)) & 0xFFU);
    }
}

// Adds a chunk: its length, its name, its content, and a checksum of the latter two.
void add_chunk(std::string& file, const std::string& name, const std::string& content) {
    add_word(file, static_cast<std::uint32_t>(content.size()));
    const std::string checked = name + content;
    file += checked;
    const auto* bytes = reinterpret_cast<const Bytef*>(checked.data());
    add_word(file, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(checked.size()))));
}

}  // namespace

std::string png_of(const Picture& picture) {
    std::string rows;
    const std::size_t row_bytes = picture.width * 3;
    for (std::size_t row = 0; row < picture.height; ++row) {
        rows += '\0';  // no filter
        rows.append(reinterpret_cast<const char*>(picture.pixels.data()) + row * row_bytes,
                    row_bytes);
    }
    uLongf size = compressBound(static_cast<uLong>(rows.size()));
    std::string packed(size, '\0');
    if (compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                 reinterpret_cast<const Bytef*>(rows.data()),
                 static_cast<uLong>(rows.size())) != Z_OK) {
        throw std::runtime_error("a picture cannot be compressed");
    }
    packed.resize(size);
    std::string header;
    add_word(header, static_cast<std::uint32_t>(picture.width));
    add_word(header, static_cast<std::uint32_t>(picture.height));
    header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits of red, green and blue
    std::string file = "\x89PNG\r\n\x1a\n";
    add_chunk(file, "IHDR", header);
    add_chunk(file, "IDAT", packed);
    add_chunk(file, "IEND", "");
    return file;
}

}  // namespace ptp::tools
