// Finds the stage of each component: forward from the tasks for what prepares samples, backward
// from the end for what only results are made of.

#include "pipeline/component_stages.hpp"

#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <ptp/ext/samples.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <vector>

namespace ptp::pipeline {

namespace {

using plugin::Kind;

// Lists of images of different sizes are no tensors of a batch either.
bool is_text(const Stream& stream) {
    return plugin::is_text(stream.element) || stream.element == plugin::Element::kTensorList;
}

class StageFinder {
public:
    StageFinder(Plan& plan, Diagnostics& problems) : plan_(plan), problems_(problems) {}

    void run() {
        for (const Node& task : plan_.tasks) {
            std::ranges::copy(task.written_streams(),
                              std::inserter(of_samples_, of_samples_.end()));
            of_samples_.insert(task.indices_stream);
        }
        prepared_ = of_samples_;
        find_preparing();
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            set_pre(i);
        }
        for (std::size_t i = plan_.nodes.size(); i-- > 0;) {
            set_post(plan_.nodes[i]);
        }
        for (Node& node : plan_.nodes) {
            if (node.component->kind == Kind::kStatistic && reads_post(node)) {
                node.stage = Stage::kPost;
            }
            if (node.asked_stage && *node.asked_stage != node.stage) {
                refuse(node);
            }
        }
    }

private:
    // Marks the transforms that depend on the tasks alone and treat samples by themselves, work on
    // texts, or write what one of these reads.
    void find_preparing() {
        std::vector<std::size_t> transforms;
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            const Node& node = plan_.nodes[i];
            if (node.component->kind == Kind::kTransform &&
                (node.may_prepare() || is_forward_impossible(node)) &&
                reads_only(node, of_samples_)) {
                transforms.push_back(i);
                add_written(node, of_samples_);
            }
        }
        std::set<int> read;  // by those that are marked
        for (std::size_t i = transforms.size(); i-- > 0;) {
            const Node& node = plan_.nodes[transforms[i]];
            if (treats_samples(node) || writes_any(node, read)) {
                preparing_.insert(transforms[i]);
                add_read(node, read);
            }
        }
    }

    void set_pre(std::size_t number) {
        Node& node = plan_.nodes[number];
        const bool is_pre = preparing_.contains(number) && reads_only(node, prepared_);
        node.stage = is_pre ? Stage::kPre : Stage::kForward;
        if (is_pre) {
            add_written(node, prepared_);
        }
    }

    // Decides after the components that read the node's streams.
    void set_post(Node& node) {
        const Kind kind = node.component->kind;
        // A component that is tried on each sample is not exported, where that is possible.
        const bool is_asked =
            node.asked_stage == Stage::kPost || (!node.asked_stage && !node.tried_in.empty());
        if (kind == Kind::kPublisher || kind == Kind::kViewer) {
            const bool is_of_globals = node.read_streams().empty();  // it has no results to read
            node.stage = is_of_globals ? Stage::kPre : Stage::kPost;
        } else if (kind == Kind::kTransform && node.stage == Stage::kForward &&
                   (is_asked ? treats_samples(node) : has_texts(plan_, node)) &&
                   (node.asked_stage != Stage::kForward || is_forward_impossible(node)) &&
                   !writes_any(node, read_before_post_)) {
            node.stage = Stage::kPost;
        }
        if (node.stage != Stage::kPost && kind != Kind::kStatistic) {
            add_read(node, read_before_post_);
        }
    }

    // Returns whether the experiment asks for a stage that the node is only in if it must be.
    [[nodiscard]] bool is_forward_impossible(const Node& node) const {
        return node.asked_stage == Stage::kForward && has_texts(plan_, node);
    }

    [[nodiscard]] bool treats_samples(const Node& node) const {
        return is_per_sample(*node.component) || has_texts(plan_, node);
    }

    // Returns a component of an earlier stage than post that reads a stream of the node, and that
    // is not a statistic, which would be in the post stage, too; nullptr if there is none.
    [[nodiscard]] const Node* reader_before_post(const Node& node) const {
        const auto found = std::ranges::find_if(plan_.nodes, [&](const Node& other) {
            return other.stage != Stage::kPost && other.component->kind != Kind::kStatistic &&
                   std::ranges::any_of(node.written_streams(),
                                       [&](int stream) { return other.reads(stream); });
        });
        return found == plan_.nodes.end() ? nullptr : &*found;
    }

    [[nodiscard]] bool reads_post(const Node& node) const {
        return std::ranges::any_of(node.read_streams(), [&](int stream) {
            const int producer = plan_.stream(stream).producer;
            return producer >= 0 && plan_.node(producer).stage == Stage::kPost;
        });
    }

    static bool reads_only(const Node& node, const std::set<int>& streams) {
        return std::ranges::all_of(node.read_streams(),
                                   [&](int stream) { return streams.contains(stream); });
    }

    static bool writes_any(const Node& node, const std::set<int>& streams) {
        return std::ranges::any_of(node.written_streams(),
                                   [&](int stream) { return streams.contains(stream); });
    }

    static void add_read(const Node& node, std::set<int>& streams) {
        for (const int stream : node.read_streams()) {
            streams.insert(stream);
        }
    }

    static void add_written(const Node& node, std::set<int>& streams) {
        for (const int stream : node.written_streams()) {
            streams.insert(stream);
        }
    }

    void refuse(const Node& node) const {
        const std::string asked(stage_name(*node.asked_stage));
        problems_.error(Value(asked).at(node.stage_place), node.path + ".stage",
                        Explanation{reason(node), fmt::format("stage = \"{}\", or leave it out",
                                                              stage_name(node.stage))});
    }

    // Returns why the node cannot be in the stage that is asked for.
    [[nodiscard]] std::string reason(const Node& node) const {
        const Kind kind = node.component->kind;
        const std::string type =
            fmt::format("{} is a {}", node.component->name, plugin::to_string(kind));
        if (kind == Kind::kPublisher || kind == Kind::kViewer) {
            return type + (node.read_streams().empty()
                               ? " that reads no streams, and so has no results to run on"
                               : ", which runs on results");
        }
        if (kind != Kind::kTransform) {
            return type + ", which computes on batches; only transforms may run elsewhere";
        }
        if (*node.asked_stage == Stage::kForward) {
            return type +
                   " that reads or writes texts, and the forward stage computes with numbers";
        }
        if (!treats_samples(node)) {
            return type + " that computes on whole batches, not on each sample by itself";
        }
        if (*node.asked_stage == Stage::kPre) {
            for (const int stream : node.read_streams()) {
                const int producer = plan_.stream(stream).producer;
                if (!prepared_.contains(stream) && producer >= 0) {
                    return fmt::format("it reads stream '{}', which {} of the {} stage writes",
                                       plan_.stream(stream).name, node_text(plan_.node(producer)),
                                       stage_name(plan_.node(producer).stage));
                }
            }
        }
        const Node* const reader = reader_before_post(node);
        return reader == nullptr ? type
                                 : fmt::format("{} of the {} stage reads what it writes",
                                               node_text(*reader), stage_name(reader->stage));
    }

    Plan& plan_;
    Diagnostics& problems_;
    std::set<int> of_samples_;         // streams that depend on tasks and transforms alone
    std::set<int> prepared_;           // those that tasks and the pre stage write
    std::set<std::size_t> preparing_;  // nodes
    std::set<int> read_before_post_;   // by others than statistics, which are in either stage
};

}  // namespace

std::string_view stage_name(Stage stage) {
    return experiment::kStages[static_cast<std::size_t>(stage)];
}

std::optional<Stage> stage_named(std::string_view name) {
    const auto found = std::ranges::find(experiment::kStages, name);
    return found == experiment::kStages.end()
               ? std::nullopt
               : std::optional(static_cast<Stage>(found - experiment::kStages.begin()));
}

bool is_per_sample(const plugin::Component& component) {
    return component.kind == Kind::kTransform &&
           (!component.abilities ||
            std::ranges::count(*component.abilities, PTP_EXTENSION_SAMPLES) > 0);
}

bool has_texts(const Plan& plan, const Node& node) {
    const auto is_of_text = [&](int stream) { return is_text(plan.stream(stream)); };
    return std::ranges::any_of(node.read_streams(), is_of_text) ||
           std::ranges::any_of(node.written_streams(), is_of_text);
}

void find_stages(Plan& plan, Diagnostics& problems) {
    StageFinder(plan, problems).run();
}

std::string stage_text(const Plan& plan, Stage stage) {
    std::vector<std::string> names;
    for (const Node& node : plan.nodes) {
        if (node.stage == stage && (node.tried_in.empty() || !node.tries.empty())) {
            names.push_back(node.tries.empty()
                                ? node.name
                                : fmt::format("{} ({})", node.tried_in, join(node.tries, " or ")));
        }
    }
    return join(names, ", ");
}

std::string turn_text(const Node& node) {
    std::vector<std::string> parts;
    if (!node.tried_in.empty()) {
        parts.push_back(fmt::format("turn {} in '{}'", node.turn + 1, node.tried_in));
    }
    if (node.passes_through) {
        parts.emplace_back("passes through outside of its phases");
    }
    return join(parts, ", ");
}

std::vector<std::string> model_inputs(const Plan& plan) {
    std::set<int> wanted;
    for (auto node = plan.nodes.rbegin(); node != plan.nodes.rend(); ++node) {
        const bool is_seen = std::ranges::any_of(
            node->written_streams(), [&](int stream) { return wanted.contains(stream); });
        if (is_seen || node->component->kind == plugin::Kind::kModel) {
            const std::vector<int> inputs = node->read_streams();
            wanted.insert(inputs.begin(), inputs.end());
        }
    }
    std::vector<std::string> names;
    std::vector<std::string> all;
    for (const Node& task : plan.tasks) {
        for (const int stream : task.written_streams()) {
            const std::string& name = plan.stream(stream).name;
            if (!contains(all, name)) {
                all.push_back(name);
                if (wanted.contains(stream)) {
                    names.push_back(name);
                }
            }
        }
    }
    return names.empty() ? all : names;
}

}  // namespace ptp::pipeline
