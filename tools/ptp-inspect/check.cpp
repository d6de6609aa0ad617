#include "check.hpp"

#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "check_running.hpp"
#include "child.hpp"
#include "common/exported_symbols.hpp"
#include "pipeline/declaration.hpp"
#include "plugin/abilities.hpp"
#include "plugin/elf.hpp"
#include "plugin/loader.hpp"
#include "plugin/plugin_file.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>
#include <string_view>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using plugin::CatalogEntry;
using plugin::Component;
using Problems = std::vector<std::string>;

Problems check_symbols(const tools::ExportedSymbols& symbols) {
    return symbols.names.size() == 1
               ? Problems{}
               : Problems{fmt::format("exports {}: link it with the SDK's plugin.map",
                                      join(symbols.names, ", "))};
}

Problems check_uniqueness(const tools::ExportedSymbols& symbols) {
    return symbols.unique_count == 0
               ? Problems{}
               : Problems{fmt::format("has {} of them: compile it with -fno-gnu-unique",
                                      symbols.unique_count)};
}

Problems check_stack(const plugin::ElfFile& file) {
    return file.has_executable_stack ? Problems{"it is executable: link it with -Wl,-z,noexecstack"}
                                     : Problems{};
}

// Everything that is declared has a help text.
class HelpCheck {
public:
    Problems run(const Component& component) {
        require(component.summary, component.name, "summary");
        settings(component.settings, component.name + ": setting ");
        for (const auto& port : component.ports) {
            require(port.help, fmt::format("{}: port '{}'", component.name, port.name), "help");
        }
        for (const auto& global : component.globals) {
            require(global.help, fmt::format("{}: global '{}'", component.name, global.name),
                    "help");
        }
        for (const auto& statistic : component.statistics) {
            require(statistic.help,
                    fmt::format("{}: statistic '{}'", component.name, statistic.name), "help");
        }
        return std::move(problems_);
    }

private:
    void settings(const std::vector<plugin::Setting>& settings, const std::string& where) {
        for (const auto& setting : settings) {
            const std::string place = fmt::format("{}'{}'", where, setting.name);
            require(setting.help, place, "help");
            this->settings(setting.members, place + ": member ");
        }
    }

    void require(const std::string& text, const std::string& where, std::string_view what) {
        if (text.empty()) {
            problems_.push_back(fmt::format("{}: {} is empty", where, what));
        }
    }

    Problems problems_;
};

Problems check_help(const plugin::Manifest& manifest) {
    Problems problems;
    for (const Component& component : manifest.components) {
        std::ranges::move(HelpCheck().run(component), std::back_inserter(problems));
    }
    return problems;
}

Problems check_declarations(const plugin::Manifest& manifest) {
    Problems problems;
    for (const Component& component : manifest.components) {
        for (const std::string& problem : pipeline::check_declaration(component)) {
            problems.push_back(fmt::format("{}: {}", component.name, problem));
        }
    }
    return problems;
}

// What a component's functions must offer for its kind. Runs the plugin's code.
void check_abilities(const plugin::Generation& generation, std::ostream& out) {
    for (const Component& component : generation.manifest().components) {
        const ptp_component_info& info = *generation.component(component.name);
        if (component.kind == plugin::Kind::kTask &&
            info.extension(PTP_EXTENSION_TASK) == nullptr) {
            out << component.name << ": is a task without the ability " PTP_EXTENSION_TASK "\n";
        }
        if (component.kind == plugin::Kind::kModel &&
            info.extension(PTP_EXTENSION_PARAMETERS) == nullptr) {
            out << component.name
                << ": is a model without parameters: give it `torch::nn::Module& module()`; if it "
                   "has nothing to learn it is a PTP_TRANSFORM\n";
        }
        if (!component.statistics.empty() && info.extension(PTP_EXTENSION_STATISTICS) == nullptr) {
            out << component.name
                << ": has statistics without the ability " PTP_EXTENSION_STATISTICS "\n";
        }
        if (plugin::forgets_counts(component, info)) {
            out << component.name << ": " << plugin::kForgetsCounts << "\n";
        }
        if (info.extension("ptp.no_such_ability/1") != nullptr) {
            out << component.name << ": claims an ability that does not exist\n";
        }
    }
}

// Loads the plugin and returns a line for each problem.
std::string load(const CatalogEntry& entry, const fs::path& folder) {
    std::ostringstream out;
    try {
        check_abilities(plugin::Loader(folder).load(entry), out);
    } catch (const std::exception& error) {
        out << error.what() << '\n';
    }
    return out.str();
}

Problems check_loading(const CatalogEntry& entry, int time_limit_s) {
    // Made here, so that it is removed also when the child crashes.
    const TemporaryPath folder = TemporaryPath::new_folder();
    const ChildResult child =
        try_in_child([&] { return load(entry, folder.path()); }, time_limit_s);
    Problems problems;
    std::istringstream lines(child.output);
    for (std::string line; std::getline(lines, line);) {
        problems.push_back(line);
    }
    if (!child.failure.empty()) {
        problems.push_back("loading it " + child.failure);
    }
    return problems;
}

// So that the processes that load a plugin have libtorch already.
void open_early(Engine& engine) {
    try {
        engine.open();
    } catch (const std::exception&) {  // reported where it is needed
    }
}

}  // namespace

std::vector<Verdict> check_plugin(const fs::path& path, const CheckOptions& options,
                                  Engine& engine) {
    std::vector<Verdict> verdicts = {{"is a plugin for this host", {}}};
    try {
        const CatalogEntry entry{.path = fs::absolute(path),
                                 .manifest = plugin::read_manifest(path)};
        const plugin::ElfFile file = plugin::read_elf(path);
        const tools::ExportedSymbols symbols = tools::exported_symbols(path);
        verdicts.push_back({"exports one symbol", check_symbols(symbols)});
        verdicts.push_back({"has no unique symbols", check_uniqueness(symbols)});
        verdicts.push_back({"leaves the stack alone", check_stack(file)});
        verdicts.push_back({"explains all that it declares", check_help(entry.manifest)});
        verdicts.push_back(
            {"declares what can be read and is consistent", check_declarations(entry.manifest)});
        open_early(engine);
        verdicts.push_back(
            {"loads, and matches its manifest", check_loading(entry, options.time_limit_s)});
        if (verdicts.back().problems.empty()) {
            std::ranges::move(check_running(entry, options, engine), std::back_inserter(verdicts));
        }
    } catch (const FileError& error) {
        verdicts.front().problems.emplace_back(error.what());
    } catch (const plugin::ManifestError& error) {
        verdicts.front().problems = error.problems();
    }
    return verdicts;
}

std::string verdict_text(const std::vector<Verdict>& verdicts) {
    std::string out;
    const auto add = [&](std::string_view before, const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line); before = "    ") {
            const std::size_t indent = before == "    " ? line.find_first_not_of(' ') : 0;
            out +=
                fmt::format("        {}{}\n", before, line.substr(std::min(indent, line.size())));
        }
    };
    for (const Verdict& verdict : verdicts) {
        out += fmt::format("  {}  {}\n", verdict.problems.empty() ? "ok  " : "FAIL", verdict.rule);
        for (const std::string& problem : verdict.problems) {
            add("", problem);
        }
        for (const std::string& note : verdict.notes) {
            add("note: ", note);
        }
    }
    return out;
}

bool all_passed(const std::vector<Verdict>& verdicts) {
    return std::ranges::all_of(verdicts, [](const Verdict& v) { return v.problems.empty(); });
}

}  // namespace ptp::inspect
