#include "image_files.hpp"

#include <zlib.h>

#include <fstream>
#include <iterator>

namespace test {

Bytes idx(const std::vector<uint32_t>& sizes, const Bytes& data) {
    Bytes bytes{0, 0, 8, static_cast<uint8_t>(sizes.size())};
    for (const uint32_t size : sizes) {
        for (const int shift : {24, 16, 8, 0}) {
            bytes.push_back(static_cast<uint8_t>(size >> shift));
        }
    }
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

void write_file(const std::filesystem::path& file, const Bytes& bytes) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
}

void write_compressed(const std::filesystem::path& file, const Bytes& bytes) {
    gzFile stream = gzopen(file.c_str(), "wb");
    gzwrite(stream, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(stream);
}

Bytes read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

Bytes images(uint32_t count) {
    Bytes pixels;
    for (uint32_t i = 0; i < count; ++i) {
        pixels.insert(pixels.end(), std::size_t{28} * 28, static_cast<uint8_t>(10 * i + 5));
    }
    return idx({count, 28, 28}, pixels);
}

void write_training_set(const std::filesystem::path& folder, uint32_t count) {
    Bytes labels;
    for (uint32_t i = 0; i < count; ++i) {
        labels.push_back(static_cast<uint8_t>(i % 10));
    }
    write_file(folder / "train-images-idx3-ubyte", images(count));
    write_file(folder / "train-labels-idx1-ubyte", idx({count}, labels));
}

}  // namespace test
