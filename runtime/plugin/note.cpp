// Reads a plugin's manifest from its file, checks its seal and its build, and writes both when the
// plugin is built.

#include "plugin/note.hpp"

#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/manifest_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace ptp::plugin {

namespace {

constexpr std::uint32_t kManifestType = 1;
constexpr std::uint32_t kSealType = 2;
constexpr std::size_t kSealDigits = 64;
constexpr std::uint32_t kFirstSealedMinor = 2;  // plugins of ABI 1.0 and 1.1 have no seal
constexpr std::size_t kBytesInLine = 80;
constexpr const char* kBuildFix = "build it with ptp_add_plugin()";

// Returns the only note of a type; nullptr if there is none.
const LibraryNote* find_note(const LibraryFile& file, std::uint32_t type, std::string_view name) {
    const LibraryNote* found = nullptr;
    for (const LibraryNote& note : file.notes) {
        if (note.owner != kNoteOwner || note.type != type) {
            continue;
        }
        if (found != nullptr) {
            throw FileError(fmt::format("has more than one {}", name));
        }
        found = &note;
    }
    return found;
}

const LibraryNote& manifest_note(const LibraryFile& file) {
    const LibraryNote* const note = find_note(file, kManifestType, "manifest");
    if (note == nullptr) {
        throw WithFix<FileError>({"has no manifest", kBuildFix});
    }
    return *note;
}

// Returns the placeholder of the seal in a file that is not sealed.
std::string no_seal() {
    return std::string(kSealDigits, '0');
}

// Returns the hash of the manifest and the code, without constants: the seal of SDKs up to 1.2, and
// of DLLs.
std::string seal_of_code(const LibraryFile& file) {
    return sha256(fmt::format("ptp seal 1\n{}\n{}", file.code_hash, manifest_note(file).content));
}

std::string right_seal(const LibraryFile& file) {
    if (file.loaded_hash.empty()) {
        return seal_of_code(file);
    }
    return sha256(fmt::format("ptp seal 2\n{}\n{}", file.loaded_hash, manifest_note(file).content));
}

void check_seal(const LibraryFile& file, const LibraryNote& seal) {
    if (seal.content == no_seal()) {
        throw UnfinishedFile(
            "is not sealed: the last step of its build, ptp-manifest --seal FILE, is missing");
    }
    if (seal.content != right_seal(file) && seal.content != seal_of_code(file)) {
        throw WithFix<FileError>(
            {"has changed since it was built: its manifest, code and constants are not what its seal "
             "was made of",
             "build it again, or copy it again from where it was built"});
    }
}

// Writes bytes into a file, which is unchanged on failure, for example on a full disk.
void write_at(const std::filesystem::path& path, std::uint64_t offset, const std::string& bytes) {
    const std::filesystem::path file = std::filesystem::canonical(path);  // a link stays one
    const auto permissions = std::filesystem::status(file).permissions();
    std::string content = read_text(file);
    content.replace(offset, bytes.size(), bytes);
    replace_file(file, content);
    std::filesystem::permissions(file, permissions);
}

// Returns ASCII text for the assembler.
std::string ascii_json(const Manifest& manifest) {
    const bool ascii_only = true;
    return to_json(manifest).dump(-1, ' ', ascii_only);
}

// Returns one note in assembler syntax; `content` are its lines.
std::string source_of(std::uint32_t type, std::string_view content) {
    return fmt::format(
        "    .balign 4\n"
        "    .long 2f - 1f\n"
        "    .long 4f - 3f\n"
        "    .long {}\n"
        "1:  .asciz \"{}\"\n"
        "2:  .balign 4\n"
        "3:\n"
        "{}4:  .balign 4\n",
        type, kNoteOwner, content);
}

// Escapes a string for the assembler; `text` is ASCII without control characters.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c;
    }
    return out;
}

}  // namespace

std::string note_source(const Manifest& manifest) {
    const std::string json = ascii_json(manifest);
    std::string lines;
    for (std::size_t at = 0; at < json.size(); at += kBytesInLine) {
        lines += fmt::format("    .ascii \"{}\"\n",
                             escaped(std::string_view(json).substr(at, kBytesInLine)));
    }
    const NoteSection section = note_section();
    return fmt::format(
        "/* The manifest of plugin {}, written by ptp-manifest. */\n"
        "{}{}{}{}",
        manifest.name, section.begin, source_of(kManifestType, lines),
        source_of(kSealType, fmt::format("    .ascii \"{}\"\n", no_seal())), section.end);
}

// Relies on to_json(), which writes the plugin's name before the names of its components.
std::string name_in_note(const LibraryFile& file) {
    constexpr std::string_view kKey = "\"name\":\"";
    const auto note = std::ranges::find_if(file.notes, [](const LibraryNote& one) {
        return one.owner == kNoteOwner && one.type == kManifestType;
    });
    const std::string_view text = note == file.notes.end() ? std::string_view() : note->content;
    const std::size_t key = text.find(kKey);
    if (key == std::string_view::npos) {
        return "";
    }
    const std::size_t begin = key + kKey.size();
    return std::string(text.substr(begin, text.find('"', begin) - begin));
}

Manifest read_note(const LibraryFile& file) {
    const LibraryNote& note = manifest_note(file);
    const LibraryNote* const seal = find_note(file, kSealType, "seal");
    if (seal != nullptr) {
        check_seal(file, *seal);
    }
    Manifest manifest = from_json(note.content);
    if (seal == nullptr && manifest.abi_minor >= kFirstSealedMinor) {
        throw WithFix<FileError>({"has no seal, as plugins have from ABI 1.2 on", kBuildFix});
    }
    return manifest;
}

void seal_file(const std::filesystem::path& path) {
    const LibraryFile file = read_library(path);
    const LibraryNote* const place = find_note(file, kSealType, "seal");
    if (place == nullptr || place->content.size() != kSealDigits) {
        throw WithFix<FileError>(
            {"has no room for a seal",
             "link it with the file that ptp-manifest PLUGIN.so OUT.S writes"});
    }
    const std::string seal = right_seal(file);
    if (seal != place->content) {
        write_at(path, place->offset, seal);
    }
}

void embed_manifest(const std::filesystem::path& path, const Manifest& manifest) {
    const LibraryNote place = manifest_note(read_library(path));
    std::string json = ascii_json(manifest);
    if (json.size() > place.content.size()) {
        throw FileError(fmt::format("has room for a manifest of {} bytes, and this one has {}",
                                    place.content.size(), json.size()));
    }
    json.resize(place.content.size(), ' ');
    write_at(path, place.offset, json);
    seal_file(path);
}

Manifest read_manifest(const std::filesystem::path& path) {
    return read_manifest(read_library(path));
}

Manifest read_manifest(const LibraryFile& file) {
    if (!file.has_entry) {
        throw WithFix<FileError>({kNoEntry, kNoEntryFix});
    }
    Manifest manifest = read_note(file);
    if (const auto refusal = refuse_build(manifest.build, host_build())) {
        throw WithFix<FileError>(*refusal);
    }
    if (manifest.build.libtorch.empty() && (file.needs("libtorch") || file.needs("libc10"))) {
        throw FileError("links libtorch, but according to its manifest it was built without");
    }
    return manifest;
}

}  // namespace ptp::plugin
