#include "plugin/note.hpp"

#include "plugin/manifest_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ptp::plugin {

namespace {

constexpr std::string_view kOwner = "PTP";
constexpr std::uint32_t kManifestType = 1;
constexpr std::size_t kBytesInLine = 80;

bool is_manifest(const ElfNote& note) {
    return note.owner == kOwner && note.type == kManifestType;
}

// In a string of the assembler; `text` is ASCII without control characters.
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
    const bool ascii_only = true;
    const std::string json = to_json(manifest).dump(-1, ' ', ascii_only);
    std::string lines;
    for (std::size_t at = 0; at < json.size(); at += kBytesInLine) {
        lines += fmt::format("    .ascii \"{}\"\n",
                             escaped(std::string_view(json).substr(at, kBytesInLine)));
    }
    // "R" keeps the section when unused sections are collected.
    return fmt::format(
        "/* The manifest of plugin {}, written by ptp-manifest. */\n"
        "    .section .note.ptp, \"aR\", %note\n"
        "    .balign 4\n"
        "    .long 2f - 1f\n"
        "    .long 4f - 3f\n"
        "    .long {}\n"
        "1:  .asciz \"{}\"\n"
        "2:  .balign 4\n"
        "3:\n"
        "{}"
        "4:  .balign 4\n"
        "    .section .note.GNU-stack, \"\", %progbits\n",
        manifest.name, kManifestType, kOwner, lines);
}

bool has_note(const ElfFile& file) {
    return std::ranges::any_of(file.notes, is_manifest);
}

Manifest read_note(const ElfFile& file) {
    const auto note = std::ranges::find_if(file.notes, is_manifest);
    if (note == file.notes.end()) {
        throw FileError("has no manifest: build it with ptp_add_plugin()");
    }
    if (std::ranges::count_if(file.notes, is_manifest) > 1) {
        throw FileError("has more than one manifest");
    }
    return from_json(note->content);
}

}  // namespace ptp::plugin
