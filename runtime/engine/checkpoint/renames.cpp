#include "engine/checkpoint/renames.hpp"

#include "config/suggest.hpp"
#include "config/write.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

using Renames = std::vector<config::Rename>;

// Renames names one by one and remembers what came of it.
class Renamer {
public:
    explicit Renamer(const Renames& renames) : renames_(renames), is_used_(renames.size(), false) {}

    std::string operator()(const std::string& name) {
        std::optional<std::size_t> longest;
        for (std::size_t i = 0; i < renames_.size(); ++i) {
            if (name.starts_with(renames_[i].from) &&
                (!longest || renames_[*longest].from.size() < renames_[i].from.size())) {
                longest = i;
            }
        }
        std::string renamed = name;
        if (longest) {
            is_used_[*longest] = true;
            renamed = renames_[*longest].to + name.substr(renames_[*longest].from.size());
        }
        for (std::size_t dot = name.find('.'); dot != std::string::npos;
             dot = name.find('.', dot + 1)) {
            known_.insert(name.substr(0, dot + 1));
        }
        known_.insert(name);
        const auto [other, is_new] = origins_.emplace(renamed, name);
        if (!is_new) {
            problems_.push_back(fmt::format("rename: '{}' and '{}' both become '{}'", other->second,
                                            name, renamed));
        }
        return renamed;
    }

    RenameProblems finish() {
        const std::vector<std::string> known(known_.begin(), known_.end());
        for (std::size_t i = 0; i < renames_.size(); ++i) {
            if (!is_used_[i]) {
                problems_.push_back(fmt::format("rename: no name in the file begins with '{}'{}",
                                                renames_[i].from,
                                                config::hint(renames_[i].from, known)));
            }
        }
        return std::move(problems_);
    }

private:
    const Renames& renames_;
    std::vector<bool> is_used_;
    std::set<std::string> known_;
    std::map<std::string, std::string> origins_;
    RenameProblems problems_;
};

// The tensors of a layer: their own names and what they look like.
using Layer = std::map<std::string, std::string>;

std::string form_of(const at::Tensor& tensor) {
    std::string form;
    for (const std::int64_t size : tensor.sizes()) {
        form += fmt::format("{},", size);
    }
    return form;
}

// "layers.10." -> {"layers.", 10}: as people count.
bool counts_before(const std::string& left, const std::string& right) {
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < left.size() && k < right.size()) {
        if (is_digit(left[i]) && is_digit(right[k])) {
            const auto end_of = [&](const std::string& text, std::size_t at) {
                while (at < text.size() && is_digit(text[at])) {
                    ++at;
                }
                return at;
            };
            const std::size_t i_end = end_of(left, i);
            const std::size_t k_end = end_of(right, k);
            const std::string_view a = std::string_view(left).substr(i, i_end - i);
            const std::string_view b = std::string_view(right).substr(k, k_end - k);
            if (a.size() != b.size() || a != b) {
                return a.size() != b.size() ? a.size() < b.size() : a < b;
            }
            i = i_end;
            k = k_end;
        } else if (left[i] != right[k]) {
            return left[i] < right[k];
        } else {
            ++i;
            ++k;
        }
    }
    return left.size() - i < right.size() - k;
}

struct Layers {
    std::vector<std::string> order;  // "layers.0.", as they come
    std::map<std::string, Layer> layers;

    void add(const std::string& name, const at::Tensor& tensor) {
        const std::size_t leaf = name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1;
        const std::string layer = name.substr(0, leaf);
        if (!layers.contains(layer)) {
            order.push_back(layer);
        }
        layers[layer][name.substr(leaf)] = form_of(tensor);
    }
};

using Pair = std::pair<std::string, std::string>;  // in the file, in the component

// Without the parts at the end that both have: "0." and "layers.0." -> "" and "layers."
Pair without_common_end(Pair pair) {
    while (!pair.first.empty() && !pair.second.empty()) {
        const auto last_of = [](const std::string& text) {
            const std::size_t dot = text.rfind('.', text.size() - 2);
            return text.size() < 2 || dot == std::string::npos ? 0 : dot + 1;
        };
        const std::size_t first = last_of(pair.first);
        const std::size_t second = last_of(pair.second);
        if (pair.first.substr(first) != pair.second.substr(second)) {
            break;
        }
        pair.first.resize(first);
        pair.second.resize(second);
    }
    return pair;
}

std::optional<std::vector<Pair>> matched(const Layers& file, Layers& own) {
    std::vector<Pair> pairs;
    std::vector<bool> is_taken(file.order.size(), false);
    for (const std::string& wanted : own.order) {
        std::size_t i = 0;
        while (i < file.order.size() &&
               (is_taken[i] || file.layers.at(file.order[i]) != own.layers.at(wanted))) {
            ++i;
        }
        if (i == file.order.size() || wanted.empty() || file.order[i].empty()) {
            return std::nullopt;
        }
        is_taken[i] = true;
        pairs.emplace_back(file.order[i], wanted);
    }
    const bool are_all_taken = std::ranges::find(is_taken, false) == is_taken.end();
    return are_all_taken && !pairs.empty() ? std::optional(pairs) : std::nullopt;
}

}  // namespace

RenameProblems rename(Share& share, const Renames& renames) {
    if (renames.empty()) {
        return {};
    }
    Renamer renamer(renames);
    Share renamed = share;
    renamed.tensors.clear();
    for (const auto& [name, tensor] : share.tensors) {
        renamed.tensors.emplace(renamer(name), tensor);
    }
    for (std::string& name : renamed.others) {
        name = renamer(name);
    }
    share = std::move(renamed);
    return renamer.finish();
}

RenameProblems rename(SavedWeights& saved, const Renames& renames) {
    if (renames.empty()) {
        return {};
    }
    Renamer renamer(renames);
    for (auto& [name, tensor] : saved.tensors) {
        name = renamer(name);
    }
    for (std::string& name : saved.others) {
        name = renamer(name);
    }
    return renamer.finish();
}

std::optional<std::string> suggest_renames(const Share& share, const Target& target) {
    Layers own;
    Layers file;
    std::set<std::string> names;
    bool has_fit = false;
    for (const NamedTensor& named : target.tensors) {
        names.insert(named.name);
        if (!share.tensors.contains(named.name)) {
            own.add(named.name, named.tensor);
        } else if (form_of(share.tensors.at(named.name)) == form_of(named.tensor)) {
            has_fit = true;
        } else {
            return std::nullopt;  // other names would not help
        }
    }
    for (const auto& [name, tensor] : share.tensors) {
        if (!names.contains(name)) {
            file.add(name, tensor);
        }
    }
    std::ranges::stable_sort(file.order, counts_before);
    const auto pairs = matched(file, own);
    if (!pairs || !share.others.empty()) {
        return std::nullopt;
    }
    const Pair common = without_common_end(pairs->front());
    const bool is_common = std::ranges::all_of(
        *pairs, [&](const Pair& pair) { return without_common_end(pair) == common; });
    std::string text;
    for (const Pair& pair : is_common && !has_fit ? std::vector<Pair>{common} : *pairs) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ",
                            config::inline_toml(config::Value(pair.first)),
                            config::inline_toml(config::Value(pair.second)));
    }
    return fmt::format("rename = {{ {} }}", text);
}

}  // namespace ptp::engine
