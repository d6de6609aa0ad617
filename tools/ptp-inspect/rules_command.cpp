// `ptp-inspect rules`: lists the rules of --check.

#include "base/json.hpp"
#include "commands.hpp"
#include "engine/check_rules.hpp"
#include "listing.hpp"
#include "options.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <string>

namespace ptp::inspect {

namespace {

using engine::CheckRule;

std::string rules_text() {
    Table table;
    for (const CheckRule& rule : engine::kCheckRules) {
        table.add(
            {std::to_string(rule.number()), std::string(rule.name), std::string(rule.demand)});
    }
    return table.text("");
}

std::string rules_json() {
    Json rules = Json::array();
    for (const CheckRule& rule : engine::kCheckRules) {
        rules.push_back({{"number", rule.number()},
                         {"name", std::string(rule.name)},
                         {"kind", rule.is_static() ? "static" : "dynamic"},
                         {"demand", std::string(rule.demand)},
                         {"reason", std::string(rule.reason)},
                         {"fix", std::string(rule.fix)}});
    }
    constexpr int kIndentation = 2;
    return text_of(rules, kIndentation) + "\n";
}

// Returns the table of docs/authoring/conformance.md.
std::string rules_markdown() {
    std::string text = "| rule | name | what must hold | why | fix |\n|---|---|---|---|---|\n";
    for (const CheckRule& rule : engine::kCheckRules) {
        text += fmt::format("| {} | `{}` | {} | {} | {} |\n", rule.number(), rule.name, rule.demand,
                            rule.reason, rule.fix);
    }
    return text;
}

int run_rules(const tools::Given& given) {
    print(given.has("json")       ? rules_json()
          : given.has("markdown") ? rules_markdown()
                                  : rules_text());
    return EXIT_SUCCESS;
}

}  // namespace

tools::Command rules_command() {
    return {.name = "rules",
            .summary = "prints the rules of --check, with their numbers and names",
            .options = {{.name = "json",
                         .help = "print JSON, with the reasons and what to do",
                         .excludes = {"markdown"}},
                        {.name = "markdown", .help = "print a table in Markdown"}},
            .example = "ptp-inspect rules",
            .run = run_rules};
}

}  // namespace ptp::inspect
