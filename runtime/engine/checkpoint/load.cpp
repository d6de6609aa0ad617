#include "engine/checkpoint/load.hpp"

#include "config/suggest.hpp"
#include "config/weights_file.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/error.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

std::string shape_text(const at::Tensor& tensor) {
    return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                       fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", "));
}

std::map<std::string, at::Tensor> saved_under(const Safetensors& saved,
                                              const std::string& component) {
    std::map<std::string, at::Tensor> found;
    const std::string prefix = component + ".";
    for (const auto& [name, tensor] : saved.tensors) {
        if (name.starts_with(prefix)) {
            found.emplace(name.substr(prefix.size()), tensor);
        }
    }
    return found;
}

std::string unknown_component(const Safetensors& saved, const std::string& component) {
    std::set<std::string> names;
    for (const auto& [name, tensor] : saved.tensors) {
        names.insert(name.substr(0, name.find('.')));
    }
    const std::vector<std::string> known(names.begin(), names.end());
    return fmt::format("has no tensors of '{}'{}", component, config::hint(component, known));
}

// What of a file fits an instance, and what does not.
struct Fit {
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;  // to, from
    std::vector<std::string> problems;                      // "bias: is missing"
};

Fit fit_tensors(const Safetensors& saved, const std::string& component, const Instance& instance,
                std::vector<NamedTensor> own) {
    Fit fit;
    std::map<std::string, at::Tensor> found = saved_under(saved, component);
    for (NamedTensor& named : own) {
        const auto place = found.find(named.name);
        if (place == found.end()) {
            fit.problems.push_back(named.name + ": is missing");
        } else if (place->second.sizes() != named.tensor.sizes() ||
                   place->second.scalar_type() != named.tensor.scalar_type()) {
            fit.problems.push_back(fmt::format("{}: is {} in the file, must be {}", named.name,
                                               shape_text(place->second),
                                               shape_text(named.tensor)));
        } else {
            fit.copies.emplace_back(named.tensor, place->second);
        }
        if (place != found.end()) {
            found.erase(place);
        }
    }
    for (const auto& [name, tensor] : found) {
        fit.problems.push_back(fmt::format("{}: {} has no such tensor", name, instance.title()));
    }
    return fit;
}

void copy(const Fit& fit) {
    const c10::AutoGradMode without_gradients(false);
    for (const auto& [to, from] : fit.copies) {
        at::Tensor(to).copy_(from);
    }
}

// All loads of a pipeline: what they would do, and only then that.
class Loading {
public:
    Loading(const Components& components, spdlog::logger& log)
        : components_(components), log_(log) {}

    void add_component(const config::ComponentEntry& entry) {
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            if (node->node().name == entry.name) {
                read(*entry.load, node->node().path + ".load",
                     [&](const Safetensors& saved, const fs::path& file) {
                         return fit_component(saved, file, entry.load->component, *node);
                     });
            }
        }
    }

    // Of the components that are not in `others`.
    void add_pipeline(const config::Load& load, const std::set<std::string>& others) {
        read(load, "pipeline.load", [&](const Safetensors& saved, const fs::path&) {
            return fit_pipeline(saved, others);
        });
    }

    void finish() const {
        if (!errors_.empty()) {
            throw RunError(kDataError, errors_);
        }
        for (const Fit& fit : fits_) {
            copy(fit);
        }
    }

private:
    // Of a folder that has hashes all files are looked at: one that is gone may be the one to load.
    static void check_whole(const fs::path& named, const fs::path& file) {
        if (fs::is_directory(named) && fs::exists(file.parent_path() / kHashFile)) {
            check_hashes(file.parent_path());
        } else {
            check_listed_hash(file);
        }
    }

    // What does not fit, and which sentence introduces it.
    struct Judged {
        Fit fit;
        std::string title;  // "the tensors of 'net' do not fit 'net' (FeedForwardNetwork)"
    };

    template <class FitFunction>
    void read(const config::Load& load, const std::string& key, FitFunction fit_function) {
        const std::string place = load.place.text();
        const std::string where = fmt::format("{}{}: ", place.empty() ? "" : place + ": ", key);
        try {
            const fs::path file = config::weights_file(load.from);
            if (!files_.contains(file)) {
                check_whole(load.from, file);
                files_.emplace(file, read_safetensors(file));
                log_.info("{}weights of {}", where, file.string());
            }
            const Judged judged = fit_function(files_.at(file), file);
            judge(load, where + file.string() + ": ", judged);
            fits_.push_back(judged.fit);
        } catch (const RunError& error) {
            add_error(where + error.what());
        }
    }

    void judge(const config::Load& load, const std::string& where, const Judged& judged) {
        if (load.is_strict && !judged.fit.problems.empty()) {
            add_error(where + judged.title + ":\n  " +
                      fmt::format("{}", fmt::join(judged.fit.problems, "\n  ")));
        } else if (judged.fit.copies.empty()) {
            add_error(where + "nothing in it fits");
        } else {
            for (const std::string& problem : judged.fit.problems) {
                log_.warn("{}not loaded: {}", where, problem);
            }
        }
    }

    static Judged fit_component(const Safetensors& saved, const fs::path& file,
                                const std::string& component, Instance& instance) {
        if (saved_under(saved, component).empty()) {
            throw RunError(kDataError, fmt::format("{}: {}", file.string(),
                                                   unknown_component(saved, component)));
        }
        return {fit_tensors(saved, component, instance, instance.tensors()),
                fmt::format("the tensors of '{}' do not fit {}", component, instance.title())};
    }

    Judged fit_pipeline(const Safetensors& saved, const std::set<std::string>& others) const {
        Judged judged = {{}, "the tensors do not fit the pipeline"};
        std::set<std::string> known = others;
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            const std::string& name = node->node().name;
            if (!known.insert(name).second) {
                continue;
            }
            Fit fit = fit_tensors(saved, name, *node, node->tensors());
            judged.fit.copies.insert(judged.fit.copies.end(), fit.copies.begin(), fit.copies.end());
            for (const std::string& problem : fit.problems) {
                judged.fit.problems.push_back(name + "." + problem);
            }
        }
        for (const auto& [name, tensor] : saved.tensors) {
            if (!known.contains(name.substr(0, name.find('.')))) {
                judged.fit.problems.push_back(name + ": the pipeline has no such component");
            }
        }
        return judged;
    }

    void add_error(const std::string& text) { errors_ += (errors_.empty() ? "" : "\n") + text; }

    const Components& components_;
    spdlog::logger& log_;
    std::map<fs::path, Safetensors> files_;
    std::vector<Fit> fits_;
    std::string errors_;
};

}  // namespace

void load_tensors(const Safetensors& saved, const fs::path& file, const std::string& component,
                  Instance& instance) {
    std::vector<NamedTensor> own = instance.tensors();
    if (saved_under(saved, component).empty() && !own.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: {}", file.string(), unknown_component(saved, component)));
    }
    const Fit fit = fit_tensors(saved, component, instance, std::move(own));
    if (!fit.problems.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: the tensors of '{}' do not fit {}:\n  {}", file.string(),
                                   component, instance.title(), fmt::join(fit.problems, "\n  ")));
    }
    copy(fit);
}

void load_weights(const config::Pipeline& pipeline, const Components& components,
                  spdlog::logger& log) {
    Loading loading(components, log);
    std::set<std::string> with_own;
    for (const config::ComponentEntry& entry : pipeline.components) {
        if (entry.load) {
            loading.add_component(entry);
            with_own.insert(entry.name);
        }
    }
    if (pipeline.load) {
        loading.add_pipeline(*pipeline.load, with_own);
    }
    loading.finish();
}

}  // namespace ptp::engine
