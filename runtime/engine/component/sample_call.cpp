// Tries components in turn on the samples of a batch: each on all that are left, and, if it refuses
// one of these, on each by itself. The values of a sample are those of the first that takes it.

#include "engine/component/sample_call.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/sample_parts.hpp"
#include "engine/component/slot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

std::vector<int> places_in(const std::vector<pipeline::Binding>& own,
                           const std::vector<pipeline::Binding>& others) {
    std::vector<int> places;
    for (const pipeline::Binding& binding : own) {
        const auto found = std::ranges::find(others, binding.stream, &pipeline::Binding::stream);
        places.push_back(binding.stream < 0 || found == others.end()
                             ? -1
                             : static_cast<int>(found - others.begin()));
    }
    return places;
}

template <class Value>
std::vector<Value> at_places(Value const* values, const std::vector<int>& places) {
    std::vector<Value> found;
    for (const int place : places) {
        found.push_back(place < 0 ? nullptr : values[place]);
    }
    return found;
}

void clear(ptp_value* value, ptp_element element) {
    if (is_tensor(element)) {
        as_tensor(value).reset();
    } else if (element == PTP_TENSOR_LIST) {
        as_list(value).clear();
    } else {
        as_text(value).clear();
    }
}

// Returns why the component refuses one of the samples; nullopt if it takes them.
std::optional<std::string> refusal(Instance& instance, const BatchSamples& samples,
                                   const std::vector<const ptp_value*>& inputs,
                                   const std::vector<ptp_value*>& outputs) {
    try {
        instance.transform(samples, inputs.data(), outputs.data());
        return std::nullopt;
    } catch (const RunError& error) {
        if (error.code() != kDataError || is_about_memory(error.what())) {
            throw;
        }
        return error.what();
    }
}

}  // namespace

// One batch of a call with several turns.
class TriedBatch {
public:
    TriedBatch(const SampleCall& call, BatchSamples& samples, const ptp_value* const* inputs,
               ptp_value* const* outputs)
        : call_(call),
          samples_(samples),
          inputs_(inputs),
          outputs_(outputs),
          count_(samples.indices.numel()) {}

    void run() {
        Places waiting(static_cast<std::size_t>(count_));
        std::iota(waiting.begin(), waiting.end(), 0);
        for (std::size_t turn = 0; turn < call_.turns_.size() && !waiting.empty(); ++turn) {
            const Places before = waiting;
            waiting = parts_.empty() ? try_all(turn, before) : try_some(turn, before);
            note(turn, before, waiting);
        }
        if (!waiting.empty()) {
            refuse(waiting.front());
        }
        if (!parts_.empty()) {
            join();
        }
    }

private:
    // Tries a component on the whole batch, whose values it writes where they belong. Returns the
    // samples that it refuses.
    Places try_all(std::size_t turn, const Places& places) {
        const auto& ports = call_.ports_[turn];
        const auto reason = refusal(*call_.turns_[turn], samples_, at_places(inputs_, ports.inputs),
                                    at_places(outputs_, ports.outputs));
        if (!reason) {
            return {};
        }
        for (std::size_t i = 0; i < call_.node().outputs.size(); ++i) {
            if (outputs_[i] != nullptr) {
                clear(outputs_[i], elements()[i]);
            }
        }
        if (places.size() == 1) {
            reasons_[places.front()].push_back(*reason);
            return places;
        }
        return try_each(turn, places);
    }

    // Tries a component on some samples of the batch. Returns those that it refuses.
    Places try_some(std::size_t turn, const Places& places) {
        return places.size() > 1 && !try_part(turn, places) ? Places() : try_each(turn, places);
    }

    Places try_each(std::size_t turn, const Places& places) {
        Places refused;
        for (const std::int64_t place : places) {
            if (const auto reason = try_part(turn, {place})) {
                reasons_[place].push_back(*reason);
                refused.push_back(place);
            }
        }
        return refused;
    }

    // Returns why the component refuses one of these samples; else adds what it has written.
    std::optional<std::string> try_part(std::size_t turn, const Places& places) {
        Instance& instance = *call_.turns_[turn];
        const pipeline::Node& node = instance.node();
        const auto& ports = call_.ports_[turn];
        std::vector<Slot> read(node.inputs.size());
        std::vector<const ptp_value*> inputs;
        for (std::size_t i = 0; i < read.size(); ++i) {
            const int place = ports.inputs[i];
            if (place >= 0) {
                read[i].element = instance.input_elements()[i];
                take_samples(inputs_[place], node.inputs[i], places, count_, read[i]);
            }
            inputs.push_back(place < 0 ? nullptr : read[i].value());
        }
        SamplePart part{places, std::vector<Slot>(elements().size())};
        std::vector<ptp_value*> outputs;
        for (std::size_t i = 0; i < part.outputs.size(); ++i) {
            part.outputs[i].element = elements()[i];
        }
        for (const int place : ports.outputs) {
            outputs.push_back(place < 0 ? nullptr
                                        : part.outputs[static_cast<std::size_t>(place)].value());
        }
        if (auto reason = refusal(instance, samples_at(samples_, places), inputs, outputs)) {
            return reason;
        }
        check_count(instance, part);
        parts_.push_back(std::move(part));
        turns_.push_back(turn);
        return std::nullopt;
    }

    void check_count(const Instance& instance, const SamplePart& part) const {
        const auto wanted = static_cast<std::int64_t>(part.places.size());
        for (std::size_t i = 0; i < part.outputs.size(); ++i) {
            const pipeline::Binding& output = call_.node().outputs[i];
            const auto written = written_samples(part.outputs[i], output);
            if (output.stream >= 0 && written != wanted) {
                throw RunError(
                    kPluginError,
                    fmt::format(
                        "{}: output '{}': {}", instance.blamed(), output.name,
                        written ? fmt::format("has {} for {}", counted(*written, "sample"), wanted)
                                : "was not written"));
            }
        }
    }

    // Notes what a component has done with the samples that were left for it.
    void note(std::size_t turn, const Places& before, const Places& refused) {
        const pipeline::Node& node = call_.turns_[turn]->node();
        TriedSamples& tried = samples_.tried.emplace_back();
        tried.section = node.tried_in;
        tried.component = node.name;
        tried.refused = own(refused);
        tried.taken = own(before) - tried.refused;
        if (!refused.empty()) {
            tried.first_refused = sample_at(refused.front());
            tried.reason = reasons_[refused.front()].back();
        }
    }

    // Counts those of this process, which may have loaded the samples of all.
    [[nodiscard]] std::uint64_t own(const Places& places) const {
        const BatchShare& share = samples_.share;
        const auto is_own = [&](std::int64_t place) {
            const auto at = static_cast<std::uint64_t>(place);
            return share.is_cut || (at >= share.first && at - share.first < share.count);
        };
        return static_cast<std::uint64_t>(std::ranges::count_if(places, is_own));
    }

    [[noreturn]] void refuse(std::int64_t place) {
        std::string text = fmt::format("'{}' (try): no component takes sample {}",
                                       call_.node().tried_in, sample_at(place));
        for (const std::string& reason : reasons_[place]) {
            text += "\n    " + reason;
        }
        throw WithFix<RunError>(
            kDataError, {text, "correct the sample, or add a component that takes it to `try`"});
    }

    void join() {
        for (std::size_t i = 0; i < elements().size(); ++i) {
            const pipeline::Binding& output = call_.node().outputs[i];
            if (output.stream < 0) {
                continue;
            }
            if (const auto unlike = join_samples(parts_, i, output, outputs_[i])) {
                refuse_unlike(output, *unlike);
            }
        }
    }

    [[noreturn]] void refuse_unlike(const pipeline::Binding& output, const UnlikeParts& unlike) {
        const auto of = [&](std::size_t part, const std::string& type) {
            return fmt::format("{} by {} for sample {}", type, call_.turns_[turns_[part]]->title(),
                               sample_at(parts_[part].places.front()));
        };
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("'{}' (try): output '{}' of one batch is {}, and {}",
                         call_.node().tried_in, output.name, of(unlike.first, unlike.first_type),
                         of(unlike.second, unlike.second_type)),
             "settings with which all write one type and size; where a batch is padded to its "
             "longest sample, try what comes before that; or batch_size = 1"});
    }

    [[nodiscard]] const std::vector<ptp_element>& elements() const {
        return call_.turns_.back()->output_elements();
    }
    [[nodiscard]] std::int64_t sample_at(std::int64_t place) const {
        return samples_.indices.data_ptr<std::int64_t>()[place];
    }

    const SampleCall& call_;
    BatchSamples& samples_;
    const ptp_value* const* inputs_;
    ptp_value* const* outputs_;
    const std::int64_t count_;
    std::vector<SamplePart> parts_;
    std::vector<std::size_t> turns_;                            // of each part
    std::map<std::int64_t, std::vector<std::string>> reasons_;  // by place
};

SampleCall::SampleCall(std::vector<Instance*> turns) : turns_(std::move(turns)) {
    for (const Instance* turn : turns_) {
        ports_.push_back({places_in(turn->node().inputs, node().inputs),
                          places_in(turn->node().outputs, node().outputs)});
    }
}

void SampleCall::run(BatchSamples& samples, const ptp_value* const* inputs,
                     ptp_value* const* outputs) const {
    if (turns_.size() == 1) {
        turns_.front()->transform(samples, inputs, outputs);
        return;
    }
    TriedBatch(*this, samples, inputs, outputs).run();
}

}  // namespace ptp::engine
