// Compares the tensors of a file with those of components, and puts them in.

#include "engine/checkpoint/fit.hpp"

#include "base/suggest.hpp"
#include "engine/checkpoint/safetensors.hpp"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

namespace ptp::engine {

namespace {

constexpr std::string_view kBatchCount = "num_batches_tracked";

// Returns whether every number of the one type is a number of the other.
bool widens(at::ScalarType from, at::ScalarType to) {
    const bool is_half = from == at::kHalf || from == at::kBFloat16;
    return (is_half && (to == at::kFloat || to == at::kDouble)) ||
           (from == at::kFloat && to == at::kDouble);
}

bool rounds(at::ScalarType from, at::ScalarType to) {
    return from == at::kDouble && to == at::kFloat;
}

// Returns a sentence about numbers that are infinite as floats; "" if there are none.
std::string beyond_floats(const at::Tensor& doubles) {
    const at::Tensor is_beyond =
        doubles.isfinite().logical_and_(doubles.to(at::kFloat).isfinite().logical_not_());
    return is_beyond.any().item<bool>()
               ? fmt::format(
                     "has {:g} in the file, which is beyond the range of float32 (strict = false "
                     "leaves it out)",
                     doubles.masked_select(is_beyond)[0].item<double>())
               : "";
}

// Checks "layer4.0.bn1.num_batches_tracked" for "layer4.0.bn1.running_mean".
bool is_counter_of(const std::string& name, const std::map<std::string, at::Tensor>& tensors) {
    return name.ends_with(kBatchCount) &&
           tensors.contains(name.substr(0, name.size() - kBatchCount.size()) + "running_mean");
}

// Returns the name that Hugging Face's transformers have for a tensor of their older files:
// `LayerNorm.weight` for `LayerNorm.gamma`, `LayerNorm.bias` for `LayerNorm.beta`.
std::string present_norm(const std::string& name) {
    for (const auto& [old, now] : {std::pair("LayerNorm.gamma", "LayerNorm.weight"),
                                   std::pair("LayerNorm.beta", "LayerNorm.bias")}) {
        if (name.ends_with(old)) {
            return name.substr(0, name.size() - std::string_view(old).size()) + now;
        }
    }
    return name;
}

// Returns whether a tensor is one that files of GPT-2 and BERT have beside their weights, though it
// is the same in each network: the mask of later words, and the numbers of positions.
bool is_constant(const std::string& name, const std::map<std::string, at::Tensor>& tensors) {
    const auto is_beside = [&](std::string_view constant, std::string_view weight) {
        return name.ends_with(constant) &&
               tensors.contains(name.substr(0, name.size() - constant.size()) +
                                std::string(weight));
    };
    return is_beside("attn.bias", "attn.c_attn.weight") ||
           is_beside("attn.masked_bias", "attn.c_attn.weight") ||
           is_beside("position_ids", "position_embeddings.weight");
}

std::string layer_of(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind('.'));
}

// Returns the shortest beginning of the name that no tensor of the target has: "fc" of "fc.bias".
std::string unknown_layer(const std::string& name, const Target& target) {
    const auto is_known = [&](const std::string& layer) {
        return std::ranges::any_of(target.tensors, [&](const NamedTensor& own) {
            return own.name.starts_with(layer + ".");
        });
    };
    std::size_t end = name.find('.');
    while (end != std::string::npos && is_known(name.substr(0, end))) {
        end = name.find('.', end + 1);
    }
    return name.substr(0, end);
}

// Names of tensors, and of the layers that contain them.
class NameList {
public:
    // `key` is the experiment's name of the list.
    NameList(const char* key, const std::vector<std::string>& names) : key_(key), names_(names) {}

    bool has(const std::string& tensor) {
        bool found = false;
        for (const std::string& name : names_) {
            if (tensor == name || tensor.starts_with(name + ".")) {
                used_.insert(name);
                found = true;
            }
        }
        for (std::size_t dot = tensor.find('.'); dot != std::string::npos;
             dot = tensor.find('.', dot + 1)) {
            known_.insert(tensor.substr(0, dot));
        }
        known_.insert(tensor);
        return found;
    }

    void report_unused(std::vector<std::string>& problems) const {
        const std::vector<std::string> known(known_.begin(), known_.end());
        for (const std::string& name : names_) {
            if (!used_.contains(name)) {
                problems.push_back(
                    fmt::format("{}: unknown name '{}'{}", key_, name, hint_of_layer(name, known)));
            }
        }
    }

private:
    const char* key_;
    const std::vector<std::string>& names_;
    std::set<std::string> used_;
    std::set<std::string> known_;
};

class Fitting {
public:
    Fitting(const Share& share, bool is_free)
        : share_(share), is_free_(is_free), saved_(share.tensors.begin(), share.tensors.end()) {}

    Fit fit(const Target& target, const Selection& selection) {
        NameList except("except", selection.except);
        NameList only("only", selection.only);
        if (is_free_) {
            take_present_names(target);
        }
        const auto is_left_out = [&](const std::string& name) {
            const bool is_excepted = except.has(name);
            const bool is_chosen = only.has(name) || selection.only.empty();
            return is_excepted || !is_chosen;
        };
        std::map<std::string, at::Tensor> surplus = saved_;
        for (const NamedTensor& own : target.tensors) {
            surplus.erase(own.name);
            if (!is_left_out(own.name)) {
                add(own);
            }
        }
        for (const auto& [name, tensor] : surplus) {
            if (is_free_ && is_constant(name, saved_)) {
                fit_.notes.push_back(name + ": is left out, it is no weight");
            } else if (!is_left_out(name)) {
                const std::string layer = unknown_layer(name, target);
                if (std::ranges::find(fit_.surplus, layer) == fit_.surplus.end()) {
                    fit_.surplus.push_back(layer);
                }
                fit_.problems.push_back(fmt::format("{}: {} has no such tensor, {}", name,
                                                    target.title, type_and_sizes(tensor)));
            }
        }
        for (const std::string& name : share_.others) {
            if (!is_left_out(name)) {
                fit_.problems.push_back(name + ": is not a tensor in the file");
            }
        }
        except.report_unused(fit_.problems);
        only.report_unused(fit_.problems);
        return std::move(fit_);
    }

private:
    // Renames what has an old name in the file, and another in the component.
    void take_present_names(const Target& target) {
        std::set<std::string> own;
        for (const NamedTensor& tensor : target.tensors) {
            own.insert(tensor.name);
        }
        for (const auto& [name, tensor] : std::map(saved_)) {
            const std::string now = present_norm(name);
            if (now != name && !own.contains(name) && own.contains(now) &&
                saved_.try_emplace(now, tensor).second) {
                saved_.erase(name);
                fit_.notes.push_back(fmt::format("{}: is {} here", name, now));
            }
        }
    }

    void add(const NamedTensor& own) {
        const auto place = saved_.find(own.name);
        if (place == saved_.end()) {
            add_missing(own);
            return;
        }
        const at::Tensor& saved = place->second;
        const at::ScalarType from = saved.scalar_type();
        const at::ScalarType to = own.tensor.scalar_type();
        const bool is_converted = is_free_ && (widens(from, to) || rounds(from, to));
        if (saved.sizes() != own.tensor.sizes() || (from != to && !is_converted)) {
            fit_.problems.push_back(fmt::format("{}: is {} in the file, must be {}", own.name,
                                                type_and_sizes(saved), type_and_sizes(own.tensor)));
            const std::string layer = layer_of(own.name);
            if (std::ranges::find(fit_.misfits, layer) == fit_.misfits.end()) {
                fit_.misfits.push_back(layer);
            }
            return;
        }
        if (is_converted && rounds(from, to)) {
            if (const std::string problem = beyond_floats(saved); !problem.empty()) {
                fit_.problems.push_back(fmt::format("{}: {}", own.name, problem));
                return;
            }
            ++fit_.rounded;
        }
        if (is_converted) {
            fit_.notes.push_back(
                fmt::format("{}: is {} in the file, {}{} here", own.name, c10::toString(from),
                            rounds(from, to) ? "rounded to " : "", c10::toString(to)));
        }
        fit_.copies.emplace_back(own.tensor, saved);
    }

    void add_missing(const NamedTensor& own) {
        if (is_free_ && share_.is_from_torch && !share_.counts_batches &&
            is_counter_of(own.name, saved_)) {
            fit_.notes.push_back(own.name + ": is 0, the file is older than such counters");
            fit_.copies.emplace_back(own.tensor, at::zeros_like(own.tensor));
        } else {
            fit_.lacks_names = true;
            fit_.problems.push_back(
                fmt::format("{}: is missing, {}", own.name, type_and_sizes(own.tensor)));
        }
    }

    const Share& share_;
    bool is_free_;
    std::map<std::string, at::Tensor> saved_;
    Fit fit_;
};

bool has_whole_storage(const at::Tensor& tensor) {
    return tensor.layout() == at::kStrided && tensor.is_cpu() && tensor.is_contiguous() &&
           tensor.storage_offset() == 0 && tensor.storage().nbytes() == tensor.nbytes() &&
           tensor.nbytes() > 0 && tensor.storage().use_count() == 1;
}

// One whose memory was taken shares it, and it is not taken again.
bool can_take(const at::Tensor& to, const at::Tensor& from) {
    return can_move(to) && has_whole_storage(from) && to.scalar_type() == from.scalar_type() &&
           to.sizes() == from.sizes() &&
           reinterpret_cast<std::uintptr_t>(from.data_ptr()) % kTensorAlignment == 0;
}

void take_memory(const at::Tensor& to, const at::Tensor& from) {
    auto owner = std::make_unique<c10::Storage>(from.storage());
    const auto let_go = [](void* kept) { delete static_cast<c10::Storage*>(kept); };
    move_tensor(to, {from.data_ptr(), owner.release(), let_go, at::Device(at::kCPU)});
}

}  // namespace

Share share_of(const SavedWeights& saved, const std::string& prefix) {
    Share share;
    share.is_from_torch = saved.is_from_torch;
    const std::string before = prefix.empty() ? "" : prefix + ".";
    for (const auto& [name, tensor] : saved.tensors) {
        share.counts_batches = share.counts_batches || name.ends_with(kBatchCount);
        if (name.starts_with(before)) {
            share.tensors.emplace_back(name.substr(before.size()), tensor);
        }
    }
    for (const std::string& name : saved.others) {
        if (name.starts_with(before)) {
            share.others.push_back(name.substr(before.size()));
        }
    }
    std::ranges::sort(share.tensors, {}, &TensorsByName::value_type::first);
    return share;
}

Fit fit_exactly(const Share& share, const Target& target) {
    return Fitting(share, false).fit(target, {});
}

Fit fit_freely(const Share& share, const Target& target, const Selection& selection) {
    return Fitting(share, true).fit(target, selection);
}

bool fits_nowhere(const Fit& fit, const std::vector<NamedTensor>& own) {
    return !fit.misfits.empty() && !fit.lacks_names && fit.surplus.empty() &&
           std::ranges::all_of(own, [&](const NamedTensor& tensor) {
               return std::ranges::find(fit.misfits, layer_of(tensor.name)) != fit.misfits.end();
           });
}

bool can_move(const at::Tensor& tensor) {
    return has_whole_storage(tensor) && tensor.storage().resizable();
}

at::DataPtr move_tensor(const at::Tensor& tensor, at::DataPtr memory) {
    return tensor.storage().set_data_ptr(std::move(memory));
}

void fill_tensors(const Fit& fit, Filling filling) {
    const c10::AutoGradMode without_gradients(false);
    for (const auto& [to, from] : fit.copies) {
        if (filling == Filling::kInPlace && can_take(to, from)) {
            take_memory(to, from);
        } else {
            at::Tensor(to).copy_(from);
        }
    }
}

std::optional<std::string> prefix_of(const SavedWeights& saved,
                                     const std::vector<NamedTensor>& own) {
    std::set<std::string_view> names;
    for (const NamedTensor& named : own) {
        names.insert(named.name);
    }
    std::map<std::string, int> counts;
    for (const auto& [name, tensor] : saved.tensors) {
        std::size_t begin = 0;
        while (begin != std::string::npos) {
            if (names.contains(std::string_view(name).substr(begin))) {
                ++counts[begin == 0 ? "" : name.substr(0, begin - 1)];
            }
            const std::size_t dot = name.find('.', begin);
            begin = dot == std::string::npos ? dot : dot + 1;
        }
    }
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    if (most == counts.end()) {
        return std::nullopt;
    }
    const Fit fit = fit_freely(share_of(saved, most->first), {"", own});
    return 2 * fit.copies.size() >= own.size() ? std::optional(most->first) : std::nullopt;
}

bool has_sizes_of(const SavedWeights& saved, const std::vector<NamedTensor>& own) {
    const auto count = std::ranges::count_if(own, [&](const NamedTensor& named) {
        return std::ranges::any_of(saved.tensors, [&](const auto& other) {
            return other.second.sizes() == named.tensor.sizes();
        });
    });
    return 2 * count >= std::ssize(own);
}

}  // namespace ptp::engine
