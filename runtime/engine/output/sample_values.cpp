// Collects the values of each sample during a pass, and writes them when the pass is whole.

#include "engine/output/sample_values.hpp"

#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/ranges.hpp"
#include "pipeline/suggestions.hpp"
#include "pipeline/task_data.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <ATen/ops/argmax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace ptp::engine {

namespace {

// Adds a stream of the batch: as [B] if it has one integer for each sample, else as [B, N].
void add_rows(std::map<std::string, std::vector<at::Tensor>>& streams, const pipeline::Plan& plan,
              const Frame& frame, int stream) {
    const at::Tensor values = frame[stream].tensor.detach().to(at::kCPU);
    const bool is_integer = frame[stream].element == PTP_INTEGER;
    const bool is_one = is_integer && values.numel() == values.size(0);
    streams[plan.stream(stream).name].push_back(
        values.reshape({values.size(0), is_one ? 1 : values.numel() / values.size(0)})
            .to(is_integer ? at::kLong : at::kFloat));
    if (is_one) {
        at::Tensor& added = streams[plan.stream(stream).name].back();
        added = added.squeeze(1);  // [B, 1] -> [B]
    }
}

// Adds the means and deviations by which the task has standardized targets; null: it has not.
void add_scales(Json& judged, const ptp_data* scales) {
    for (std::size_t i = 0; scales != nullptr && i < scales->item_count; ++i) {
        const ptp_data& list = scales->items[i];
        for (std::size_t k = 0; list.type == PTP_DATA_LIST && k < list.item_count; ++k) {
            if (list.items[k].type == PTP_DATA_REAL) {
                judged[list.key].push_back(list.items[k].real);
            }
        }
    }
}

// Adds the classes of [B] targets, and the first with the highest of [B, C] scores.
void add_classes(std::vector<ExampleFacts>& facts, const at::Tensor& targets,
                 const at::Tensor& scores) {
    const at::Tensor target = targets.detach().flatten().to(at::kCPU, at::kLong).contiguous();
    const at::Tensor predicted =
        scores.detach().argmax(1).to(at::kCPU, at::kLong).contiguous();  // [B, C] -> [B]
    for (std::size_t i = 0; i < facts.size(); ++i) {
        facts[i].target = target.data_ptr<std::int64_t>()[i];
        facts[i].predicted = predicted.data_ptr<std::int64_t>()[i];
    }
}

}  // namespace

SampleValues::SampleValues(std::filesystem::path folder, const experiment::SampleValues& settings)
    : files_(std::move(folder)), settings_(settings) {}

void SampleValues::begin(const RunInfo& facts) {
    plan_ = &facts.plan;
    globals_ = facts.globals;
    log_ = facts.log;
    files_.begin(facts.first_episode);
}

bool SampleValues::reads(std::string_view stream) const {
    return std::ranges::any_of(settings_.streams,
                               [&](const auto& named) { return named.value == stream; });
}

bool SampleValues::takes_batches(std::optional<std::uint64_t> epoch) const {
    return !epoch || (*epoch + 1) % static_cast<std::uint64_t>(settings_.every_epochs) == 0;
}

void SampleValues::evaluated(const SetBatch& batch) {
    const BatchSamples& samples = batch.frame.samples();
    const std::size_t place = place_of(batch);
    auto found = passes_.find(batch.section);
    if (found == passes_.end() || batch.index == 0) {  // an interrupted pass begins again
        found = passes_.insert_or_assign(std::string(batch.section), Pass{}).first;
        find_judged(found->second, batch, place);
        if (settings_.examples > 0) {
            found->second.examples = std::make_unique<Examples>(
                static_cast<std::size_t>(settings_.examples), *plan_, plan_->tasks[place]);
        }
    }
    Pass& pass = found->second;
    drop_missing(pass, batch);
    const auto count = static_cast<std::size_t>(samples.indices.numel());
    const auto* const first = samples.indices.data_ptr<std::int64_t>();
    pass.indices.insert(pass.indices.end(), first, first + count);
    for (const auto& [name, numbers] : batch.values) {
        std::vector<float>& values = pass.values[name];
        values.insert(values.end(), numbers.begin(), numbers.end());
    }
    std::vector<ExampleFacts> facts(count);
    for (std::size_t i = 0; i < count; ++i) {
        facts[i].index = first[i];
        facts[i].loss = std::numeric_limits<double>::quiet_NaN();
    }
    for (const int stream : streams_of(pass, batch, place)) {
        add_rows(pass.streams, *plan_, batch.frame, stream);
    }
    if (!pass.judged.empty() && pass.judged.front().is_classes) {
        add_classes(facts, batch.frame[pass.judged.front().targets].tensor,
                    batch.frame[pass.judged.front().predictions].tensor);
    }
    const auto losses = std::ranges::find_if(
        pass.values, [](const auto& value) { return value.first.ends_with(".loss"); });
    for (std::size_t i = 0; losses != pass.values.end() && i < count; ++i) {
        facts[i].loss = losses->second[losses->second.size() - count + i];
    }
    if (pass.examples) {
        pass.examples->add(batch.frame, facts);
    }
}

std::size_t SampleValues::place_of(const SetBatch& batch) const {
    const auto task = std::ranges::find(plan_->tasks, batch.section, &pipeline::Node::section);
    return static_cast<std::size_t>(task - plan_->tasks.begin());
}

std::set<int> SampleValues::batch_streams(const SetBatch& batch) {
    const std::size_t place = place_of(batch);
    Pass pass;
    find_judged(pass, batch, place);
    std::set<int> streams;
    for (const Judged& judged : pass.judged) {
        streams.insert({judged.targets, judged.predictions});
    }
    for (std::size_t i = 0; i < plan_->streams.size(); ++i) {
        const Slot& slot = batch.frame[static_cast<int>(i)];
        if (reads(plan_->streams[i].name) && is_tensor(slot.element) && slot.tensor.defined()) {
            streams.insert(static_cast<int>(i));
        }
    }
    if (settings_.examples > 0) {
        streams.merge(Examples(1, *plan_, plan_->tasks[place]).streams(batch.frame));
    }
    return streams;
}

// Finds the losses that compare a prediction with a target for each sample.
void SampleValues::find_judged(Pass& pass, const SetBatch& batch, std::size_t place) const {
    const std::int64_t count = batch.frame.samples().indices.numel();
    const auto width = [&](int stream) -> std::optional<std::int64_t> {  // numbers of a sample
        const Slot& slot = batch.frame[stream];
        const bool is_known = is_tensor(slot.element) && slot.tensor.defined() && count > 0 &&
                              slot.tensor.dim() > 0 && slot.tensor.size(0) == count;
        return is_known ? std::optional(slot.tensor.numel() / count) : std::nullopt;
    };
    for (const pipeline::Node& node : plan_->nodes) {
        const pipeline::Binding* const targets = node.input_for(plugin::Purpose::kTargets);
        if (node.component->kind != plugin::Kind::kLoss || targets == nullptr ||
            !node.runs_on(place)) {
            continue;
        }
        const auto predictions = std::ranges::find_if(node.inputs, [&](const auto& input) {
            return input.stream >= 0 && input.stream != targets->stream &&
                   plan_->stream(input.stream).producer >= 0 &&
                   batch.frame[input.stream].element == PTP_FLOAT;
        });
        if (predictions == node.inputs.end()) {
            continue;
        }
        const auto wanted = width(targets->stream);
        const auto given = width(predictions->stream);
        const bool is_classes = batch.frame[targets->stream].element == PTP_INTEGER;
        const bool is_shown =
            wanted && given && *given > 0 &&
            (is_classes ? *wanted == 1 && batch.frame[predictions->stream].tensor.dim() == 2
                        : *wanted == *given && pipeline::takes_numbers(node.port(*predictions)));
        if (is_shown && *given > settings_.max_classes) {
            pass.left_out[plan_->stream(predictions->stream).name] = *given;
        } else if (is_shown) {
            pass.judged.push_back({&node, targets->stream, predictions->stream, is_classes});
        }
    }
}

// Forgets what a loss compares if that has no row for each sample of a later batch.
void SampleValues::drop_missing(Pass& pass, const SetBatch& batch) {
    const std::int64_t count = batch.frame.samples().indices.numel();
    const auto is_missing = [&](int stream, std::int64_t least) {
        const at::Tensor& values = batch.frame[stream].tensor;
        return !values.defined() || values.dim() < least || values.size(0) != count;
    };
    std::erase_if(pass.judged, [&](const Judged& judged) {
        return count > 0 && (is_missing(judged.targets, 1) ||
                             is_missing(judged.predictions, judged.is_classes ? 2 : 1));
    });
}

std::set<int> SampleValues::streams_of(const Pass& pass, const SetBatch& batch, std::size_t place) {
    std::set<int> streams;
    for (const Judged& judged : pass.judged) {
        streams.insert({judged.targets, judged.predictions});
    }
    const std::int64_t count = batch.frame.samples().indices.numel();
    const auto add_asked = [&](const pipeline::Node& writer) {
        for (const int stream : writer.written_streams()) {
            const Slot& slot = batch.frame[stream];
            const std::string& name = plan_->stream(stream).name;
            if (!reads(name) || !is_tensor(slot.element) || !slot.tensor.defined() || count == 0) {
                continue;
            }
            if (slot.tensor.dim() > 0 && slot.tensor.size(0) == count) {
                streams.insert(stream);
            } else {
                note_left_out(name, batch.section, "its first size is not that of the batch");
            }
        }
    };
    add_asked(plan_->tasks[place]);
    for (const pipeline::Node& node : plan_->nodes) {
        if (node.writes_on(place)) {
            add_asked(node);
        }
    }
    return streams;
}

void SampleValues::note_left_out(const std::string& stream, std::string_view section,
                                 const char* reason) {
    if (log_ != nullptr && noted_.emplace(section, stream).second) {
        log_->warn(Explanation{
            fmt::format("{}.streams: '{}' is left out of the files of [{}]: {}",
                        std::string(name()), stream, section, reason),
            fmt::format("leave it out of {}.streams, or name a stream with a row of one size for "
                        "each sample",
                        std::string(name()))}
                       .text());
    }
}

std::map<std::string, std::string> SampleValues::metadata_of(const Pass& pass,
                                                             const SetRow& row) const {
    const auto task = std::ranges::find(plan_->tasks, row.set, &pipeline::Node::section);
    Json judged = Json::array();
    for (const Judged& one : pass.judged) {
        judged.push_back({{"loss", one.loss->name},
                          {"type", one.loss->component->name},
                          {"targets", plan_->stream(one.targets).name},
                          {"predictions", plan_->stream(one.predictions).name},
                          {"is_classes", one.is_classes}});
        if (globals_ != nullptr && task != plan_->tasks.end() && !one.is_classes) {
            add_scales(judged.back(), globals_->find(pipeline::value_scales(*task, one.targets)));
        }
    }
    const std::vector<std::string> names =
        transformed(settings_.streams, [](const auto& named) { return named.value; });
    std::vector<std::string> classes;
    if (globals_ != nullptr && task != plan_->tasks.end()) {
        classes = published_classes(*task, *globals_);
        for (const auto* nodes : {&plan_->tasks, &plan_->nodes}) {
            for (std::size_t i = 0; classes.empty() && i < nodes->size(); ++i) {
                classes = published_classes((*nodes)[i], *globals_);
            }
        }
    }
    return {{"format", std::to_string(run::kSampleValuesFormat)},
            {"section", std::string(row.set)},
            {"episode", std::to_string(row.position.at.episode)},
            {"epoch", std::to_string(row.position.at.epoch + 1)},
            {"classes", text_of(Json(classes))},
            {"judged", text_of(judged)},
            {"streams", text_of(Json(names))},
            {"left_out", text_of(Json(pass.left_out))}};
}

void SampleValues::set(const SetRow& row) {
    const auto found = passes_.find(row.set);
    if (found == passes_.end()) {  // not recorded, or of training
        return;
    }
    const Pass pass = std::move(found->second);
    passes_.erase(found);
    TensorsByName tensors = {{"index", at::tensor(pass.indices, at::kLong)}};
    for (const auto& [name, values] : pass.values) {
        tensors.emplace_back(name, at::tensor(values, at::kFloat));
    }
    for (const auto& [name, batches] : pass.streams) {
        std::int64_t count = 0;
        const bool is_regular = std::ranges::all_of(batches, [&](const at::Tensor& batch) {
            count += batch.size(0);
            return batch.sizes().slice(1) == batches.front().sizes().slice(1);
        });
        // Rows of different lengths make no tensor.
        if (is_regular && count == static_cast<std::int64_t>(pass.indices.size())) {
            tensors.emplace_back("stream/" + name, at::cat(batches).contiguous());
        } else if (reads(name)) {
            note_left_out(name, row.set, "its batches have rows of different sizes");
        }
    }
    std::map<std::string, std::string> metadata = metadata_of(pass, row);
    metadata["examples"] =
        text_of(pass.examples ? Json(pass.examples->write(tensors)) : Json::object());
    files_.write(std::string(row.set), row.position.at.episode, tensors, metadata);
}

std::unique_ptr<Sink> make_sink(const experiment::SampleValues& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<SampleValues>(run_folder / run::kSampleValuesFolder, options);
}

}  // namespace ptp::engine
