#include "plugin/loader.hpp"

#include "plugin/descriptor.hpp"
#include "plugin/difference.hpp"
#include "plugin/file.hpp"
#include "plugin/hash.hpp"
#include "plugin/open.hpp"
#include "plugin/plugin_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigitsInName = 16;

// Runs one phase; what goes wrong in it becomes a LoadError that names the user's file.
template <class Work>
auto in_phase(LoadPhase phase, const fs::path& path, Work work) {
    try {
        return work();
    } catch (const std::exception& error) {
        throw LoadError(path, phase, error.what());
    }
}

[[noreturn]] void fail_to_write(const fs::path& path) {
    throw FileError(
        fmt::format("its copy {} cannot be written: {}", path.string(), std::strerror(errno)));
}

// Returns false if there is a file of that name already. A kill leaves the whole file or a rest with
// another ending, which no search for plugins finds.
bool write_new(const fs::path& path, std::string_view content) {
    if (fs::exists(fs::symlink_status(path))) {
        return false;
    }
    const fs::path made = path.string() + ".new";
    fs::remove(made);
    const int file = ::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
    if (file < 0) {
        fail_to_write(path);
    }
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0 && errno != EINTR) {
            ::close(file);
            fail_to_write(path);
        }
        content.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    const bool is_on_disk = ::fsync(file) == 0 || errno == EINVAL;
    if (::close(file) != 0 || !is_on_disk || ::rename(made.c_str(), path.c_str()) != 0) {
        fail_to_write(path);
    }
    return true;
}

Manifest verify(const fs::path& copy, const Manifest& expected) {
    Manifest manifest = read_manifest(copy);
    if (const auto difference = first_difference(expected, manifest)) {
        throw FileError(fmt::format("has changed since it was found: {} was {} and is {}",
                                    difference->field, difference->left, difference->right));
    }
    return manifest;
}

void compare(const Manifest& manifest, const ptp_plugin_info& info) {
    if (const auto difference = first_difference(manifest, from_descriptor(info))) {
        throw FileError(
            fmt::format("its manifest says {} = {}, its code says {}: build it with "
                        "ptp_add_plugin(), which writes the manifest from the code",
                        difference->field, difference->left, difference->right));
    }
}

}  // namespace

std::string_view word(LoadPhase phase) {
    switch (phase) {
        case LoadPhase::copy:
            return "copy";
        case LoadPhase::verify:
            return "verify";
        case LoadPhase::open:
            return "open";
        case LoadPhase::compare:
            return "compare";
    }
    return "";
}

LoadError::LoadError(const fs::path& path, LoadPhase phase, const std::string& reason)
    : std::runtime_error(
          fmt::format("{}: cannot be loaded ({}): {}", path.string(), word(phase), reason)),
      phase_(phase) {}

struct Loader::Copy {
    fs::path path;
    std::string hash;
};

Loader::Loader(fs::path private_folder) : folder_(std::move(private_folder)) {}

Loader::Copy Loader::copy(const CatalogEntry& entry) {
    const InputFile file(entry.path);
    const std::string content = file.read(0, file.size());
    const std::string hash = sha256(content);
    if (entry.path.parent_path() == fs::absolute(folder_)) {
        return {entry.path, hash};  // The copy of an earlier process.
    }
    fs::create_directories(folder_);
    while (true) {
        const fs::path path =
            fs::absolute(folder_) / fmt::format("{}.{}.{}.so", entry.manifest.name, next_number_++,
                                                hash.substr(0, kHashDigitsInName));
        if (write_new(path, content)) {
            return {path, hash};
        }
    }
}

Generation Loader::load(const CatalogEntry& entry) {
    const Copy made = in_phase(LoadPhase::copy, entry.path, [&] { return copy(entry); });
    Manifest manifest =
        in_phase(LoadPhase::verify, entry.path, [&] { return verify(made.path, entry.manifest); });
    const ptp_plugin_info* const info =
        in_phase(LoadPhase::open, entry.path, [&] { return &open_plugin(made.path); });
    in_phase(LoadPhase::compare, entry.path, [&] { compare(manifest, *info); });
    return {std::move(manifest), *info, made.path, made.hash};
}

}  // namespace ptp::plugin
