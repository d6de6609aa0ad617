// Replaces variables by their values, which may use variables themselves.

#include "experiment/load/steps.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace {

class Substitution {
public:
    Substitution(Value vars, Diagnostics& problems) : vars_(std::move(vars)), problems_(problems) {
        for (const Member& member : vars_.members()) {
            names_.push_back(member.key);
            by_name_.emplace(member.key, &member.value);
        }
    }

    // Resolves all variables in `value`, whose path is `path`; returns false if that fails.
    bool apply(Value& value, const KeyPath& path);

    // Resolves the unused variables too, to report their mistakes, and warns about them.
    void finish();

private:
    struct Use {
        const Value& text;
        const KeyPath& path;
    };

    std::optional<Value> replacement(const Use& use);
    std::optional<std::string> written_in(const Use& use);
    const Value* variable(const std::string& name, const Use& use);
    bool is_allowed(const std::string& name, const Use& use);
    void work_out(const std::string& name);
    void error(const Use& use, std::string message) {
        problems_.error(use.text, use.path.text(), std::move(message));
    }

    Value vars_;
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, const Value*> by_name_;  // in vars_
    std::map<std::string, std::optional<Value>> worked_out_;      // nullopt: it has an error
    std::set<std::string> used_;
    std::vector<std::string> chain_;  // variables being resolved
    std::size_t bytes_ = 0;
    Diagnostics& problems_;
};

bool Substitution::apply(Value& value, const KeyPath& path) {
    bool is_ok = true;
    if (value.is_list()) {
        for (std::size_t i = 0; i < value.items().size(); ++i) {
            is_ok &= apply(value.items()[i], KeyPath(path, i));
        }
    } else if (value.is_table()) {
        for (Member& member : value.members()) {
            is_ok &= apply(member.value, KeyPath(path, member.key));
        }
    } else if (value.is_string() && value.as_string().find("${") != std::string::npos) {
        const auto result = replacement({value, path});
        is_ok = result.has_value();
        if (result) {
            value = *result;
        }
    }
    return is_ok;
}

std::optional<Value> Substitution::replacement(const Use& use) {
    const std::string_view all = use.text.as_string();
    if (const std::string name = variable_of(use.text); !name.empty()) {
        const Value* value = variable(name, use);
        return value == nullptr ? std::nullopt
                                : std::optional(value->at(place_of(*value, use.text)));
    }
    const auto result = written_in(use);
    if (!result) {
        return std::nullopt;
    }
    const auto first = all.starts_with("${")
                           ? worked_out_.find(std::string(all.substr(2, all.find('}') - 2)))
                           : worked_out_.end();
    return Value(*result).at(first == worked_out_.end() ? use.text.place()
                                                        : place_of(*first->second, use.text));
}

std::optional<std::string> Substitution::written_in(const Use& use) {
    std::string_view rest = use.text.as_string();
    std::string result;
    for (std::size_t start = rest.find("${"); start != rest.npos; start = rest.find("${")) {
        if (start > 0 && rest[start - 1] == '$') {
            result += std::string(rest.substr(0, start - 1)) + "${";
            rest.remove_prefix(start + 2);
            continue;
        }
        const std::size_t end = rest.find('}', start);
        if (end == rest.npos) {
            error(use, "'${' without '}'; a plain '${' is written '$${'");
            return std::nullopt;
        }
        const std::string name(rest.substr(start + 2, end - start - 2));
        const Value* value = variable(name, use);
        if (value == nullptr) {
            return std::nullopt;
        }
        if (value->is_list() || value->is_table()) {
            error(use, fmt::format("variable '{}' is {}, which cannot be part of a string", name,
                                   type_name(value->type())));
            return std::nullopt;
        }
        result += rest.substr(0, start);
        result += value->is_string() ? value->as_string() : inline_toml(*value);
        rest.remove_prefix(end + 1);
    }
    return result + std::string(rest);
}

// Returns whether a value at this path may name a global.
bool takes_globals(const std::string& path) {
    return path.starts_with("pipeline.") && (path.find(".globals.") != std::string::npos ||
                                             path.find(".layers[") != std::string::npos);
}

const Value* Substitution::variable(const std::string& name, const Use& use) {
    used_.insert(name);
    if (!worked_out_.contains(name)) {
        if (!is_allowed(name, use)) {
            return nullptr;
        }
        work_out(name);
    }
    const std::optional<Value>& value = worked_out_[name];
    if (!value) {
        // Reports the error where an experiment uses the variable, but not within another variable.
        if (chain_.empty()) {
            error(use, fmt::format("variable '{}' has an error in it", name));
        }
        return nullptr;
    }
    bytes_ += weight(*value);
    if (bytes_ <= kMaxExpandedBytes) {
        return &*value;
    }
    error(use, "the variables make the experiment larger than 16 MiB");
    return nullptr;
}

bool Substitution::is_allowed(const std::string& name, const Use& use) {
    const auto first = std::ranges::find(chain_, name);
    if (!by_name_.contains(name)) {
        const std::string near = hint(name, names_);
        const bool may_be_global = names_.empty() || !near.starts_with("; did");
        problems_.error(
            use.text, use.path.text(),
            Explanation{fmt::format("unknown variable '{}'{}", name, near),
                        may_be_global && takes_globals(use.path.text())
                            ? fmt::format("write \"{}\", without ${{}}, if a global is meant", name)
                            : ""});
        return false;
    }
    if (first != chain_.end()) {
        const std::span circle(first, chain_.end());
        error(use, fmt::format("variables go in a circle: {} -> {}", join(circle, " -> "), name));
        return false;
    }
    if (chain_.size() >= kMaxInARow) {
        error(use, "more than 32 variables in a row");
        return false;
    }
    return true;
}

void Substitution::work_out(const std::string& name) {
    Value value = *by_name_.at(name);
    chain_.push_back(name);
    const std::string vars = "vars";
    const KeyPath path(vars);
    const bool is_ok = apply(value, KeyPath(path, name));
    chain_.pop_back();
    worked_out_[name] = is_ok ? std::optional(std::move(value)) : std::nullopt;
}

void Substitution::finish() {
    const std::set<std::string> used = used_;
    for (const Member& member : vars_.members()) {
        if (!worked_out_.contains(member.key)) {
            work_out(member.key);
        }
    }
    for (const Member& member : vars_.members()) {
        if (used.contains(member.key)) {
            continue;
        }
        problems_.warning(member.key_place, below("vars", member.key), "never used");
    }
}

}  // namespace

const SourceLocation& place_of(const Value& variable, const Value& text) {
    const auto folder_of = [](const Value& value) {
        return std::filesystem::path(value.place().file()).parent_path();
    };
    const bool is_typed = variable.place().file() == kCommandLine;
    const bool is_kept = variable.is_string() && variable.place() != SourceLocation() &&
                         (is_typed || folder_of(variable) != folder_of(text));
    return is_kept ? variable.place() : text.place();
}

std::size_t weight(const Value& value) {
    std::size_t sum = sizeof(Value);
    if (value.is_string()) {
        sum += value.as_string().size();
    }
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            sum += weight(item);
        }
    }
    if (value.is_table()) {
        for (const Member& member : value.members()) {
            sum += weight(member.value);
        }
    }
    return sum;
}

void substitute_vars(Value& root, Diagnostics& problems) {
    Value vars;
    if (const Value* written = root.find("vars")) {
        if (written->is_table()) {
            vars = *written;
        } else {
            problems.error(*written, "vars",
                           fmt::format("must be a table, not {}", type_name(written->type())));
        }
    }
    root.erase("vars");
    Substitution substitution(std::move(vars), problems);
    const std::string whole;
    substitution.apply(root, KeyPath(whole));
    substitution.finish();
}

}  // namespace ptp::experiment
