// Names files after episodes, and finds the episode in a name.

#include "engine/output/numbered_files.hpp"

#include "engine/checkpoint/safetensors.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <system_error>

namespace ptp::engine {

namespace {

constexpr const char* kTensorsEnding = ".safetensors";

// Returns the episode in the name of a file; nullopt for a file with another name.
std::optional<std::uint64_t> episode_in_name(const std::filesystem::path& path) {
    const std::string stem = path.stem();
    const std::size_t digits = stem.rfind('_') + 1;
    std::uint64_t episode = 0;
    const char* const end = stem.data() + stem.size();
    const auto read = std::from_chars(stem.data() + digits, end, episode);
    return path.extension() == kTensorsEnding && digits != 0 && read.ec == std::errc() &&
                   read.ptr == end
               ? std::optional(episode)
               : std::nullopt;
}

}  // namespace

void prepare_numbered_files(const std::filesystem::path& folder, std::uint64_t first_episode) {
    std::filesystem::create_directories(folder);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto episode = episode_in_name(entry.path());
        if (episode && *episode >= first_episode) {
            std::filesystem::remove(entry.path());
        }
    }
}

void write_numbered_file(const std::filesystem::path& folder, std::string_view prefix,
                         std::uint64_t episode, const TensorsByName& tensors,
                         const std::map<std::string, std::string>& metadata) {
    const std::filesystem::path path =
        folder / fmt::format("{}_{:06}{}", prefix, episode, kTensorsEnding);
    std::filesystem::path part = path;
    part += ".part";
    std::filesystem::remove(part);
    write_safetensors(part, tensors, metadata);
    std::filesystem::rename(part, path);
}

}  // namespace ptp::engine
