// Cuts rows into folds with the draws of the host's samplers.

#include "held_out.hpp"

#include "table_config.hpp"

#include <ptp/error.hpp>
#include <ptp/random.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

namespace {

using Members = std::vector<size_t>;  // places in the list of rows

// Returns the places in the order from which a sampler of folds cuts them.
Members mixed(size_t count, int64_t seed) {
    constexpr uint64_t kHashOfFolds = [] {  // FNV-1a
        uint64_t hash = 0xCBF29CE484222325;
        for (const char c : std::string_view("folds")) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
        }
        return hash;
    }();
    const auto key =
        ptp_splitmix64_mix(ptp_splitmix64_mix(static_cast<uint64_t>(seed) + PTP_SPLITMIX64_STEP) ^
                           (kHashOfFolds * PTP_SPLITMIX64_STEP + 1));
    Members places(count);
    std::iota(places.begin(), places.end(), size_t{0});
    ptp::Random(key).shuffle(places);
    return places;
}

// Returns the number of the class of each row, in the order of the classes.
std::vector<size_t> classes_of(const TableFile& table, const TableConfig& config,
                               std::span<const size_t> rows) {
    const size_t column = table.column("label", *config.label);
    const auto name_of = [&](size_t row) {
        std::string_view name;
        config.for_each_label(table.value(column, row).value_or(""),
                              [&](std::string_view one) { name = one; });
        return name;
    };
    std::map<std::string_view, size_t> numbers;
    if (config.classes.empty()) {
        for (const size_t row : rows) {
            numbers.emplace(name_of(row), 0);
        }
        size_t next = 0;
        for (auto& [name, number] : numbers) {
            number = next++;
        }
    } else {
        for (size_t i = 0; i < config.classes.size(); ++i) {
            numbers.emplace(config.classes[i], i);
        }
    }
    std::vector<size_t> classes;
    for (const size_t row : rows) {
        classes.push_back(numbers[name_of(row)]);
    }
    return classes;
}

// Returns the places of all rows, one fold after the other. Those of a class are dealt to the folds
// in turn, as cards are.
Members dealt(Members order, const std::vector<size_t>& classes, size_t folds) {
    std::ranges::stable_sort(order, {}, [&](size_t place) { return classes[place]; });
    Members all;
    for (size_t fold = 0; fold < folds; ++fold) {
        for (size_t i = fold; i < order.size(); i += folds) {
            all.push_back(order[i]);
        }
    }
    return all;
}

// Returns whether each row is in the fold: the largest groups come first, each into the fold that
// has the fewest rows then.
std::vector<bool> in_fold_of_groups(const Members& order, const std::vector<std::string>& groups,
                                    const HeldOutConfig& held_out) {
    std::map<std::string_view, size_t> numbers;  // by first appearance in the order
    Members sizes;
    for (const size_t place : order) {
        const size_t number = numbers.emplace(groups[place], sizes.size()).first->second;
        sizes.resize(std::max(sizes.size(), number + 1));
        ++sizes[number];
    }
    Members largest_first(sizes.size());
    std::iota(largest_first.begin(), largest_first.end(), size_t{0});
    std::ranges::stable_sort(largest_first, std::ranges::greater(),
                             [&](size_t number) { return sizes[number]; });
    Members filled(static_cast<size_t>(held_out.folds));
    std::vector<bool> is_held_out(sizes.size());
    for (const size_t number : largest_first) {
        const auto fold = std::ranges::min_element(filled);
        *fold += sizes[number];
        is_held_out[number] = fold - filled.begin() == held_out.fold;
    }
    std::vector<bool> in_fold;
    for (const std::string& group : groups) {
        in_fold.push_back(is_held_out[numbers.at(group)]);
    }
    return in_fold;
}

std::vector<bool> in_fold(const TableFile& table, const TableConfig& config,
                          std::span<const size_t> rows) {
    const HeldOutConfig& held_out = *config.held_out;
    Members order = mixed(rows.size(), held_out.fold_seed);
    if (held_out.sampler == "kFoldGroupSampler") {
        const size_t column = table.column("group", *config.group);
        std::vector<std::string> groups;
        for (const size_t row : rows) {
            groups.emplace_back(table.cell(column, row));
        }
        return in_fold_of_groups(order, groups, held_out);
    }
    const auto folds = static_cast<size_t>(held_out.folds);
    if (held_out.sampler == "kFoldStratifiedSampler") {
        order = dealt(std::move(order), classes_of(table, config, rows), folds);
    }
    // The first folds have one row more where the number of rows is no multiple.
    const auto begin_of = [&](size_t fold) {
        return fold * (rows.size() / folds) + std::min(fold, rows.size() % folds);
    };
    const auto fold = static_cast<size_t>(held_out.fold);
    std::vector<bool> is_in(rows.size());
    for (size_t i = begin_of(fold); i < begin_of(fold + 1); ++i) {
        is_in[order[i]] = true;
    }
    return is_in;
}

}  // namespace

std::optional<std::vector<size_t>> rows_outside_of_fold(const TableFile& table,
                                                        const TableConfig& config,
                                                        std::span<const size_t> rows) {
    if (!config.held_out || config.is_predicting()) {
        return std::nullopt;
    }
    std::vector<size_t> outside;
    const std::vector<bool> is_in = in_fold(table, config, rows);
    for (size_t i = 0; i < rows.size(); ++i) {
        if (!is_in[i]) {
            outside.push_back(rows[i]);
        }
    }
    if (outside.empty()) {
        throw ptp::SettingError("held_out", "no row of ", rows.size(),
                                " is outside of the fold\nfix: write another fold");
    }
    return outside;
}
