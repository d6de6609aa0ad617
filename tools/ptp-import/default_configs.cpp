// Merges the files of an experiment by `default_configs`, with the precedence of PyTorchPipe.

#include "conversions.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"

#include <fmt/core.h>

#include <system_error>
#include <utility>

namespace ptp::importer {

namespace fs = std::filesystem;

namespace {

constexpr const char* kIncludeKey = "default_configs";

class YamlLoader {
public:
    YamlLoader(const YamlFiles& files, Report& report) : files_(files), report_(report) {}

    void read(const fs::path& file, const SourceLocation& included_at) {
        std::error_code ignored;
        if (!seen_.insert(fs::weakly_canonical(file, ignored)).second) {
            return;
        }
        auto tree = read_file(file, included_at);
        if (!tree) {
            is_whole_ = false;
            return;
        }
        const Value* found = tree->find(kIncludeKey);
        const Value include = found == nullptr ? Value::list({}) : *found;
        tree->erase(kIncludeKey);
        trees_.push_back(std::move(*tree));
        for (const std::string& name : texts_of(include)) {
            if (const auto included = find_included(name, file, include)) {
                read(*included, include.place());
            }
        }
    }

    std::optional<Value> merged() {
        if (!is_whole_) {
            return std::nullopt;
        }
        Value tree;
        while (!trees_.empty()) {
            merge_tables(tree, trees_.back(), "");
            trees_.pop_back();
        }
        remove_nulls(tree);
        return tree;
    }

private:
    std::optional<Value> read_file(const fs::path& file, const SourceLocation& included_at) {
        const std::string shown = shown_path(file);
        try {
            return read_yaml(read_text(file), shown, nulls_, report_);
        } catch (const RunError& error) {
            report_.problems.error(included_at, included_at.file().empty() ? "" : kIncludeKey,
                                   error.what());
            return std::nullopt;
        }
    }

    std::optional<fs::path> find_included(const std::string& name, const fs::path& file,
                                          const Value& include) {
        if (files_.folder) {
            return *files_.folder / name;
        }
        std::error_code ignored;
        fs::path folder = fs::absolute(file).lexically_normal().parent_path();
        for (;; folder = folder.parent_path()) {
            if (!name.empty() && fs::exists(folder / name, ignored)) {
                return folder / name;
            }
            if (folder == folder.parent_path()) {
                break;
            }
        }
        report_.problems.error(
            include.place(), kIncludeKey,
            Explanation{fmt::format("there is no {} in a folder above {}", name, shown_path(file)),
                        "name PyTorchPipe's folder of configurations: --configs FOLDER"});
        is_whole_ = false;
        return std::nullopt;
    }

    void merge_tables(Value& lower, const Value& upper, const std::string& path) {
        for (const Member& member : upper.members()) {
            const std::string key = path.empty() ? member.key : path + "." + member.key;
            Value* old = lower.find(member.key);
            const bool both_are_there =
                old != nullptr && !is_null(*old, nulls_) && !is_null(member.value, nulls_);
            if (both_are_there && old->is_table() && member.value.is_table()) {
                merge_tables(*old, member.value, key);
            } else if (both_are_there && old->is_table() != member.value.is_table()) {
                report_.problems.error(member.key_place, key,
                                       fmt::format("{} here, but {} at {}; PyTorchPipe ends there",
                                                   type_name(member.value.type()),
                                                   type_name(old->type()), old->place().text()));
            } else {
                lower.set(member.key, member.value, member.key_place);
            }
        }
    }

    void remove_nulls(Value& table) {
        std::erase_if(table.members(),
                      [&](const Member& member) { return is_null(member.value, nulls_); });
        for (Member& member : table.members()) {
            if (member.value.is_table()) {
                remove_nulls(member.value);
            }
        }
    }

    const YamlFiles& files_;
    Report& report_;
    Nulls nulls_;
    std::set<fs::path> seen_;
    std::vector<Value> trees_;  // the first has the highest precedence
    bool is_whole_ = true;
};

}  // namespace

std::optional<Value> load_yaml(const YamlFiles& files, Report& report) {
    YamlLoader loader(files, report);
    for (const fs::path& root : files.roots) {
        loader.read(root, {});
    }
    return loader.merged();
}

}  // namespace ptp::importer
