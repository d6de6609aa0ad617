#include "experiment/weights_file.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

namespace ptp::experiment {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kZip = "PK\x03\x04";
// A pickle begins with 0x80 and its protocol; PyTorch's first pickle is this magic number.
constexpr char kPickle = '\x80';
constexpr std::string_view kMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

// Returns the first bytes of a file; fewer if it is shorter, and none if it cannot be read.
std::string first_bytes(const fs::path& file) {
    std::error_code ignored;  // an inaccessible file cannot be read either
    if (!fs::is_regular_file(file, ignored)) {
        return "";
    }
    std::array<char, 32> bytes{};
    std::ifstream in(file, std::ios::binary);
    in.read(bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(in.gcount())};
}

// Checks the length of the header and its first character, that of a JSON object.
bool looks_like_safetensors(const fs::path& file, std::string_view bytes) {
    std::uint64_t length = 0;
    std::error_code error;
    const std::uint64_t file_size = fs::file_size(file, error);
    if (error || bytes.size() <= sizeof(length)) {
        return false;
    }
    std::memcpy(&length, bytes.data(), sizeof(length));
    return length <= file_size - sizeof(length) && bytes[sizeof(length)] == '{';
}

}  // namespace

fs::path weights_file(const fs::path& named) {
    std::error_code ignored;  // an inaccessible file counts as missing
    if (!fs::is_directory(named, ignored)) {
        return named;
    }
    const bool is_checkpoint = fs::exists(named / kWeightsFile, ignored);
    const fs::path folder = is_checkpoint ? named : named / kCheckpointsFolder / kBestCheckpoint;
    const bool is_averaged = fs::exists(folder / kAveragesFile, ignored);
    return folder / (is_averaged ? kAveragesFile : kWeightsFile);
}

WeightsForm weights_form(const fs::path& file) {
    const std::string bytes = first_bytes(file);
    if (bytes.starts_with(kZip)) {
        return WeightsForm::kTorchZip;
    }
    if (bytes.starts_with(kPickle) && bytes.find(kMagic) != std::string::npos) {
        return WeightsForm::kTorchLegacy;
    }
    return looks_like_safetensors(file, bytes) ? WeightsForm::kSafetensors : WeightsForm::kNone;
}

std::string why_no_weights(const fs::path& file) {
    std::error_code ignored;  // an inaccessible file cannot be read either
    if (!fs::is_regular_file(file, ignored) || !std::ifstream(file)) {
        return "cannot be read";
    }
    return "is not a file of weights: neither safetensors nor what torch.save() writes (.pth, .pt)";
}

}  // namespace ptp::experiment
