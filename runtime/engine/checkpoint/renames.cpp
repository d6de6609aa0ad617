#include "engine/checkpoint/renames.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

using Renames = std::vector<experiment::Rename>;

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
        const std::size_t dot = name.find('.');
        beginnings_.insert(dot == std::string::npos ? name : name.substr(0, dot + 1));
        const auto [other, is_new] = origins_.emplace(renamed, name);
        if (!is_new) {
            problems_.push_back(fmt::format("rename: '{}' and '{}' both become '{}'", other->second,
                                            name, renamed));
        }
        return renamed;
    }

    RenameProblems finish() {
        for (std::size_t i = 0; i < renames_.size(); ++i) {
            if (!is_used_[i]) {
                problems_.push_back(fmt::format("rename: no name in the file begins with '{}'{}",
                                                renames_[i].from, hint(renames_[i].from)));
            }
        }
        return std::move(problems_);
    }

private:
    // Another number is another layer and no slip.
    std::string hint(const std::string& from) const {
        const std::vector<std::string> known(known_.begin(), known_.end());
        const auto near = nearest(from, known);
        if (near && without_digits(*near) != without_digits(from)) {
            return fmt::format("; did you mean '{}'?", *near);
        }
        return beginnings_.empty() ? "" : "; names begin with " + beginnings_text();
    }

    static std::string without_digits(const std::string& text) {
        std::string rest;
        std::ranges::copy_if(text, std::back_inserter(rest), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) == 0;
        });
        return rest;
    }

    std::string beginnings_text() const {
        constexpr std::size_t kMaxNamed = 8;
        std::vector<std::string> named;
        for (const std::string& beginning : beginnings_) {
            named.push_back(fmt::format("'{}'", beginning));
        }
        if (named.size() <= kMaxNamed) {
            return joined(named, "or");
        }
        named.resize(kMaxNamed);
        return fmt::format("{} and {} others", join(named, ", "), beginnings_.size() - kMaxNamed);
    }

    const Renames& renames_;
    std::vector<bool> is_used_;
    std::set<std::string> known_;
    std::set<std::string> beginnings_;
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

std::string_view number_at_begin(std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// "layers.2." before "layers.10.": as people count.
bool counts_before(std::string_view left, std::string_view right) {
    while (!left.empty() && !right.empty()) {
        const std::string_view a = number_at_begin(left);
        const std::string_view b = number_at_begin(right);
        if (a.empty() || b.empty()) {
            if (left.front() != right.front()) {
                return left.front() < right.front();
            }
            left.remove_prefix(1);
            right.remove_prefix(1);
        } else if (a != b) {
            return a.size() != b.size() ? a.size() < b.size() : a < b;
        } else {
            left.remove_prefix(a.size());
            right.remove_prefix(b.size());
        }
    }
    return left.size() < right.size();
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

// Whether one name is the end of the other: "0." and "layers.0.".
bool is_end_of_other(const std::string& left, const std::string& right) {
    const std::string& longer = left.size() > right.size() ? left : right;
    const std::string& shorter = left.size() > right.size() ? right : left;
    const bool is_end = !shorter.empty() && longer.ends_with(shorter);
    return is_end &&
           (longer.size() == shorter.size() || longer[longer.size() - shorter.size() - 1] == '.');
}

struct Matches {
    std::vector<Pair> pairs;
    std::vector<std::string> left_out;  // layers and tensors that the other side does not have
};

// Layers that differ only in the prefix of their names; what else there is on either side is
// left out. nullopt where they do not all differ in the same way.
std::optional<Matches> matched_in_part(const Layers& file, const Layers& own) {
    Matches matches;
    std::set<std::string> taken;
    const auto leave_out = [&](const Layers& layers, const std::string& layer) {
        if (!layer.empty()) {
            matches.left_out.push_back(layer.substr(0, layer.size() - 1));
            return;
        }
        for (const auto& [name, form] : layers.layers.at(layer)) {
            matches.left_out.push_back(name);
        }
    };
    for (const std::string& wanted : own.order) {
        const auto found = std::ranges::find_if(file.order, [&](const std::string& name) {
            return !taken.contains(name) && is_end_of_other(name, wanted) &&
                   file.layers.at(name) == own.layers.at(wanted);
        });
        if (found == file.order.end()) {
            leave_out(own, wanted);
            continue;
        }
        taken.insert(*found);
        matches.pairs.emplace_back(*found, wanted);
    }
    for (const std::string& name : file.order) {
        if (!taken.contains(name)) {
            leave_out(file, name);
        }
    }
    const bool is_consistent =
        !matches.pairs.empty() && std::ranges::all_of(matches.pairs, [&](const Pair& pair) {
            return without_common_end(pair) == without_common_end(matches.pairs.front());
        });
    return is_consistent ? std::optional(matches) : std::nullopt;
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

std::string quoted(const std::string& text) {
    return inline_toml(Value(text));
}

std::string rename_text(const std::vector<Pair>& pairs) {
    std::vector<std::string> texts;
    for (const Pair& pair : pairs) {
        texts.push_back(fmt::format("{} = {}", quoted(pair.first), quoted(pair.second)));
    }
    return fmt::format("rename = {{ {} }}", join(texts, ", "));
}

std::optional<std::string> in_part(const Layers& file, const Layers& own,
                                   const std::vector<std::string>& others) {
    const auto matches = matched_in_part(file, own);
    if (!matches) {
        return std::nullopt;
    }
    std::vector<std::string> except;
    for (const std::string& name : matches->left_out) {
        except.push_back(quoted(name));
    }
    for (const std::string& name : others) {
        except.push_back(quoted(name));
    }
    return fmt::format("{}, except = [{}]", rename_text(matches->pairs), join(except, ", "));
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
        return in_part(file, own, share.others);
    }
    const Pair common = without_common_end(pairs->front());
    const bool is_common = std::ranges::all_of(
        *pairs, [&](const Pair& pair) { return without_common_end(pair) == common; });
    return rename_text(is_common && !has_fit ? std::vector<Pair>{common} : *pairs);
}

}  // namespace ptp::engine
