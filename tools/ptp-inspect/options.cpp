#include "options.hpp"

#include "common/color_option.hpp"
#include "common/command_line.hpp"

#include <boost/program_options.hpp>

#include <sstream>

namespace ptp::inspect {

namespace {

namespace po = boost::program_options;

po::options_description visible_options() {
    po::options_description options("Options", 78, 39);
    options.add_options()  //
        ("plugins", po::value<std::vector<std::string>>()->value_name("FOLDER"),
         "search this folder first; may be repeated")  //
        ("json", "print JSON")                         //
        ("markdown", "print a reference in Markdown")  //
        ("check",
         "judge plugin files: load each in a process of its own, compare what it says with what it "
         "is, and run its components on made-up values")  //
        ("with", po::value<std::string>()->value_name("FILE.toml"),
         "for --check: settings for components, in a table for each type, such as the data of a "
         "task")  //
        ("time-limit", po::value<int>()->value_name("SECONDS")->default_value(20),
         "for --check: how long loading a plugin may take, and one component")      //
        ("color", po::value<std::string>()->value_name("WHEN"), tools::kColorHelp)  //
        ("help,h", "print this text")                                               //
        ("version", "print the version");
    return options;
}

po::variables_map read(int argc, char** argv) {
    po::options_description all = visible_options();
    all.add_options()("name", po::value<std::vector<std::string>>(), "");
    po::positional_options_description positional;
    positional.add("name", -1);
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        tools::take_color_option(arguments);
        return tools::read({arguments, all, positional});
    } catch (const po::error& error) {
        throw UsageError(error.what());
    }
}

std::vector<std::string> list(const po::variables_map& values, const char* option) {
    return values.count(option) != 0 ? values[option].as<std::vector<std::string>>()
                                     : std::vector<std::string>();
}

// Options that would have no effect are mistakes.
void refuse_contradictions(const po::variables_map& values) {
    const auto has = [&](const char* option) { return values.count(option) != 0; };
    if (has("json") && has("markdown")) {
        throw UsageError("--json and --markdown exclude each other");
    }
    if (has("check") && (has("json") || has("markdown") || has("plugins"))) {
        throw UsageError("--check goes with none of --json, --markdown and --plugins");
    }
    if (has("check") && !has("name")) {
        throw UsageError("--check needs the files of plugins");
    }
    if (!has("check") && has("with")) {
        throw UsageError("--with is for --check");
    }
    if (!has("check") && !values["time-limit"].defaulted()) {
        throw UsageError("--time-limit is for --check");
    }
    if (values["time-limit"].as<int>() <= 0) {
        throw UsageError("--time-limit must be at least 1 second");
    }
}

}  // namespace

Options parse_options(int argc, char** argv) {
    const po::variables_map values = read(argc, argv);
    Options options;
    options.wants_help = values.count("help") != 0;
    options.wants_version = values.count("version") != 0;
    if (options.wants_help || options.wants_version) {
        return options;
    }
    refuse_contradictions(values);
    options.names = list(values, "name");
    for (const std::string& folder : list(values, "plugins")) {
        options.plugin_folders.emplace_back(folder);
    }
    options.format = values.count("json") != 0       ? Format::json
                     : values.count("markdown") != 0 ? Format::markdown
                                                     : Format::text;
    options.checks = values.count("check") != 0;
    options.time_limit_s = values["time-limit"].as<int>();
    if (values.count("with") != 0) {
        options.given = values["with"].as<std::string>();
    }
    return options;
}

std::string usage() {
    std::ostringstream out;
    out << "usage: ptp-inspect [PLUGIN-FILE | PLUGIN | TYPE]... [OPTION]...\n\n"
           "Prints what plugins offer, without running their code: streams, settings, globals and\n"
           "statistics of each component. Without a name: an overview of all plugins on the\n"
           "search path (--plugins, PTP_PLUGIN_PATH, the installation).\n\n"
        << visible_options()
        << "\nExit status: 0 done, 2 wrong command line or file of --with, 3 a name was not found, "
           "or\n"
           "a plugin did not pass --check.\n";
    return out.str();
}

}  // namespace ptp::inspect
