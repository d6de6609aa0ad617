// ptp-manifest PLUGIN.so OUT.S [--license TEXT] [--author TEXT] [--homepage TEXT]: requests a
// plugin's description and writes the assembler source of the note that ptp_add_plugin() links into
// the plugin's file. The description must contain the values of the options; otherwise nothing is
// written.
//
// ptp-manifest --seal PLUGIN.so: the last step of a plugin's build. Binds the note to the linked
// code, so that a file that is changed or damaged later is rejected.
//
// ptp-manifest --embed PLUGIN.so: the last step if a plugin is made without a linker, from a file
// with space for a manifest. Writes the description there, and seals the file.
//
// Exit status: 0 written; 2 wrong command line, or a file that cannot be written, which is
// unchanged; 3 the plugin is invalid.

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "common/exported_symbols.hpp"
#include "plugin/abilities.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/note.hpp"
#include "plugin/open.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::manifest {

namespace {

namespace fs = std::filesystem;

constexpr int kUsage = 2;
constexpr int kPluginIsWrong = 3;

constexpr const char* kUsageText =
    "usage: ptp-manifest PLUGIN.so OUT.S [--license TEXT] [--author TEXT] [--homepage TEXT]\n"
    "       ptp-manifest --seal PLUGIN.so\n"
    "       ptp-manifest --embed PLUGIN.so\n";

constexpr const char* kHelpText =
    "\n"
    "ptp-manifest asks a plugin for its description, and writes the assembler source of the note\n"
    "that is linked into the plugin's file, so that ptprun and ptp-inspect know it without running\n"
    "its code. With --seal, the last step of a build, it binds the note to the code that it was\n"
    "linked with. ptp_add_plugin() does both.\n"
    "\n"
    "example:\n"
    "  ptp-manifest scale.so scale.manifest.S\n"
    "\n"
    "options:\n"
    "  --license TEXT   the description must have this license; else nothing is written\n"
    "  --author TEXT    the same of the author\n"
    "  --homepage TEXT  the same of the homepage\n"
    "  --seal           seal the file, in place\n"
    "  --embed          write the note into a file that has room for one, and seal it\n"
    "  -h [ --help ]    show this help\n"
    "\n"
    "exit codes: 0 written, 2 wrong command line, or a file that cannot be written, 3 the plugin is\n"
    "wrong\n";

struct Fact {
    std::string_view option;
    const char* name;
    const char* definition;
    std::string plugin::Manifest::*member;
};
constexpr Fact kFacts[] = {
    {"--license", "license", "PTP_PLUGIN_LICENSE", &plugin::Manifest::license},
    {"--author", "author", "PTP_PLUGIN_AUTHOR", &plugin::Manifest::author},
    {"--homepage", "homepage", "PTP_PLUGIN_HOMEPAGE", &plugin::Manifest::homepage}};

struct Options {
    bool is_seal = false;
    bool is_embed = false;
    fs::path file;
    fs::path out;
    std::vector<std::pair<Fact, std::string>> facts;  // with the value that the plugin must have
};

// Returns false if the command line is wrong.
bool parse_arguments(int argc, char** argv, Options& options) {
    if (argc < 3 || argc % 2 == 0) {
        return false;
    }
    options.is_seal = std::string_view(argv[1]) == "--seal";
    options.is_embed = std::string_view(argv[1]) == "--embed";
    if (options.is_seal || options.is_embed) {
        options.file = argv[2];
        return argc == 3;
    }
    options.file = argv[1];
    options.out = argv[2];
    for (int i = 3; i < argc; i += 2) {
        const auto* fact = std::ranges::find(kFacts, std::string_view(argv[i]), &Fact::option);
        if (fact == std::end(kFacts)) {
            return false;
        }
        options.facts.emplace_back(*fact, argv[i + 1]);
    }
    return true;
}

// Checks that the facts in the build files and in the plugin's code are equal.
void require_facts(const plugin::Manifest& manifest, const Options& options) {
    for (const auto& [fact, text] : options.facts) {
        const std::string& said = manifest.*fact.member;
        if (said != text) {
            throw ptp::FileError(
                fmt::format("its {0} is '{1}' where the build has '{2}'; set {0} in its "
                            "ptp_plugin_info to {3}",
                            fact.name, said, text, fact.definition));
        }
    }
}

plugin::Manifest describe(const fs::path& path) {
    plugin::read_library(path);  // throws if loading it could end this process
    if (ptp::tools::exported_symbols(path).names.size() > 1) {
        throw ptp::FileError("exports other symbols than " PTP_ENTRY_SYMBOL
                             ": link it with the SDK's plugin.map");
    }
    const fs::path absolute = fs::absolute(path);
    const ptp_plugin_info& info = plugin::open_plugin(absolute);
    plugin::Manifest manifest = plugin::from_descriptor(info);
    for (std::uint32_t i = 0; i < info.component_count; ++i) {
        plugin::Component& component = manifest.components[i];
        if (plugin::forgets_counts(component, *info.components[i])) {
            throw plugin::ManifestError(
                ptp::Explanation{component.name + ": " + plugin::kForgetsCounts});
        }
        component.abilities = plugin::offered_abilities(*info.components[i]);
    }
    if (const auto refusal = plugin::refuse_build(manifest.build, plugin::host_build())) {
        throw ptp::WithFix<ptp::FileError>(*refusal);
    }
    return manifest;
}

int write_note(const Options& options) {
    require_replaceable(options.out);
    const plugin::Manifest manifest = describe(options.file);
    require_facts(manifest, options);
    replace_file(written_path(options.out), plugin::note_source(manifest));
    return 0;
}

int embed(const Options& options) {
    plugin::embed_manifest(options.file, describe(options.file));
    return 0;
}

int seal(const Options& options) {
    plugin::seal_file(options.file);
    return 0;
}

}  // namespace

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    const std::string_view first = argc == 2 ? argv[1] : "";
    if (first == "--help" || first == "-h") {
        const bool is_written = std::fputs(kUsageText, stdout) >= 0 &&
                                std::fputs(kHelpText, stdout) >= 0 && std::fflush(stdout) == 0;
        return is_written ? 0 : kUsage;
    }
    Options options;
    if (!parse_arguments(argc, argv, options)) {
        std::fputs(kUsageText, stderr);
        return kUsage;
    }
    const std::string name = options.file.string();
    const char* const path = name.c_str();
    try {
        if (options.is_embed) {
            return embed(options);
        }
        return options.is_seal ? seal(options) : write_note(options);
    } catch (const plugin::ManifestError& error) {
        for (const std::string& problem : error.problems()) {
            std::fprintf(stderr, "%s: %s\n", path, problem.c_str());
        }
    } catch (const RunError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return kUsage;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", path, error.what());
    }
    return kPluginIsWrong;
}

}  // namespace ptp::manifest

int main(int argc, char** argv) {
    return ptp::manifest::run_program(argc, argv);
}
