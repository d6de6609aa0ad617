// Prints problems and errors of ptprun, and returns the exit codes for them.

#include "report.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "common/render.hpp"
#include "host/prepare.hpp"
#include "moved_data.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"
#include "table_fixes.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>

namespace ptp::ptprun {

namespace {

// Ignores a failure, which does not change the exit code.
void print_error(const std::string& text) {
    static_cast<void>(std::fputs(bundle::with_bundles_named(text).c_str(), stderr));
}

// Returns the end of the first error. Another error begins on a line with its own place.
std::size_t end_of_first(std::string_view message) {
    std::size_t end = message.find('\n');
    const auto begins_another = [&](std::string_view rest) {
        return !rest.starts_with(' ') && SourceLocation::begins(rest.substr(0, rest.find('\n')));
    };
    while (end != std::string_view::npos && !begins_another(message.substr(end + 1))) {
        end = message.find('\n', end + 1);
    }
    return std::min(end, message.size());
}

// Returns a fix without the advice, after "; or", to change a setting that a bundle keeps.
std::string without_setting(const std::string& fix, const std::string& key) {
    const std::size_t end = fix.find("; or");
    return fmt::format(
        "{}; {} is no parameter of the bundle",
        end == fix.npos ? "fix: write the data as those of the training" : fix.substr(0, end), key);
}

}  // namespace

void show(const Diagnostics& problems, const std::vector<std::string>& overrides) {
    std::vector<Problem> sorted = with_whole_values(problems, overrides);
    name_moved_data(sorted);
    show(sorted, overrides);
}

void show(const std::vector<Problem>& problems, const std::vector<std::string>& overrides) {
    print_error(tools::rendered(problems, kProgram, overrides, tools::style_for(STDERR_FILENO)));
}

void show(const Problem& problem, const std::vector<std::string>& overrides) {
    print_error(tools::rendered(problem, kProgram, overrides, tools::style_for(STDERR_FILENO)));
}

void show_error(std::string_view message, const std::vector<std::string>& overrides) {
    std::size_t count = 0;
    for (; !message.empty(); ++count) {
        const std::size_t end = end_of_first(message);
        const Problem problem = tools::problem_from(message.substr(0, end));
        message.remove_prefix(std::min(end + 1, message.size()));
        show(problem, overrides);
    }
    if (count > 1) {
        print_error(tools::count_text(count, 0) + "\n");
    }
}

bool has_fix(std::string_view error) {
    return error.find("\nfix: ") != error.npos || error.find("\n    fix: ") != error.npos;
}

std::string with_options(const std::string& error, const std::string& table,
                         const std::vector<std::string>& fixed) {
    std::istringstream lines(error);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const std::string fix(trimmed(line));
        const std::size_t colon = fix.rfind(": ");  // behind "fix", or behind other advice
        const std::string before = fix.substr(0, colon == fix.npos ? 0 : colon + 1);
        for (const std::string verb : {"fix: write ", "fix: set ", before.c_str()}) {
            const auto settings =
                fix.starts_with("fix: ") && fix.starts_with(verb) && !table.empty()
                    ? read_toml_value(fmt::format("{{{}}}", fix.substr(verb.size())))
                    : std::nullopt;
            if (!settings) {
                continue;
            }
            const auto kept = std::ranges::find_if(
                settings->members(), [&](const Member& one) { return contains(fixed, one.key); });
            if (kept != settings->members().end()) {
                line = "    " + without_setting(fix, schema::below(table, kept->key));
                continue;
            }
            line = "    " + (verb == before ? before : "fix:");
            for (const Member& one : settings->members()) {
                line += " " + schema::typed_value({std::string(kCommandLine), 0, 0},
                                                  schema::below(table, one.key),
                                                  inline_toml(one.value));
            }
        }
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

namespace {

// Returns an error about a value of --set with the fix as such an option: "fix: set columns = {
// floor = "category" }" of training.task.columns.floor is one of training.task.
std::string with_option_of_place(const std::string& error) {
    constexpr std::string_view kFix = "fix: set ";
    const std::size_t fix = error.find(kFix);
    const std::size_t begin = error.find(": ") + 2;
    if (!error.starts_with(kCommandLine) || fix == error.npos || begin > fix) {
        return error;
    }
    const std::string key = error.substr(begin, error.find_first_of(" :", begin) - begin);
    const std::size_t name = fix + kFix.size();
    const std::size_t at = key.find("." + error.substr(name, error.find(' ', name) - name));
    return at == key.npos ? error : with_options(error, key.substr(0, at));
}

}  // namespace

std::string table_of_error(const std::string& error, const pipeline::Plan& plan,
                           const std::string& section) {
    const std::string task = section.empty() ? "" : section + ".task";
    if (!task.empty() && error.find(" " + task + ".") != error.npos) {
        return task;
    }
    const auto is_named = [&](const pipeline::Node& node) {
        return error.find(fmt::format("'{}' ({}): ", node.name, node.component->name)) !=
                   error.npos ||
               error.find(" " + node.path + ".") != error.npos ||
               error.find(fmt::format(" task of [{}]", node.section)) != error.npos;
    };
    for (const auto& nodes : {plan.tasks, plan.nodes}) {
        const auto node = std::ranges::find_if(nodes, is_named);
        if (node != nodes.end()) {
            return node->section.empty() || task.empty() ? node->path : task;
        }
    }
    return "";
}

void show_warning(const std::string& message, const std::string& fix) {
    Problem problem;
    problem.severity = Severity::kWarning;
    problem.message = message;
    problem.fix = fix;
    show(problem);
}

void show_usage_error(std::string_view message, std::string_view command) {
    show_error(fmt::format("{}\n    help: ptprun help {}", message, command));
}

int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides) {
    show(problems, overrides);
    return host::exit_code_for(problems, catalog);
}

int report(const engine::RunResult& result, const std::vector<std::string>& overrides,
           const distributed::FirstErrorStream* errors) {
    if (!result.error.empty()) {
        show_error(with_option_of_place(result.error), overrides);
        if (errors != nullptr) {
            errors->show_elsewhere(fmt::format("{}: error: {}\n", kProgram, result.error));
        }
    }
    return result.exit_code;
}

}  // namespace ptp::ptprun
