// ptp-inspect: lists what plugins offer, and checks them by rules; see `ptp-inspect --help`.

#include "base/json.hpp"
#include "base/system_file.hpp"
#include "base/terminal.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "listing.hpp"
#include "options.hpp"
#include "plugin/catalog.hpp"
#include "plugin/manifest_json.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>

namespace ptp::inspect {

namespace {

// Returns the members of `first`, followed by those of `rest`.
Json with(Json first, const Json& rest) {
    for (const auto& [name, value] : rest.items()) {
        first[name] = value;
    }
    return first;
}

// {"plugins": [{"path", manifest...}], "components": [{"plugin", component...}],
//  "rejected": [{"path", "reason"}]}; see plugin/manifest_json.hpp for the rest.
std::string json_listing(const Selection& selection, const plugin::Catalog& catalog) {
    Json out = {
        {"plugins", Json::array()}, {"components", Json::array()}, {"rejected", Json::array()}};
    for (const plugin::CatalogEntry* entry : selection.plugins) {
        out["plugins"].push_back(
            with({{"path", entry->path.string()}, {"libraries", needed_libraries(entry->path)}},
                 plugin::to_json(entry->manifest)));
    }
    for (const plugin::Found& found : selection.components) {
        out["components"].push_back(
            with({{"plugin", found.plugin->manifest.name}}, plugin::to_json(*found.component)));
    }
    for (const plugin::RejectedFile& file : catalog.rejected) {
        out["rejected"].push_back({{"path", file.path.string()}, {"reason", file.reason}});
    }
    // Replaces bytes of paths, which need not be UTF-8.
    return text_of(out, 2) + "\n";
}

std::string pages(const Selection& selection, const Style& style) {
    std::string out;
    for (const plugin::CatalogEntry* entry : selection.plugins) {
        out += (out.empty() ? "" : "\n") + plugin_page(*entry, style);
    }
    for (const plugin::Found& found : selection.components) {
        out += (out.empty() ? "" : "\n") +
               component_page(*found.component, found.plugin->manifest, style);
    }
    return out;
}

int list(const tools::Given& given) {
    const tools::Strings& names = given.operands();
    if (!names.empty() && std::ranges::all_of(names, is_bundle_name)) {
        return show_bundles(names, given.has("json"));
    }
    const Style style{.has_colors = has_color(STDOUT_FILENO)};
    const Plugins plugins = find_plugins(given);
    Selection selection = select(names, plugins);
    if (names.empty()) {
        for (const plugin::CatalogEntry& entry : plugins.catalog.plugins) {
            selection.plugins.push_back(&entry);
        }
    }
    if (given.has("json")) {
        print(json_listing(selection, plugins.catalog));
    } else if (given.has("markdown")) {
        print(markdown_listing(selection));
    } else {
        print(names.empty() ? overview(plugins.catalog, style) : pages(selection, style));
    }
    return EXIT_SUCCESS;
}

int run_command(const tools::Command& command, const tools::Strings& words) {
    const tools::Given given = tools::parse(command, words);
    if (given.has("help")) {
        print(command.name.empty() ? usage() : tools::help_of(command, "ptp-inspect"));
        return EXIT_SUCCESS;
    }
    if (given.has("version")) {
        print("ptp-inspect " PTP_VERSION "\n");
        return EXIT_SUCCESS;
    }
    return !command.name.empty() ? command.run(given)
           : given.has("check")  ? run_check(given)
                                 : list(given);
}

}  // namespace

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    const tools::Command* command = &unnamed_command();
    try {
        tools::Strings words(argv + 1, argv + argc);
        tools::take_color_option(words);
        const std::string word = words.empty() ? "" : words.front();
        const auto named = std::ranges::find(commands(), word, &tools::Command::name);
        if (named != commands().end()) {
            command = &*named;
            words.erase(words.begin());
        }
        return run_command(*command, words);
    } catch (const tools::UsageError& error) {
        const std::string name = command->name.empty() ? "" : command->name + " ";
        return complain(error.what() + ("\n    help: ptp-inspect " + name + "--help"), kUsage);
    } catch (const tools::OutputError& error) {
        return complain(error.what(), error.code());
    } catch (const std::exception& error) {
        return complain(error.what(), kPlugin);
    }
}

}  // namespace ptp::inspect

int main(int argc, char** argv) {
    return ptp::inspect::run_program(argc, argv);
}
