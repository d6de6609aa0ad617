#include "jpeg_alone.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>

// It needs FILE.
#include <jpeglib.h>

namespace ptp::bench {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

void decode_jpeg(std::FILE* file, unsigned eighths, std::vector<std::uint8_t>& pixels) {
    jpeg_decompress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    info.scale_num = eighths;
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    const std::size_t row_bytes = std::size_t{3} * info.output_width;
    pixels.resize(row_bytes * info.output_height);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels.data() + info.output_scanline * row_bytes;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
}

}  // namespace

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) {
            files.push_back(entry.path());
        }
    }
    return files;
}

void decode_jpegs(const std::vector<std::filesystem::path>& files, unsigned eighths) {
    std::vector<std::uint8_t> pixels;
    for (const std::filesystem::path& path : files) {
        const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
        if (file != nullptr) {
            decode_jpeg(file.get(), eighths, pixels);
        }
    }
}

}  // namespace ptp::bench
