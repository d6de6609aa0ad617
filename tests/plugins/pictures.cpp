#include "pictures.hpp"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include <jpeglib.h>
#include <png.h>

namespace test {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File create(const std::filesystem::path& path) {
    std::filesystem::create_directories(path.parent_path());
    File file(std::fopen(path.c_str(), "wb"), &std::fclose);
    if (file == nullptr) {
        throw std::runtime_error("cannot write " + path.string());
    }
    return file;
}

void set_palette(png_structp png, png_infop info, const PngKind& kind) {
    std::vector<png_color> colors;
    for (size_t i = 0; i + 2 < kind.palette.size(); i += 3) {
        colors.push_back({kind.palette[i], kind.palette[i + 1], kind.palette[i + 2]});
    }
    png_set_PLTE(png, info, colors.data(), static_cast<int>(colors.size()));
    if (!kind.opacity.empty()) {
        png_set_tRNS(png, info, kind.opacity.data(), static_cast<int>(kind.opacity.size()),
                     nullptr);
    }
}

}  // namespace

// What goes wrong here ends the program, as libpng and libjpeg do it by themselves.

void write_png(const std::filesystem::path& path, const Picture& picture, const PngKind& kind) {
    const File file = create(path);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file.get());
    png_set_IHDR(png, info, picture.width, picture.height, kind.bit_depth, kind.color_type,
                 kind.is_interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!kind.palette.empty()) {
        set_palette(png, info, kind);
    }
    std::vector<uint8_t> block = picture.exif;
    if (!block.empty()) {
        png_set_eXIf_1(png, info, static_cast<png_uint_32>(block.size()), block.data());
    }
    png_write_info(png, info);
    const size_t row_bytes = png_get_rowbytes(png, info);
    std::vector<uint8_t> pixels = picture.rows;
    std::vector<png_bytep> rows;
    for (size_t i = 0; i < picture.height; ++i) {
        rows.push_back(pixels.data() + i * row_bytes);
    }
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
}

void write_jpeg(const std::filesystem::path& path, const Picture& picture, const JpegKind& kind) {
    const File file = create(path);
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file.get());
    jpeg.image_width = picture.width;
    jpeg.image_height = picture.height;
    jpeg.input_components = kind.channels;
    jpeg.in_color_space = kind.channels == 1   ? JCS_GRAYSCALE
                          : kind.channels == 3 ? JCS_RGB
                                               : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 100, TRUE);
    jpeg.comp_info[0].h_samp_factor = 1;
    jpeg.comp_info[0].v_samp_factor = 1;
    if (kind.is_progressive) {
        jpeg_simple_progression(&jpeg);
    }
    if (!kind.has_adobe_marker) {
        jpeg.write_Adobe_marker = FALSE;
    }
    jpeg_start_compress(&jpeg, TRUE);
    if (!picture.exif.empty()) {
        std::vector<uint8_t> marker{'E', 'x', 'i', 'f', 0, 0};
        marker.insert(marker.end(), picture.exif.begin(), picture.exif.end());
        jpeg_write_marker(&jpeg, JPEG_APP0 + 1, marker.data(),
                          static_cast<unsigned>(marker.size()));
    }
    std::vector<uint8_t> pixels = picture.rows;
    while (jpeg.next_scanline < jpeg.image_height) {
        const size_t row_bytes = size_t{picture.width} * static_cast<size_t>(kind.channels);
        JSAMPROW row = pixels.data() + jpeg.next_scanline * row_bytes;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
}

std::vector<uint8_t> exif(uint8_t orientation, bool is_little_endian) {
    // head, offset of the directory; one entry: tag, type SHORT, one of them, the value; no further
    // directory
    if (is_little_endian) {
        return {'I', 'I', 42, 0, 8, 0,           0, 0, 1, 0, 0x12, 1, 3,
                0,   1,   0,  0, 0, orientation, 0, 0, 0, 0, 0,    0, 0};
    }
    return {'M', 'M', 0, 42, 0, 0, 0,           8, 0, 1, 1, 0x12, 0,
            3,   0,   0, 0,  1, 0, orientation, 0, 0, 0, 0, 0,    0};
}

}  // namespace test
