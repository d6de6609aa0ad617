// Reads, writes, checks and shows lineages, which may be hostile.

#include "bundle/lineage.hpp"

#include "base/text.hpp"
#include "bundle/packed_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ptp::bundle {

namespace {

using schema::Field;
using schema::Scope;

constexpr std::size_t kShownDigits = 16;
constexpr std::size_t kMaxShownDepth = 20;

// Finds models by their weights; of several the first.
class ByWeights {
public:
    explicit ByWeights(const std::vector<Ancestor>& ancestors) {
        for (const Ancestor& ancestor : ancestors) {
            known_.emplace(ancestor.weights_sha256, &ancestor);
        }
    }

    [[nodiscard]] const Ancestor* find(const std::string& sha256) const {
        const auto found = known_.find(sha256);
        return found == known_.end() ? nullptr : found->second;
    }

private:
    std::map<std::string, const Ancestor*> known_;
};

// Puts each model behind its parents.
class Sorting {
public:
    explicit Sorting(const std::vector<Ancestor>& ancestors)
        : ancestors_(ancestors), by_weights_(ancestors) {}

    std::vector<Ancestor> run() {
        for (auto ancestor = ancestors_.rbegin(); ancestor != ancestors_.rend(); ++ancestor) {
            visit(*by_weights_.find(ancestor->weights_sha256));
        }
        return std::move(sorted_);
    }

private:
    void visit(const Ancestor& ancestor) {
        if (!seen_.insert(ancestor.weights_sha256).second) {
            return;
        }
        const std::vector<Parent>& parents = ancestor.training.parents;
        for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
            if (const Ancestor* const known = by_weights_.find(parent->weights_sha256)) {
                visit(*known);
            }
        }
        sorted_.push_back(*by_weights_.find(ancestor.weights_sha256));
    }

    const std::vector<Ancestor>& ancestors_;
    const ByWeights by_weights_;
    std::set<std::string> seen_;
    std::vector<Ancestor> sorted_;
};

class Lines {
public:
    explicit Lines(const std::vector<Ancestor>& ancestors) : by_weights_(ancestors) {}

    std::vector<LineageLine> of(const Lineage& lineage) {
        add_parents(lineage, 0);
        return std::move(lines_);
    }

private:
    void add_parents(const Lineage& lineage, std::size_t depth) {
        for (const Parent& parent : lineage.parents) {
            std::string part = depth == 0 ? "" : "began with ";
            part += parent.component.empty() ? "" : parent.component + " of ";
            const std::string weights = "weights " + sha256_text(parent.weights_sha256);
            const Ancestor* const known = by_weights_.find(parent.weights_sha256);
            if (known == nullptr) {
                add(depth, part + weights);
            } else if (shown_.insert(known->weights_sha256).second) {
                add(depth, part + text_of(*known) + weights);
                for (const BundledData& data : known->data) {
                    add(depth + 1, "data " + data_text(data));
                }
                add_parents(known->training, depth + 1);
            } else {
                add(depth, part + known->name + ", as above");
            }
        }
    }

    // Indents no line so far that many of them fill the memory.
    void add(std::size_t depth, std::string text) {
        lines_.push_back({std::min(depth, kMaxShownDepth), std::move(text)});
    }

    static std::string text_of(const Ancestor& ancestor) {
        const Lineage& training = ancestor.training;
        return ancestor.name + ": " +
               (training.run.empty() ? "" : "run " + training_text(training) + ", ") +
               (ancestor.bundle_sha256.empty()
                    ? ""
                    : "file " + sha256_text(ancestor.bundle_sha256) + ", ");
    }

    const ByWeights by_weights_;
    std::set<std::string> shown_;
    std::vector<LineageLine> lines_;
};

bool is_hash_or_empty(const std::string& digits) {
    return digits.empty() || is_sha256(digits);
}

bool is_right_text(const std::string& text) {
    return text.size() <= kMaxLineageText && is_one_line(text);
}

bool has_right_texts(const Lineage& lineage) {
    return is_right_text(lineage.run) && is_right_text(lineage.commit) &&
           is_hash_or_empty(lineage.experiment_sha256) &&
           std::ranges::all_of(lineage.parents, [](const Parent& parent) {
               return is_sha256(parent.weights_sha256) && is_right_text(parent.component);
           });
}

bool has_right_texts(const BundledData& data) {
    return is_right_text(data.section) && is_right_text(data.no_sha256) &&
           is_hash_or_empty(data.sha256);
}

bool has_right_texts(const Ancestor& ancestor) {
    return is_sha256(ancestor.weights_sha256) && is_right_text(ancestor.name) &&
           is_hash_or_empty(ancestor.bundle_sha256) && has_right_texts(ancestor.training) &&
           std::ranges::all_of(ancestor.data,
                               [](const BundledData& one) { return has_right_texts(one); });
}

bool has_right_counts(const Lineage& lineage, const std::vector<BundledData>& data) {
    return lineage.parents.size() <= kMaxListed && data.size() <= kMaxListed;
}

}  // namespace

std::vector<Field> BundledData::fields() {
    return {{.name = "section", .into = &section, .is_required = true},
            {.name = "samples", .into = &samples, .range = "[0, inf)", .is_required = true},
            {.name = "task_samples", .into = &task_samples, .range = "[0, inf)"},
            {.name = "epoch_samples", .into = &epoch_samples, .range = "[0, inf)"},
            {.name = "sha256", .into = &sha256},
            {.name = "no_sha256", .into = &no_sha256}};
}

std::vector<Field> Parent::fields() {
    return {{.name = "weights_sha256", .into = &weights_sha256, .is_required = true},
            {.name = "component", .into = &component}};
}

std::vector<Field> Lineage::fields() {
    return {{.name = "run", .into = &run},
            {.name = "experiment_sha256", .into = &experiment_sha256},
            {.name = "commit", .into = &commit},
            {.name = "is_clean", .into = &is_clean},
            {.name = "seed", .into = &seed},
            {.name = "epoch", .into = &epoch, .range = "[0, inf)"},
            {.name = "episode", .into = &episode, .range = "[0, inf)"}};
}

void Lineage::read(const Scope& scope) {
    read_with_tables(scope, fields(), Tables{kParentTables, parents});
}

std::vector<Field> Ancestor::fields() {
    std::vector<Field> all = {
        {.name = "weights_sha256", .into = &weights_sha256, .is_required = true},
        {.name = "name", .into = &name, .is_required = true},
        {.name = "bundle_sha256", .into = &bundle_sha256}};
    std::ranges::move(training.fields(), std::back_inserter(all));
    return all;
}

void Ancestor::read(const Scope& scope) {
    read_with_tables(scope, fields(), Tables{kParentTables, training.parents},
                     Tables{kAncestorData, data});
}

std::int64_t format_of(const std::vector<BundledData>& data,
                       const std::vector<Ancestor>& ancestors) {
    const auto is_newer = [](const BundledData& one) {
        return one.task_samples || one.epoch_samples || !one.no_sha256.empty();
    };
    const bool is_any = std::ranges::any_of(data, is_newer) ||
                        std::ranges::any_of(ancestors, [&](const Ancestor& ancestor) {
                            return std::ranges::any_of(ancestor.data, is_newer);
                        });
    return is_any ? kLineageFormat : 1;
}

Value value_of(BundledData data) {
    Value table = schema::write_fields(data.fields());
    for (const char* const key : {"sha256", "no_sha256"}) {
        if (table.find(key)->as_string().empty()) {
            table.erase(key);
        }
    }
    return table;
}

Value value_of(Lineage lineage) {
    Value table = schema::write_fields(lineage.fields());
    if (!lineage.parents.empty()) {
        table.set(kParentTables, tables_of(lineage.parents));
    }
    return table;
}

Value value_of(Ancestor ancestor) {
    Value table = schema::write_fields(ancestor.fields());
    if (!ancestor.data.empty()) {
        table.set(kAncestorData, tables_of(ancestor.data));
    }
    if (!ancestor.training.parents.empty()) {
        table.set(kParentTables, tables_of(ancestor.training.parents));
    }
    return table;
}

std::vector<Ancestor> in_order(std::vector<Ancestor> ancestors) {
    std::vector<Ancestor> sorted = Sorting(ancestors).run();
    std::ranges::reverse(sorted);
    sorted.resize(std::min(sorted.size(), kMaxAncestors));
    std::set<std::string> before;  // a training whose weights stayed as they were is its own parent
    for (Ancestor& ancestor : sorted) {
        before.insert(ancestor.weights_sha256);
        std::erase_if(ancestor.training.parents,
                      [&](const Parent& parent) { return before.contains(parent.weights_sha256); });
    }
    return sorted;
}

std::string lineage_text(std::string_view text) {
    std::string line = harmless(text);
    std::ranges::replace_if(
        line, [](char one) { return one == '\n' || one == '\t'; }, ' ');
    line.resize(std::min(line.size(), kMaxLineageText));
    while (!is_utf8(line)) {  // a character was cut
        line.pop_back();
    }
    return line;
}

void check_lineage(const Lineage& lineage, const std::vector<BundledData>& data,
                   const std::vector<Ancestor>& ancestors, const Scope& scope) {
    const SourceLocation place = place_of(scope, kAncestorTables);
    const auto check_texts = [&](const char* key, bool are_right) {
        if (!are_right) {
            scope.problems.error(
                place_of(scope, key), key,
                fmt::format("must have hashes of 64 hexadecimal digits, and texts of one line of "
                            "at most {} bytes without control characters",
                            kMaxLineageText));
        }
    };
    check_texts(kAncestorData, std::ranges::all_of(data, [](const BundledData& one) {
                    return has_right_texts(one);
                }));
    check_texts(kAncestorTables,
                has_right_texts(lineage) && std::ranges::all_of(ancestors, [](const Ancestor& one) {
                    return has_right_texts(one);
                }));
    if (!has_right_counts(lineage, data) ||
        !std::ranges::all_of(ancestors, [](const Ancestor& one) {
            return has_right_counts(one.training, one.data);
        })) {
        scope.problems.error(
            place, kAncestorTables,
            fmt::format("a model has more than {} parents or sections of data", kMaxListed));
    }
    if (!scope.problems.ok()) {
        return;
    }
    if (ancestors.size() > kMaxAncestors) {
        scope.problems.error(place, kAncestorTables,
                             fmt::format("there are more than {}", kMaxAncestors));
        return;
    }
    if (in_order(ancestors) != ancestors) {
        scope.problems.error(place, kAncestorTables,
                             "must be there once, each before those that it began with");
    }
}

std::vector<LineageLine> lineage_lines(const Lineage& lineage,
                                       const std::vector<Ancestor>& ancestors) {
    return Lines(ancestors).of(lineage);
}

std::string training_text(const Lineage& lineage) {
    std::string text = lineage.run;
    text += lineage.epoch > 0 ? fmt::format(", epoch {}", lineage.epoch) : "";
    text += fmt::format(", seed {}", lineage.seed);
    text += lineage.commit.empty() ? "" : ", commit " + lineage.commit;
    return text + (lineage.is_clean ? "" : " with changes");
}

std::string samples_text(const BundledData& data) {
    return fmt::format(
        "{}: {}{} samples{}", data.section, data.samples,
        data.task_samples ? fmt::format(" of {}", *data.task_samples) : "",
        data.epoch_samples ? fmt::format(", {} in an epoch", *data.epoch_samples) : "");
}

std::string data_text(const BundledData& data) {
    return samples_text(data) + (data.sha256.empty() ? "" : ", ") + sha256_text(data.sha256);
}

std::string sha256_text(const std::string& digits) {
    return digits.empty() ? "" : "sha256 " + digits.substr(0, kShownDigits);
}

}  // namespace ptp::bundle
