// Globals that components of a group publish: each use of the group has its own.

#include "base/ranges.hpp"
#include "pipeline/assemble.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptp::pipeline {

namespace {

using experiment::ComponentEntry;
using experiment::Renaming;

// The components of one use.
using Members = std::vector<ComponentEntry*>;

class Separation {
public:
    explicit Separation(const DraftContext& context, const experiment::Pipeline& pipeline)
        : context_(context), pipeline_(pipeline) {}

    // Renames what these components publish, and what they read of it, unless the experiment has
    // named it itself.
    void run(const std::string& use, const Members& members) {
        std::set<std::string> published;
        for (const ComponentEntry* member : members) {
            const auto draft = draft_component(*member, pipeline_, context_);
            for (std::size_t i = 0; draft && i < draft->node.component->globals.size(); ++i) {
                const plugin::Global& global = draft->node.component->globals[i];
                if (global.is_written() && draft->node.has_global[i] && is_plain(*member, global)) {
                    published.insert(global.name);
                }
            }
        }
        for (ComponentEntry* member : members) {
            const auto found = context_.catalog.find(member->type);
            if (!published.empty() && found.size() == 1) {
                rename(use, published, *found.front().component, *member);
            }
        }
    }

private:
    static bool is_plain(const ComponentEntry& entry, const plugin::Global& global) {
        return !global.is_only_if_named() &&
               find_by(entry.names.globals, global.name, &Renaming::from) == nullptr;
    }

    static void rename(const std::string& use, const std::set<std::string>& published,
                       const plugin::Component& component, ComponentEntry& entry) {
        for (const plugin::Global& global : component.globals) {
            if (published.contains(global.name) && is_plain(entry, global)) {
                entry.names.globals.push_back(
                    {global.name, entry.place, use + "_" + global.name, entry.place});
            }
        }
    }

    const DraftContext& context_;
    const experiment::Pipeline& pipeline_;
};

}  // namespace

void separate_globals(const experiment::GroupUses& uses, const plugin::Catalog& catalog,
                      const std::filesystem::path& home, experiment::Experiment& experiment) {
    if (uses.empty()) {
        return;
    }
    Diagnostics ignored;  // assemble() reports the same again
    const DraftContext context{catalog, home, ignored};
    experiment::Pipeline& pipeline = experiment.pipeline;
    std::map<std::string, Members> members;  // by the name of the copy
    for (const experiment::GroupUse& use : uses) {
        for (std::size_t i = 0; i < use.components.size(); ++i) {
            if (ComponentEntry* const entry = find_named(pipeline.components, use.components[i]);
                entry != nullptr && entry->share.empty() && entry->is_enabled) {
                members[use.copies[i]].push_back(entry);
            }
        }
    }
    for (const auto& [use, of_use] : members) {
        Separation(context, pipeline).run(use, of_use);
    }
    for (ComponentEntry& entry : pipeline.components) {
        if (const ComponentEntry* const lender = find_named(pipeline.components, entry.share)) {
            entry.names.globals = lender->names.globals;
        }
    }
}

}  // namespace ptp::pipeline
