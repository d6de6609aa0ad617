// Names files after episodes, and finds the episode in a name.

#include "engine/output/numbered_files.hpp"

#include "engine/checkpoint/safetensors.hpp"
#include "engine/output/sinks.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <system_error>

namespace ptp::engine {

namespace {

constexpr const char* kTensorsEnding = ".safetensors";
constexpr const char* kEnds = "ends";

struct NumberedName {
    std::string prefix;
    std::uint64_t episode = 0;
};

// Returns nullopt for a file with another name.
std::optional<NumberedName> numbered_name(const std::filesystem::path& path) {
    const std::string stem = path.stem();
    const std::size_t digits = stem.rfind('_') + 1;
    std::uint64_t episode = 0;
    const char* const end = stem.data() + stem.size();
    const auto read = std::from_chars(stem.data() + digits, end, episode);
    return path.extension() == kTensorsEnding && digits != 0 && read.ec == std::errc() &&
                   read.ptr == end
               ? std::optional(NumberedName{stem.substr(0, digits - 1), episode})
               : std::nullopt;
}

}  // namespace

Value NumberedFiles::save() const {
    Value ends = Value::table();
    for (const auto& [prefix, end] : ends_) {
        ends.set(prefix, Value(static_cast<std::int64_t>(end)));
    }
    return Value::table({{kEnds, std::move(ends)}});
}

void NumberedFiles::restore(const Value& saved) {
    ends_.clear();
    const Value* const ends = saved.find(kEnds);
    is_restored_ = ends != nullptr && ends->is_table();
    if (is_restored_) {
        for (const Member& end : ends->members()) {
            ends_[end.key] = saved_number(*ends, end.key.c_str());
        }
    }
}

void NumberedFiles::begin(std::uint64_t first_episode) {
    std::filesystem::create_directories(folder_);
    // The checkpoint before a limit is followed by a validation at its own last episode.
    const std::uint64_t unsaved = first_episode - (is_restored_ && first_episode > 0 ? 1 : 0);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
        const std::optional<NumberedName> name = numbered_name(entry.path());
        if (!name) {
            continue;
        }
        const auto end = ends_.find(name->prefix);
        if (name->episode >= (end == ends_.end() ? unsaved : end->second)) {
            std::filesystem::remove(entry.path());
        }
    }
}

void NumberedFiles::write(const std::string& prefix, std::uint64_t episode,
                          const TensorsByName& tensors,
                          const std::map<std::string, std::string>& metadata) {
    const std::filesystem::path path =
        folder_ / fmt::format("{}_{:06}{}", prefix, episode, kTensorsEnding);
    std::filesystem::path part = path;
    part += ".part";
    std::filesystem::remove(part);
    write_safetensors(part, tensors, metadata);
    std::filesystem::rename(part, path);
    ends_[prefix] = episode + 1;
}

}  // namespace ptp::engine
