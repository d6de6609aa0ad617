#include "yaml_tree.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "yaml_scalar.hpp"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::importer {

namespace {

constexpr std::size_t kMaxValues = 100000;  // after resolving aliases
constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";
constexpr const char* kMergeKey = "<<";

// Thrown to stop reading a file.
struct Refusal {
    SourceLocation place;
    std::string message;
};

class Reader {
public:
    Reader(const std::string& file, Nulls& nulls, Report& report)
        : file_(std::make_shared<const std::string>(file)), nulls_(nulls), report_(report) {}

    // Throws Refusal.
    Value value(const YAML::Node& node, int level) {
        const SourceLocation place = place_of(node.Mark());
        if (level > kMaxLevels) {
            throw Refusal{place, "is nested too deep, or is an alias within its own anchor"};
        }
        if (++count_ > kMaxValues) {
            throw Refusal{
                place, fmt::format("more than {} values, once aliases are resolved", kMaxValues)};
        }
        check_tag(node, place);
        switch (node.Type()) {
            case YAML::NodeType::Map:
                return map(node, level).at(place);
            case YAML::NodeType::Sequence:
                return list(node, level).at(place);
            case YAML::NodeType::Scalar:
                return scalar(node, place).at(place);
            default:
                nulls_.insert(place);
                return Value().at(place);
        }
    }

    [[nodiscard]] SourceLocation place_of(const YAML::Mark& mark) const {
        return mark.is_null() ? SourceLocation(file_, 0, 0)
                              : SourceLocation(file_, mark.line + 1, mark.column + 1);
    }

private:
    Value scalar(const YAML::Node& node, const SourceLocation& place) {
        const bool is_plain = node.Tag() == "?" || node.Tag().empty();
        if (is_plain && is_null_scalar(node.Scalar())) {
            nulls_.insert(place);
            return {};
        }
        const bool is_text = node.Tag() == "!" || node.Tag().ends_with(":str");
        return is_text ? Value(node.Scalar()) : plain_scalar(node.Scalar());
    }

    Value list(const YAML::Node& node, int level) {
        std::vector<Value> items;
        for (const YAML::Node& item : node) {
            items.push_back(value(item, level + 1));
            if (is_null(items.back(), nulls_)) {
                throw Refusal{items.back().place(), "null in a list has no counterpart"};
            }
        }
        return Value::list(std::move(items));
    }

    Value map(const YAML::Node& node, int level) {
        Value table;
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) {
                throw Refusal{place_of(entry.first.Mark()), "a key must be a scalar"};
            }
            const std::string& key = entry.first.Scalar();
            if (key == kMergeKey) {
                continue;
            }
            const SourceLocation place = place_of(entry.first.Mark());
            if (const Value* earlier = table.find(key)) {
                report_.problems.warning(
                    place, key,
                    fmt::format("is written twice in one map, also at {}; this one counts, as in "
                                "PyTorchPipe",
                                earlier->place().text()));
            }
            table.set(key, value(entry.second, level + 1), place);
        }
        add_merged(node, level, table);
        return table;
    }

    // Adds merged members. The map's own members take precedence, then those of the first of
    // several.
    void add_merged(const YAML::Node& node, int level, Value& table) {
        for (const auto& entry : node) {
            if (entry.first.Scalar() != kMergeKey) {
                continue;
            }
            const Value merged = value(entry.second, level + 1);
            const std::vector<Value> tables =
                merged.is_list() ? merged.items() : std::vector<Value>{merged};
            for (const Value& other : tables) {
                add_missing(other, place_of(entry.first.Mark()), table);
            }
        }
    }

    static void add_missing(const Value& other, const SourceLocation& place, Value& table) {
        if (!other.is_table()) {
            throw Refusal{place, "<< takes a map, or a list of maps"};
        }
        for (const Member& member : other.members()) {
            if (table.find(member.key) == nullptr) {
                table.set(member.key, member.value, member.key_place);
            }
        }
    }

    static void check_tag(const YAML::Node& node, const SourceLocation& place) {
        constexpr std::array<std::string_view, 7> kKnown = {"str",  "int", "float", "bool",
                                                            "null", "map", "seq"};
        const std::string& tag = node.Tag();
        if (tag.empty() || tag == "?" || tag == "!") {
            return;
        }
        for (const std::string_view known : kKnown) {
            if (tag.starts_with(kStandardTag) && tag.substr(kStandardTag.size()) == known) {
                return;
            }
        }
        throw Refusal{place, fmt::format("the tag {} is not one of YAML's safe types", tag)};
    }

    std::shared_ptr<const std::string> file_;
    Nulls& nulls_;
    Report& report_;
    std::size_t count_ = 0;
};

}  // namespace

bool is_null(const Value& value, const Nulls& nulls) {
    return value.is_table() && value.members().empty() && nulls.contains(value.place());
}

std::optional<Value> read_yaml(const std::string& text, const std::string& file, Nulls& nulls,
                               Report& report) {
    if (!is_utf8(text)) {
        report.problems.error(SourceLocation(file, 0, 0), "", "is not UTF-8");
        return std::nullopt;
    }
    Reader reader(file, nulls, report);
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() != 1) {
            throw Refusal{SourceLocation(file, 0, 0),
                          documents.empty() ? "is empty: it has no key"
                                            : "has several documents: an experiment is one"};
        }
        Value root = reader.value(documents.front(), 0);
        if (!root.is_table() || is_null(root, nulls)) {
            throw Refusal{SourceLocation(file, 0, 0), "is not a map of keys"};
        }
        return root;
    } catch (const YAML::Exception& error) {
        report.problems.error(reader.place_of(error.mark), "", "is not YAML: " + error.msg);
    } catch (const Refusal& refusal) {
        report.problems.error(refusal.place, "", refusal.message);
    }
    return std::nullopt;
}

}  // namespace ptp::importer
