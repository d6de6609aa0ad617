// Warns of sizes, paddings and vocabularies of other words than those that are read or predicted:
// prediction_size = "en_size" in a decoder of French words.

#include "base/toml_writer.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/stages.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Element;

// A global by the component that publishes it.
struct Published {
    const Node* by = nullptr;
    const plugin::Global* declared = nullptr;
};

class Vocabularies {
public:
    Vocabularies(const Plan& plan, Diagnostics& problems) : plan_(plan), problems_(problems) {}

    void warn() {
        for (const Node& node : plan_.nodes) {
            warn_of_globals(node);
            if (node.component->kind == plugin::Kind::kLoss) {
                warn_of_scores(node);
            }
        }
    }

private:
    [[nodiscard]] Published publisher_of(const std::string& name) const {
        for (const auto* nodes : {&plan_.tasks, &plan_.nodes}) {
            for (const Node& node : *nodes) {
                for (const plugin::Global& global : node.component->globals) {
                    const auto named = node.globals.find(global.name);
                    if (global.is_written() && named != node.globals.end() &&
                        named->second == name) {
                        return {&node, &global};
                    }
                }
            }
        }
        return {};
    }

    // Returns the globals of tasks that the words of a component come from: none if it has no
    // vocabulary, or one of another origin.
    [[nodiscard]] std::set<std::string> words_of(const Node& node) const {
        std::set<std::string> words;
        for (const plugin::Global& global : node.component->globals) {
            const auto named = node.globals.find(global.name);
            if (global.purpose != plugin::Purpose::kVocabulary || global.is_written() ||
                named == node.globals.end()) {
                continue;
            }
            const Node* const by = publisher_of(named->second).by;
            if (by != nullptr && !by->section.empty()) {
                words.insert(named->second);
            } else if (by != nullptr && by != &node) {
                words.merge(words_of(*by));
            }
        }
        return words;
    }

    // Returns the same of a global: its own name if it is the vocabulary of a task.
    [[nodiscard]] std::set<std::string> words_of(const std::string& name,
                                                 const Published& global) const {
        if (global.by == nullptr || global.by->section.empty()) {
            return global.by == nullptr ? std::set<std::string>() : words_of(*global.by);
        }
        return global.declared->purpose == plugin::Purpose::kVocabulary ? std::set{name}
                                                                        : std::set<std::string>();
    }

    // Returns the component that makes indices of words, behind transforms of one such stream;
    // nullptr if none does.
    [[nodiscard]] const Node* indexer_of(int stream) const {
        for (int producer = plan_.stream(stream).producer; producer >= 0;
             producer = plan_.stream(stream).producer) {
            const Node& node = plan_.node(producer);
            if (!words_of(node).empty()) {
                return &node;
            }
            if (node.component->kind != plugin::Kind::kTransform || node.inputs.size() != 1 ||
                node.inputs[0].stream < 0 ||
                node.port(node.inputs[0]).element != Element::kInteger) {
                return nullptr;
            }
            stream = node.inputs[0].stream;
        }
        return nullptr;
    }

    [[nodiscard]] bool are_others(const std::set<std::string>& one, const Node& indexer) const {
        const std::set<std::string> words = words_of(indexer);
        return !one.empty() && std::ranges::none_of(one, [&](const std::string& name) {
            return words.contains(name);
        });
    }

    // Warns of globals that a component reads beside indices of other words. A sample has several
    // indices, but one length.
    void warn_of_globals(const Node& node) {
        std::vector<const Node*> indexers;
        for (const Binding& input : node.inputs) {
            const Node* const indexer = input.stream >= 0 && input.shape.size() > 1 &&
                                                node.port(input).element == Element::kInteger
                                            ? indexer_of(input.stream)
                                            : nullptr;
            if (indexer != nullptr) {
                indexers.push_back(indexer);
            }
        }
        for (const auto& [declared, name] : node.globals) {
            const Published global = publisher_of(name);
            const std::set<std::string> words = words_of(name, global);
            const bool is_of_others = !indexers.empty() && global.by != &node &&
                                      std::ranges::all_of(indexers, [&](const Node* indexer) {
                                          return are_others(words, *indexer);
                                      });
            if (is_of_others) {
                report(node, declared, {name, global}, *indexers.front());
            }
        }
    }

    // Warns of a number of scores that is not that of the words a loss compares them with.
    void warn_of_scores(const Node& loss) {
        const Binding* const targets = loss.input_for(plugin::Purpose::kTargets);
        const Node* const indexer = targets == nullptr ? nullptr : indexer_of(targets->stream);
        for (const Binding& input : loss.inputs) {
            const int producer = input.stream < 0 ? -1 : plan_.stream(input.stream).producer;
            if (indexer == nullptr || producer < 0 || input.shape.empty()) {
                continue;
            }
            const Node& model = plan_.node(producer);
            const std::string name = model.global_for(plugin::Purpose::kScoreCount);
            const Published global = publisher_of(name);
            if (are_others(words_of(name, global), *indexer)) {
                report(model,
                       plugin::find_purpose(model.component->globals, plugin::Purpose::kScoreCount)
                           ->name,
                       {name, global}, *indexer);
            }
        }
    }

    struct Used {
        const std::string& name;
        const Published& global;
    };

    void report(const Node& node, const std::string& declared, const Used& used,
                const Node& indexer) {
        if (!reported_.insert({node.name, declared}).second) {
            return;
        }
        pipeline::warn(
            node,
            {fmt::format("{} = \"{}\" is of the words of {}, and the indices are those "
                         "of {}",
                         declared, used.name, node_text(*used.global.by), node_text(indexer)),
             fix_of(node, declared, used, indexer)},
            problems_);
    }

    // Returns which global of the indexer to read: the one of the same name or, in place of the
    // vocabulary of a task, the one that it reads.
    [[nodiscard]] std::string fix_of(const Node& node, const std::string& declared,
                                     const Used& used, const Node& indexer) const {
        const auto write = [&](const std::string& key, const std::string& name, const Node& in) {
            return fmt::format("write globals = {{ {} = \"{}\" }} in {}", toml_key(key), name,
                               in.path);
        };
        if (!used.global.by->section.empty()) {
            return write(declared, *words_of(indexer).begin(), node);
        }
        const std::string& own = used.global.declared->name;
        const auto named = indexer.globals.find(own);
        if (named != indexer.globals.end()) {
            return write(declared, named->second, node);
        }
        if (find_named(indexer.component->globals, own) == nullptr) {
            return "";
        }
        const std::string name = fmt::format("{}_{}", indexer.name, own);
        return write(own, name, indexer) + ", and " + write(declared, name, node);
    }

    const Plan& plan_;
    Diagnostics& problems_;
    std::set<std::pair<std::string, std::string>> reported_;
};

}  // namespace

void warn_of_other_vocabularies(const Plan& plan, Diagnostics& problems) {
    Vocabularies(plan, problems).warn();
}

}  // namespace ptp::pipeline
