// Divides the components that lead to a prediction into those before, in and after the forward
// stage.

#include "engine/export/forward_stage.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/slot.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace ptp::engine {

namespace {

class Finder {
public:
    Finder(const pipeline::Plan& plan, const Components& components)
        : plan_(plan), components_(components) {}

    ForwardStage run(const Instance& task, const pipeline::Prediction& prediction) {
        for (const pipeline::PredictedStream& predicted : prediction.streams) {
            add_outputs(predicted.stream);
        }
        mark_needed();
        add_written(task);
        std::set<int> inputs;
        for (const std::shared_ptr<Instance>& node : components_.nodes) {
            if (!needed_.contains(node.get())) {
                continue;
            }
            if (node->node().stage == pipeline::Stage::kPre || makes_numbers_of_texts(*node)) {
                found_.before.push_back(node.get());
                add_written(*node);
                continue;
            }
            require_numbers(*node);
            found_.forward.push_back(node.get());
        }
        for (const Instance* node : found_.forward) {
            for (const int stream : node->node().read_streams()) {
                const int producer = plan_.stream(stream).producer;
                const Instance* const writer =
                    producer < 0 ? nullptr
                                 : components_.nodes[static_cast<std::size_t>(producer)].get();
                if (std::ranges::find(found_.forward, writer) == found_.forward.end()) {
                    inputs.insert(stream);
                }
            }
        }
        found_.inputs.assign(inputs.begin(), inputs.end());
        if (found_.forward.empty()) {
            throw RunError(kConfigurationError,
                           "there is nothing to export: no component computes what is predicted "
                           "on batches of numbers");
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] bool is_number(int stream) const {
        return is_tensor(static_cast<ptp_element>(plan_.stream(stream).element));
    }

    void add_written(const Instance& instance) {
        for (const int stream : instance.node().written_streams()) {
            prepared_.insert(stream);
        }
    }

    // Returns whether it reads texts of samples, and nothing that is computed on batches: a model
    // with a vector for each word.
    [[nodiscard]] bool makes_numbers_of_texts(const Instance& instance) const {
        const std::vector<int> read = instance.node().read_streams();
        return std::ranges::any_of(read, [&](int stream) { return !is_number(stream); }) &&
               std::ranges::all_of(read, [&](int stream) { return prepared_.contains(stream); });
    }

    // Adds a stream of numbers; of one that the post stage writes, the numbers that it is made of.
    void add_outputs(int stream) {
        const int producer = plan_.stream(stream).producer;
        const bool is_of_post =
            producer >= 0 && plan_.node(producer).stage == pipeline::Stage::kPost;
        if (is_number(stream) && !is_of_post) {
            if (std::ranges::find(found_.outputs, stream) == found_.outputs.end()) {
                found_.outputs.push_back(stream);
            }
            return;
        }
        if (producer < 0) {
            return;
        }
        const pipeline::Node& node = plan_.node(producer);
        const std::string title = pipeline::node_text(node);
        if (std::ranges::find(found_.after, title) == found_.after.end()) {
            found_.after.push_back(title);
        }
        for (const int read : node.read_streams()) {
            if (plan_.stream(read).producer >= 0) {
                add_outputs(read);
            }
        }
    }

    void mark_needed() {
        std::set<int> streams(found_.outputs.begin(), found_.outputs.end());
        for (std::size_t i = components_.nodes.size(); i-- > 0;) {
            const Instance& instance = *components_.nodes[i];
            const std::vector<int> written = instance.node().written_streams();
            if (std::ranges::any_of(written, [&](int each) { return streams.contains(each); })) {
                needed_.insert(&instance);
                for (const int stream : instance.node().read_streams()) {
                    streams.insert(stream);
                }
            }
        }
    }

    void require_numbers(const Instance& instance) const {
        if (!instance.node().tried_in.empty()) {
            throw WithFix<RunError>(
                kConfigurationError,
                Explanation{fmt::format("cannot export {}: '{}' tries it on each sample, and the "
                                        "forward stage computes on batches",
                                        instance.title(), instance.node().tried_in),
                            "--stream NAME, with a stream before it, exports the rest"});
        }
        for (const int stream : instance.node().read_streams()) {
            if (!is_number(stream)) {
                throw WithFix<RunError>(
                    kConfigurationError,
                    Explanation{fmt::format("cannot export {}: it reads texts, '{}', and the "
                                            "forward stage computes with numbers",
                                            instance.title(), plan_.stream(stream).name),
                                "--stream NAME, with a stream before it, exports the rest"});
            }
        }
    }

    const pipeline::Plan& plan_;
    const Components& components_;
    ForwardStage found_;
    std::set<const Instance*> needed_;
    std::set<int> prepared_;  // streams that are written before the forward stage
};

}  // namespace

ForwardStage find_forward_stage(const pipeline::Plan& plan, const Components& components,
                                const Instance& task, const pipeline::Prediction& prediction) {
    return Finder(plan, components).run(task, prediction);
}

}  // namespace ptp::engine
