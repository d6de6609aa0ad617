// Writes and checks SHA256SUMS of a checkpoint.

#include "run/hashes.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <map>
#include <sstream>

namespace ptp::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigits = 64;

struct Hashed {
    std::string hash;     // "" if there is a problem
    std::string problem;  // why the file cannot be read; only for lasting reasons
};

std::string sha256_of_weights(const fs::path& bundle) {
    const experiment::WeightsBytes bytes = experiment::weights_bytes(bundle);
    return sha256_of_part(bundle, bytes.offset, bytes.size);
}

Hashed hash_of(const fs::path& file) {
    try {
        // The weights of a bundle that is used as a run are in the bundle.
        return {experiment::is_bundle(file) ? sha256_of_weights(file) : sha256_of_file(file), ""};
    } catch (const ResourceError& error) {
        throw RunError(kTrainingError, fmt::format("{}: {}", file.string(), error.what()));
    } catch (const FileError& error) {
        return {"", fs::is_regular_file(file) ? error.what() : "is not a file"};
    }
}

std::map<std::string, Hashed> hashes_of(const fs::path& folder) {
    std::map<std::string, Hashed> hashes;
    for (const fs::directory_entry& entry : entries_of(folder)) {
        const std::string name = entry.path().filename().string();
        if (name != kHashFile) {
            hashes.emplace(name, hash_of(entry.path()));
        }
    }
    return hashes;
}

std::map<std::string, std::string> listed_hashes(const fs::path& file) {
    std::map<std::string, std::string> listed;
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) {
        if (line.size() <= kDigits + 2 ||
            (line.substr(kDigits, 2) != "  " && line.substr(kDigits, 2) != " *")) {
            throw RunError(kDataError, fmt::format("{}: is not a list of hashes", file.string()));
        }
        listed.emplace(line.substr(kDigits + 2), line.substr(0, kDigits));
    }
    return listed;
}

}  // namespace

void write_hashes(const fs::path& folder) {
    std::string text;
    for (const auto& [name, hashed] : hashes_of(folder)) {
        if (!hashed.problem.empty()) {
            throw RunError(kTrainingError, fmt::format("{}: the checkpoint is not saved: it {}",
                                                       (folder / name).string(), hashed.problem));
        }
        text += fmt::format("{}  {}\n", hashed.hash, name);
    }
    OutputFile file = OutputFile::create(folder / kHashFile);
    file.write(text);
    file.finish();
}

void check_hashes(const fs::path& folder) {
    const auto listed = listed_hashes(folder / kHashFile);
    const auto found = hashes_of(folder);
    std::string problems;
    for (const auto& [name, hash] : listed) {
        const auto place = found.find(name);
        if (place == found.end()) {
            problems += fmt::format("\n  {}: is missing", name);
        } else if (!place->second.problem.empty()) {
            problems += fmt::format("\n  {}: {}", name, place->second.problem);
        } else if (place->second.hash != hash) {
            problems += fmt::format("\n  {}: has changed since it was written", name);
        }
    }
    for (const auto& [name, hash] : found) {
        if (!listed.contains(name)) {
            problems += fmt::format("\n  {}: is not in the list", name);
        }
    }
    if (listed.empty()) {
        problems += "\n  the list of hashes is empty";
    }
    if (!problems.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: the checkpoint is damaged:{}", folder.string(), problems));
    }
}

std::string listed_hash(const fs::path& file) {
    const fs::path list = file.parent_path() / kHashFile;
    if (!fs::exists(list)) {
        return "";
    }
    const auto listed = listed_hashes(list);
    const auto entry = listed.find(file.filename().string());
    return entry == listed.end() ? "" : entry->second;
}

void check_listed_hash(const fs::path& file) {
    const std::string listed = listed_hash(file);
    if (!listed.empty() && listed != hash_of(file).hash) {
        throw RunError(kDataError,
                       fmt::format("{}: has changed since it was written: its hash is not the one "
                                   "in {}",
                                   file.string(), (file.parent_path() / kHashFile).string()));
    }
}

}  // namespace ptp::run
