// Copies, verifies and opens plugins, phase by phase; each phase has errors of its own.

#include "plugin/loader.hpp"

#include "base/file_error.hpp"
#include "plugin/companions.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/manifest_json.hpp"
#include "plugin/note.hpp"
#include "plugin/open.hpp"

#include <fmt/format.h>

#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

// An error of a phase becomes a LoadError that names the user's file.
template <class Work>
auto in_load_phase(LoadPhase phase, const fs::path& path, Work work) {
    return ptp::in_phase<LoadError>(work, [&](const Explanation& cause, RefusedFor refused_for) {
        return LoadError(path, phase, cause, refused_for);
    });
}

Manifest verify(const fs::path& copy, const Manifest& expected) {
    Manifest manifest = read_manifest(copy);
    if (const auto difference = first_difference(expected, manifest)) {
        throw FileError(fmt::format("has changed since it was found: {} was {} and is {}",
                                    difference->field, difference->left, difference->right));
    }
    return manifest;
}

// Abilities are not compared: they are asked for when they are used.
void compare(Manifest manifest, const ptp_plugin_info& info) {
    for (Component& component : manifest.components) {
        component.abilities.reset();
    }
    if (const auto difference = first_difference(manifest, from_descriptor(info))) {
        throw WithFix<FileError>(
            {fmt::format("its manifest has {} = {}, its code has {}", difference->field,
                         difference->left, difference->right),
             "build it with ptp_add_plugin(), which writes the manifest from the code"});
    }
}

}  // namespace

std::string_view to_string(LoadPhase phase) {
    constexpr std::string_view kWords[] = {"copy", "verify", "open", "compare"};
    return kWords[static_cast<std::size_t>(phase) - 1];
}

LoadError::LoadError(const fs::path& path, LoadPhase phase, const Explanation& cause,
                     RefusedFor refused_for)
    : PhaseError(fmt::format("{}: cannot be loaded ({}): ", path.string(), to_string(phase)), phase,
                 cause, refused_for) {}

Loader::Loader(const fs::path& private_folder) : copies_(private_folder) {}

Manifest Loader::copy(const CatalogEntry& entry, const StageClock& clock) {
    if (copies_.holds(entry.path)) {
        return in_load_phase(LoadPhase::kVerify, entry.path,
                             [&] { return read_manifest(entry.path); });
    }
    const StageRequest request{
        .file = entry.path, .name = entry.manifest.name, .quiet = std::chrono::milliseconds(0)};
    try {
        // Never nullopt: the request names no active hashes.
        Staged staged = stage(request, copies_, clock).value();
        made_.insert_or_assign(entry.path, Copy{staged.copy.path, std::move(staged.hash)});
        return std::move(staged.copy.manifest);
    } catch (const StageError& error) {
        throw LoadError(entry.path,
                        error.phase() == StagePhase::kStage ? LoadPhase::kCopy : LoadPhase::kVerify,
                        error.cause(), error.refused_for());
    }
}

Loader::Copy Loader::take(const CatalogEntry& entry) {
    if (auto made = made_.extract(entry.path)) {
        return std::move(made.mapped());
    }
    if (copies_.holds(entry.path)) {
        return {entry.path, build_hash(entry.path)};
    }
    const StageRequest request{.file = entry.path, .name = entry.manifest.name};
    Staged copied = copy_once(request, copies_, entry.path, state_of(entry.path)).value();
    return {std::move(copied.copy.path), std::move(copied.hash)};
}

Generation Loader::load(const CatalogEntry& entry) {
    const Copy made = in_load_phase(LoadPhase::kCopy, entry.path, [&] { return take(entry); });
    Manifest manifest = in_load_phase(LoadPhase::kVerify, entry.path,
                                      [&] { return verify(made.path, entry.manifest); });
    const ptp_plugin_info* const info =
        in_load_phase(LoadPhase::kOpen, entry.path, [&] { return &open_plugin(made.path); });
    in_load_phase(LoadPhase::kCompare, entry.path, [&] { compare(manifest, *info); });
    return {std::move(manifest), *info, made.path, made.hash};
}

}  // namespace ptp::plugin
