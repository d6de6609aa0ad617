// Finds files of weights, and detects their format by their first and last bytes.

#include "experiment/weights_file.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/tar.hpp"

#include <algorithm>
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

constexpr std::size_t kShortBegin = 32;
constexpr std::size_t kLongPart = std::size_t{4} << 20U;

// The first or the last bytes of a file, at most `count`; none where it cannot be read.
std::string bytes_of(const fs::path& file, std::size_t count, bool is_end = false) {
    std::error_code error;  // what cannot be looked at cannot be read either
    if (!fs::is_regular_file(file, error)) {
        return "";
    }
    const std::uint64_t size = fs::file_size(file, error);
    std::string bytes(count, '\0');
    std::ifstream in(file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(is_end && !error && size > count ? size - count : 0));
    in.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(in.gcount()));
    return bytes;
}

bool has(const std::string& bytes, std::string_view text) {
    return bytes.find(text) != std::string::npos;
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
    const std::string bytes = bytes_of(file, kShortBegin);
    if (bytes.starts_with(kBundleManifest)) {
        return is_bundle(file) ? WeightsForm::kBundle : WeightsForm::kNone;
    }
    if (bytes.starts_with(kZip)) {
        return WeightsForm::kTorchZip;
    }
    if (bytes.starts_with(kPickle) && bytes.find(kMagic) != std::string::npos) {
        return WeightsForm::kTorchLegacy;
    }
    return looks_like_safetensors(file, bytes) ? WeightsForm::kSafetensors : WeightsForm::kNone;
}

WeightsBytes weights_bytes(const fs::path& file) {
    if (!is_bundle(file)) {
        return {0, InputFile(file).size()};
    }
    const fs::path place = fs::path(kCheckpointsFolder) / kBestCheckpoint / kWeightsFile;
    const std::vector<ArchivedFile> members = tar_members(file, kMaxBundleFiles);
    const auto found = std::ranges::find(members, place.string(), &ArchivedFile::path);
    if (found == members.end()) {
        throw FileError("has no weights");
    }
    return {found->offset, found->size};
}

bool is_bundle(const fs::path& file) {
    return begins_as_tar(file, kBundleManifest);
}

std::string why_no_weights(const fs::path& file) {
    std::error_code ignored;  // an inaccessible file cannot be read either
    if (!fs::is_regular_file(file, ignored) || !std::ifstream(file)) {
        return "cannot be read";
    }
    const WeightsForm form = weights_form(file);
    if (form == WeightsForm::kBundle) {
        try {
            static_cast<void>(weights_bytes(file));
            return "";
        } catch (const FileError& error) {
            return error.what();
        }
    }
    const std::string end = bytes_of(file, kLongPart, true);
    if (form == WeightsForm::kTorchZip && !has(end, "PK\x05\x06")) {
        return "is damaged or not whole: it is a zip archive without its end";
    }
    if (form == WeightsForm::kTorchZip && has(end, "/constants.pkl")) {
        return "holds a TorchScript program, which is not run: in Python, torch.save(torch.jit.load(\"" +
               file.filename().string() +
               "\").state_dict(), \"weights.pth\") writes its weights alone";
    }
    const bool is_pickled = form == WeightsForm::kTorchZip || form == WeightsForm::kTorchLegacy;
    if (is_pickled && has(bytes_of(file, kLongPart), "ctorch.nn.modules.")) {
        return "holds a whole model, whose code is not run: in Python, torch.save(model.state_dict(), "
               "\"weights.pth\") writes its weights alone";
    }
    if (form != WeightsForm::kNone) {
        return "";
    }
    return "is not a file of weights: neither safetensors nor what torch.save() writes (.pth, .pt)";
}

}  // namespace ptp::experiment
