// The idx format of MNIST: a magic number, the sizes, and unsigned bytes; plain or compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct IdxFile {
    std::filesystem::path path;  // the file that was read
    std::vector<int64_t> sizes;
    std::unique_ptr<uint8_t[]> content;  // header and data
    std::span<const uint8_t> bytes;      // the data, within `content`
};

// The file to read, and how a user can get it.
struct IdxRequest {
    std::filesystem::path folder;
    std::string name;    // "train-images-idx3-ubyte", with or without ".gz"
    size_t rank = 0;     // number of dimensions
    std::string remedy;  // how to get the file, a sentence
};

// Throws DataError if the file does not exist or is damaged.
IdxFile read_idx_file(const IdxRequest& request);
