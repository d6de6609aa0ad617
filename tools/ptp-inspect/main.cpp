// ptp-inspect: lists what plugins offer, and checks them by rules; see `ptp-inspect --help`.

#include "base/system_file.hpp"
#include "commands.hpp"
#include "common/color_option.hpp"
#include "json_listing.hpp"
#include "markdown_listing.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_check.hpp"
#include "selection.hpp"
#include "text_listing.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace ptp::inspect {

namespace {

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

int list(const Options& options) {
    const Plugins plugins = find_plugins(options);
    Selection selection = select(options.names, plugins);
    if (options.names.empty()) {
        for (const plugin::CatalogEntry& entry : plugins.catalog.plugins) {
            selection.plugins.push_back(&entry);
        }
    }
    switch (options.format) {
        case Format::kJson:
            print(json_listing(selection, plugins.catalog));
            break;
        case Format::kMarkdown:
            print(markdown_listing(selection));
            break;
        case Format::kText:
            print(options.names.empty() ? overview(plugins.catalog, style_of_output())
                                        : pages(selection, style_of_output()));
            break;
    }
    return EXIT_SUCCESS;
}

int run_command(const tools::Command& command, const tools::Strings& words) {
    const tools::Given given = tools::parse(command, words);
    if (given.has("help")) {
        print(tools::help_of(command, "ptp-inspect"));
        return EXIT_SUCCESS;
    }
    return command.run(given);
}

int run(int argc, char** argv) {
    const Options options = parse_options(argc, argv);
    if (options.wants_help) {
        print(usage());
        return EXIT_SUCCESS;
    }
    if (options.wants_version) {
        print("ptp-inspect " PTP_VERSION "\n");
        return EXIT_SUCCESS;
    }
    return options.checks ? run_check(options) : list(options);
}

}  // namespace

int run_program(int argc, char** argv) {
    system::report_size_limit();
    system::outlive_reader();
    const tools::Command* command = nullptr;
    try {
        tools::Strings words(argv + 1, argv + argc);
        tools::take_color_option(words);
        command = words.empty() ? nullptr : find_command(words.front());
        if (command == nullptr) {
            return run(argc, argv);
        }
        words.erase(words.begin());
        return run_command(*command, words);
    } catch (const tools::UsageError& error) {
        const std::string name = command == nullptr ? "" : command->name + " ";
        return complain(error.what() + ("\n    help: ptp-inspect " + name + "--help"), kUsage);
    } catch (const UsageError& error) {
        return complain(std::string(error.what()) + "\n    help: ptp-inspect --help", kUsage);
    } catch (const OutputError& error) {
        return complain(error.what(), kOutput);
    } catch (const NotFound& error) {
        return complain(error.what(), kPlugin);
    } catch (const std::exception& error) {
        return complain(error.what(), kPlugin);
    }
}

}  // namespace ptp::inspect

int main(int argc, char** argv) {
    return ptp::inspect::run_program(argc, argv);
}
