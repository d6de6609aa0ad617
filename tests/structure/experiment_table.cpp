// The table of configs/README.md is what the experiments in configs/ consist of, between the lines
// <!-- experiments --> and <!-- end -->. Files named common.toml and those in folders `parts` are
// parts of others.
//
//     experiment_table CONFIGS PLUGINS           fails if the README has another table
//     experiment_table --write CONFIGS PLUGINS   writes it
//
// PLUGINS is the folder of the first-party plugins, which tell the kinds of components.

#include "base/text.hpp"
#include "experiment/experiment.hpp"
#include "experiment/load/load.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace ptp;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

constexpr std::string_view kTableBegin = "<!-- experiments -->";
constexpr std::string_view kTableEnd = "<!-- end -->";
constexpr std::string_view kReplaces = "#   replaces";

Strings lines_in(const fs::path& file) {
    std::ifstream stream(file);
    Strings lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

bool is_experiment(const fs::path& file) {
    return file.extension() == ".toml" && file.filename() != "common.toml" &&
           file.parent_path().filename() != "parts";
}

std::vector<fs::path> experiments_in(const fs::path& configs) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(configs)) {
        if (is_experiment(entry.path())) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// "Conv, 2 x LSTM": each name once, in the order of their first appearance.
std::string counted(const Strings& names) {
    Strings texts;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(names.begin(), name, *name) != name) {
            continue;
        }
        const auto count = std::ranges::count(names, *name);
        texts.push_back(count == 1 ? *name : fmt::format("{} x {}", count, *name));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

// The first sentence of the comment that the file begins with.
std::string first_sentence(const Strings& lines) {
    std::string text;
    for (const std::string& line : lines) {
        if (!line.starts_with("# ")) {
            break;
        }
        text += (text.empty() ? "" : " ") + line.substr(2);
        if (const auto end = text.find(". "); end != std::string::npos) {
            return text.substr(0, end);
        }
    }
    return text.substr(0, text.find_last_not_of('.') + 1);
}

std::string what_it_replaces(const Strings& lines) {
    for (const std::string& line : lines) {
        if (line.starts_with(kReplaces)) {
            return fmt::format("`{}`", trimmed(std::string_view(line).substr(kReplaces.size())));
        }
    }
    return "";
}

struct Parts {
    Strings models;
    Strings losses;
    std::size_t count = 0;
};

Parts parts_of(const experiment::Experiment& experiment, const plugin::Catalog& catalog) {
    Parts parts;
    for (const experiment::ComponentEntry& entry : experiment.pipeline.components) {
        const auto found = catalog.find(entry.type);
        if (!entry.is_enabled || found.size() != 1) {
            continue;
        }
        ++parts.count;
        if (found.front().component->kind == plugin::Kind::kModel) {
            parts.models.push_back(entry.type);
        } else if (found.front().component->kind == plugin::Kind::kLoss) {
            parts.losses.push_back(entry.type);
        }
    }
    return parts;
}

std::string row_of(const fs::path& file, const fs::path& configs, const plugin::Catalog& catalog,
                   Diagnostics& problems) {
    const auto tree = experiment::load_experiment({file, {}, "/home"}, problems);
    if (!tree) {
        return "";
    }
    const auto experiment =
        experiment::read_experiment(*tree, {.default_name = "", .home = "/home"}, problems);
    const Parts parts = parts_of(experiment, catalog);
    const std::string name = file.lexically_relative(configs).string();
    const Strings lines = lines_in(file);
    return fmt::format("| [{0}]({0}) | {1} | {2} | {3} | {4} | {5} | {6} |\n", name,
                       experiment.training.task.type, counted(parts.models), counted(parts.losses),
                       parts.count, first_sentence(lines), what_it_replaces(lines));
}

// The document with the table of the experiments that are there.
std::string with_table(const fs::path& configs, const std::string& table) {
    std::string text;
    bool is_in_table = false;
    for (const std::string& line : lines_in(configs / "README.md")) {
        is_in_table = is_in_table && line != kTableEnd;
        if (!is_in_table) {
            text += line + "\n";
        }
        if (line == kTableBegin) {
            text += "\n" + table + "\n";
            is_in_table = true;
        }
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    const bool writes = argc == 4 && std::string_view(argv[1]) == "--write";
    if (!writes && argc != 3) {
        return 2;
    }
    const fs::path configs = argv[argc - 2];
    const plugin::Catalog catalog = plugin::scan({fs::path(argv[argc - 1])});
    Diagnostics problems;
    std::string table =
        "| experiment | task | models | losses | components | what it is | in PyTorchPipe |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const fs::path& file : experiments_in(configs)) {
        table += row_of(file, configs, catalog, problems);
    }
    if (!problems.ok()) {
        std::fprintf(stderr, "%s\n", problems.text().c_str());
        return 1;
    }
    std::stringstream before;
    before << std::ifstream(configs / "README.md").rdbuf();
    const std::string after = with_table(configs, table);
    if (writes) {
        std::ofstream(configs / "README.md") << after;
        return 0;
    }
    if (before.str() == after) {
        return 0;
    }
    std::puts("configs/README.md does not list what is in configs/; ./dev docs writes it anew");
    return 1;
}
