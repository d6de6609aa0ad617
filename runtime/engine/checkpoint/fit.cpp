// Compares the tensors of a file with those of components, and puts them in.

#include "engine/checkpoint/fit.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace ptp::engine {

namespace {

constexpr std::string_view kBatchCount = "num_batches_tracked";

std::string tensor_shape_text(const at::Tensor& tensor) {
    return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()), join(tensor.sizes(), ", "));
}

// Returns whether every number of the one type is a number of the other.
bool widens(at::ScalarType from, at::ScalarType to) {
    const bool is_half = from == at::kHalf || from == at::kBFloat16;
    return (is_half && (to == at::kFloat || to == at::kDouble)) ||
           (from == at::kFloat && to == at::kDouble);
}

// Checks "layer4.0.bn1.num_batches_tracked" for "layer4.0.bn1.running_mean".
bool is_counter_of(const std::string& name, const std::map<std::string, at::Tensor>& tensors) {
    return name.ends_with(kBatchCount) &&
           tensors.contains(name.substr(0, name.size() - kBatchCount.size()) + "running_mean");
}

class Fitting {
public:
    Fitting(const Share& share, bool is_free) : share_(share), is_free_(is_free) {}

    void add(const NamedTensor& own) {
        const auto place = share_.tensors.find(own.name);
        if (place == share_.tensors.end()) {
            add_missing(own);
            return;
        }
        const at::Tensor& saved = place->second;
        const bool is_widened = is_free_ && widens(saved.scalar_type(), own.tensor.scalar_type());
        if (saved.sizes() != own.tensor.sizes() ||
            (saved.scalar_type() != own.tensor.scalar_type() && !is_widened)) {
            fit_.problems.push_back(fmt::format("{}: is {} in the file, must be {}", own.name,
                                                tensor_shape_text(saved),
                                                tensor_shape_text(own.tensor)));
            add_misfit(own.name.substr(0, own.name.rfind('.')));
            return;
        }
        if (is_widened) {
            fit_.notes.push_back(fmt::format("{}: is {} in the file, {} here", own.name,
                                             c10::toString(saved.scalar_type()),
                                             c10::toString(own.tensor.scalar_type())));
        }
        fit_.copies.emplace_back(own.tensor, saved);
    }

    void add_surplus(const std::string& name, const at::Tensor& saved, const std::string& title) {
        fit_.has_other_names = true;
        fit_.problems.push_back(
            fmt::format("{}: {} has no such tensor, {}", name, title, tensor_shape_text(saved)));
    }

    void add_other(const std::string& name) {
        fit_.problems.push_back(name + ": is not a tensor in the file");
    }

    void add_problem(std::string text) { fit_.problems.push_back(std::move(text)); }

    Fit take() { return std::move(fit_); }

private:
    void add_missing(const NamedTensor& own) {
        if (is_free_ && share_.is_from_torch && !share_.counts_batches &&
            is_counter_of(own.name, share_.tensors)) {
            fit_.notes.push_back(own.name + ": is 0, the file is older than such counters");
            fit_.copies.emplace_back(own.tensor, at::zeros_like(own.tensor));
        } else {
            fit_.lacks_names = true;
            fit_.problems.push_back(
                fmt::format("{}: is missing, {}", own.name, tensor_shape_text(own.tensor)));
        }
    }

    void add_misfit(const std::string& layer) {
        if (std::ranges::find(fit_.misfits, layer) == fit_.misfits.end()) {
            fit_.misfits.push_back(layer);
        }
    }

    const Share& share_;
    bool is_free_;
    Fit fit_;
};

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

    void report_unused(Fitting& fitting) const {
        const std::vector<std::string> known(known_.begin(), known_.end());
        for (const std::string& name : names_) {
            if (!used_.contains(name)) {
                fitting.add_problem(
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

Fit fit(const Share& share, const Target& target, Fitting fitting, const Selection& selection) {
    NameList except("except", selection.except);
    NameList only("only", selection.only);
    const auto is_left_out = [&](const std::string& name) {
        const bool is_excepted = except.has(name);
        const bool is_chosen = only.has(name) || selection.only.empty();
        return is_excepted || !is_chosen;
    };
    std::set<std::string> names;
    for (const NamedTensor& named : target.tensors) {
        names.insert(named.name);
        if (!is_left_out(named.name)) {
            fitting.add(named);
        }
    }
    for (const auto& [name, tensor] : share.tensors) {
        if (!is_left_out(name) && !names.contains(name)) {
            fitting.add_surplus(name, tensor, target.title);
        }
    }
    for (const std::string& name : share.others) {
        if (!is_left_out(name)) {
            fitting.add_other(name);
        }
    }
    except.report_unused(fitting);
    only.report_unused(fitting);
    return fitting.take();
}

}  // namespace

Share share_of(const SavedWeights& saved, const std::string& prefix) {
    Share share;
    share.is_from_torch = saved.is_from_torch;
    const std::string before = prefix.empty() ? "" : prefix + ".";
    for (const auto& [name, tensor] : saved.tensors) {
        share.counts_batches = share.counts_batches || name.ends_with(kBatchCount);
        if (name.starts_with(before)) {
            share.tensors.emplace(name.substr(before.size()), tensor);
        }
    }
    for (const std::string& name : saved.others) {
        if (name.starts_with(before)) {
            share.others.push_back(name.substr(before.size()));
        }
    }
    return share;
}

Fit fit_exactly(const Share& share, const Target& target) {
    return fit(share, target, Fitting(share, false), {});
}

Fit fit_freely(const Share& share, const Target& target, const Selection& selection) {
    return fit(share, target, Fitting(share, true), selection);
}

void copy(const Fit& fit) {
    const c10::AutoGradMode without_gradients(false);
    for (const auto& [to, from] : fit.copies) {
        at::Tensor(to).copy_(from);
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
    return most == counts.end() ? std::nullopt : std::optional(most->first);
}

}  // namespace ptp::engine
