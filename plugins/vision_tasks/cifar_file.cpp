// Finds the files in the folder or below it, and reads their records.

#include "cifar_file.hpp"

#include <ptp/error.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace {

namespace fs = std::filesystem;

fs::path find_cifar_file(const CifarRequest& request, const std::string& name) {
    const fs::path here = request.folder / name;
    const fs::path below = request.folder / request.unpacked / name;
    for (const fs::path& candidate : {here, below}) {
        if (fs::exists(candidate)) {
            return candidate;
        }
    }
    throw ptp::DataError(here, ": no such file, nor ", request.unpacked / name, "; ",
                         request.remedy);
}

std::vector<uint8_t> read_whole(const fs::path& path) {
    std::vector<uint8_t> bytes(fs::file_size(path));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) {
        throw ptp::DataError(path, ": cannot be read: ", std::strerror(errno));
    }
    return bytes;
}

void append(const fs::path& path, const CifarRequest& request, CifarRecords& records) {
    const std::vector<uint8_t> bytes = read_whole(path);
    const size_t label_bytes = request.label_counts.size();
    const size_t record = label_bytes + kCifarImageBytes;
    if (bytes.empty() || bytes.size() % record != 0) {
        throw ptp::DataError(path, ": is ", bytes.size(), " bytes long, expected a multiple of ",
                             record, ", the file is damaged; ", request.remedy);
    }
    records.pixels.reserve(records.pixels.size() + bytes.size());
    for (size_t at = 0; at < bytes.size(); at += record) {
        for (size_t i = 0; i < label_bytes; ++i) {
            const uint8_t label = bytes[at + i];
            if (label >= request.label_counts[i]) {
                throw ptp::DataError(path, ": byte ", at + i, " is the label ", int{label},
                                     ", expected 0 to ", request.label_counts[i] - 1,
                                     ", the file is damaged; ", request.remedy);
            }
            records.labels[i].push_back(label);
        }
        const auto image = bytes.begin() + static_cast<std::ptrdiff_t>(at + label_bytes);
        records.pixels.insert(records.pixels.end(), image, image + kCifarImageBytes);
        ++records.count;
    }
}

}  // namespace

CifarRecords read_cifar(const CifarRequest& request) {
    CifarRecords records;
    records.labels.resize(request.label_counts.size());
    std::string problems;
    for (const std::string& name : request.files) {
        try {
            append(find_cifar_file(request, name), request, records);
        } catch (const std::exception& error) {
            problems += (problems.empty() ? "" : "\n") + std::string(error.what());
        }
    }
    if (!problems.empty()) {
        throw ptp::DataError(problems);
    }
    return records;
}
