// ptp-manifest PLUGIN.so OUT.S: asks a plugin for its description and writes the assembler source
// of the note that ptp_add_plugin() links into the plugin's file.
//
// Exit status: 0 written, 2 wrong command line or OUT.S cannot be written, 3 the plugin is wrong.

#include "plugin/descriptor.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/note.hpp"
#include "plugin/open.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace {

namespace fs = std::filesystem;
using namespace ptp;

constexpr int kUsage = 2;
constexpr int kPluginIsWrong = 3;

plugin::Manifest describe(const fs::path& path) {
    const plugin::ElfFile file = plugin::read_elf(path);
    if (file.exported.size() > 1) {
        throw plugin::FileError("exports other symbols than " PTP_ENTRY_SYMBOL
                                ": link it with the SDK's plugin.map");
    }
    plugin::Manifest manifest = plugin::from_descriptor(plugin::open_plugin(fs::absolute(path)));
    if (const auto refusal = plugin::refuse_build(manifest.build, plugin::host_build())) {
        throw plugin::FileError(*refusal);
    }
    return manifest;
}

// Renamed when complete: a build that is interrupted must not leave half a file that looks new.
bool write(const fs::path& path, const std::string& content) {
    const fs::path temporary = path.string() + ".new";
    std::ofstream file(temporary, std::ios::binary);
    file << content;
    file.close();
    std::error_code error;
    fs::rename(temporary, path, error);
    return file.good() && !error;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: ptp-manifest PLUGIN.so OUT.S\n", stderr);
        return kUsage;
    }
    try {
        const plugin::Manifest manifest = describe(argv[1]);
        if (!write(argv[2], plugin::note_source(manifest))) {
            std::fprintf(stderr, "%s: cannot be written\n", argv[2]);
            return kUsage;
        }
        return 0;
    } catch (const plugin::ManifestError& error) {
        for (const std::string& problem : error.problems()) {
            std::fprintf(stderr, "%s: %s\n", argv[1], problem.c_str());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    }
    return kPluginIsWrong;
}
