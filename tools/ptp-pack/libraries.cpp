// Describes the libraries of a package, and chooses those that this host can use.

#include "ptp-pack/libraries.hpp"

#include "base/sha256.hpp"
#include "plugin/enum_names.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/library_file.hpp"
#include "plugin/note.hpp"
#include "plugin/open.hpp"
#include "ptp-pack/archive.hpp"
#include "ptp-pack/refuse.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>
#include <map>
#include <optional>
#include <utility>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

// Characters that are not fit for a path become '-': "libtorch-1.13.1".
std::string folder_for(const std::string& libtorch) {
    if (libtorch.empty()) {
        return "any-libtorch";
    }
    std::string name = libtorch.starts_with("libtorch") ? libtorch : "libtorch-" + libtorch;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_'; }, '-');
    const auto doubled = std::ranges::unique(
        name, [](char left, char right) { return left == '-' && right == '-'; });
    name.erase(doubled.begin(), doubled.end());
    constexpr std::size_t kMaxFolderName = 60;
    name.resize(std::min(name.size(), kMaxFolderName));
    while (name.ends_with('.') || name.ends_with('-')) {
        name.pop_back();
    }
    return name;
}

// "1.4" as numbers.
std::optional<std::pair<std::uint32_t, std::uint32_t>> abi_numbers(const std::string& text) {
    std::pair<std::uint32_t, std::uint32_t> numbers;
    const char* const end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, numbers.first);
    if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') {
        return std::nullopt;
    }
    const auto minor = std::from_chars(major.ptr + 1, end, numbers.second);
    return minor.ec == std::errc() && minor.ptr == end ? std::optional(numbers) : std::nullopt;
}

// Why this host cannot take it; nullopt if it can.
std::optional<Explanation> refuse_library(const Library& library) {
    if (library.platform != host_platform()) {
        return Explanation{
            fmt::format("is built for {}, this host is {}", library.platform, host_platform())};
    }
    const auto abi = abi_numbers(library.abi);
    if (!abi) {
        return Explanation{fmt::format("has the ABI '{}', which is not a version", library.abi)};
    }
    if (auto why = plugin::refuse_abi(abi->first, abi->second)) {
        return Explanation{"is " + why->reason, why->fix};
    }
    const plugin::Build build{.libtorch = library.libtorch,
                              .standard_library = library.standard_library,
                              .sanitizer = library.sanitizer,
                              .compiler = {}};
    if (auto why = plugin::refuse_build(build, plugin::host_build())) {
        return Explanation{"is " + why->reason, why->fix};
    }
    return std::nullopt;
}

[[noreturn]] void refuse_plugin(const std::string& package, const std::string& plugin,
                                const std::vector<Explanation>& refused) {
    std::string reasons;
    bool has_one_fix = !refused.front().fix.empty();
    for (const Explanation& why : refused) {
        reasons += "\n    " + why.reason;
        has_one_fix = has_one_fix && why.fix == refused.front().fix;
    }
    refuse(kPluginError,
           {fmt::format("{}: has no library of the plugin '{}' for this host{}", package, plugin,
                        reasons),
            has_one_fix ? refused.front().fix
                        : "ask its author for a package for this host, or build the plugin from "
                          "its source"});
}

}  // namespace

std::string host_platform() {
    utsname system{};
    uname(&system);
    return std::string("linux-") + system.machine;
}

std::vector<plugin::Companion> companions_for_any_machine(const fs::path& plugin) {
    return plugin::companions_of(plugin, [](const fs::path& path) {
        return plugin::read_elf(path, plugin::ElfMachine::kAny);
    });
}

std::vector<std::string> missing_libraries(const Library& library,
                                           const std::vector<PackedFile>& files) {
    std::vector<std::string> missing;
    for (const std::string& name : library.needs) {
        const bool is_of_libtorch = name.starts_with("libtorch") || name.starts_with("libc10");
        const bool is_packed = std::ranges::any_of(files, [&](const PackedFile& file) {
            return file.path.starts_with(kLibrariesFolder) && file.path.ends_with("/" + name);
        });
        if (!is_of_libtorch && !is_packed && !plugin::system_has_library(name)) {
            missing.push_back(name);
        }
    }
    return missing;
}

DescribedLibrary describe_library(const fs::path& file) {
    try {
        const plugin::LibraryFile elf = plugin::read_elf(file, plugin::ElfMachine::kAny);
        if (!elf.has_entry) {
            throw WithFix<FileError>({plugin::kNoEntry, plugin::kNoEntryFix});
        }
        const plugin::Manifest manifest = plugin::read_note(elf);
        DescribedLibrary described{
            .library = {.path = {},
                        .sha256 = sha256_of_file(file),
                        .build = {},
                        .plugin = manifest.name,
                        .version = manifest.version,
                        .platform = "linux-" + elf.machine,
                        .abi = fmt::format("{}.{}", manifest.abi_major, manifest.abi_minor),
                        .libtorch = manifest.build.libtorch,
                        .standard_library = manifest.build.standard_library,
                        .sanitizer = manifest.build.sanitizer,
                        .needs = elf.needed,
                        .components = {}},
            .license = manifest.license,
            .author = manifest.author,
            .homepage = manifest.homepage,
            .companions = {}};
        described.companions = companions_for_any_machine(file);
        if (!described.companions.empty()) {
            described.library.build =
                plugin::build_hash(described.library.sha256, described.companions);
        }
        for (const plugin::Component& component : manifest.components) {
            described.library.components.push_back(
                fmt::format("{} {}", to_string(component.kind), component.name));
        }
        return described;
    } catch (const std::exception& error) {
        const Explanation why = explanation_of(error);
        refuse(kPluginError, {fmt::format("{}: {}", file.string(), why.reason), why.fix});
    }
}

std::string packed_path(const Library& library) {
    std::string folder = folder_for(library.libtorch);
    if (library.sanitizer != "none") {
        folder += "-" + library.sanitizer;
    }
    return fmt::format("{}{}/{}/{}.so", kLibrariesFolder, library.platform, folder, library.plugin);
}

std::vector<Library> choose_libraries(const std::vector<Library>& libraries,
                                      const std::string& package) {
    std::map<std::string, const Library*> chosen;  // by plugin
    std::map<std::string, std::vector<Explanation>> refused;
    for (const Library& library : libraries) {
        const Library*& best = chosen[library.plugin];
        if (const auto why = refuse_library(library)) {
            refused[library.plugin].push_back({library.path + " " + why->reason, why->fix});
        } else if (best == nullptr || *abi_numbers(library.abi) > *abi_numbers(best->abi)) {
            best = &library;
        }
    }
    std::vector<Library> all;
    for (const auto& [plugin, library] : chosen) {
        if (library == nullptr) {
            refuse_plugin(package, plugin, refused[plugin]);
        }
        all.push_back(*library);
    }
    return all;
}

bool fits_host(const std::vector<Library>& libraries) {
    std::map<std::string, bool> fits;  // by plugin
    for (const Library& library : libraries) {
        fits[library.plugin] |= !refuse_library(library);
    }
    return std::ranges::all_of(fits, [](const auto& one) { return one.second; });
}

void check_unpacked(const fs::path& file, const Library& library, const std::string& package) {
    const auto complain = [&](const Explanation& why) {
        refuse(kDataError, {fmt::format("{}: {} {}", package, library.path, why.reason), why.fix});
    };
    try {
        const plugin::Manifest manifest = plugin::read_manifest(file);
        const std::string abi = fmt::format("{}.{}", manifest.abi_major, manifest.abi_minor);
        if (plugin::build_hash(file) != library.build_hash()) {
            complain({"is another build than the package declares"});
        }
        if (manifest.name == library.plugin && manifest.version == library.version &&
            abi == library.abi) {
            return;
        }
        complain({fmt::format("is {} {} with ABI {}, and is declared as {} {} with ABI {}",
                              manifest.name, manifest.version, abi, library.plugin, library.version,
                              library.abi)});
    } catch (const Refusal&) {
        throw;
    } catch (const std::exception& error) {
        complain(explanation_of(error));
    }
}

}  // namespace ptp::pack
