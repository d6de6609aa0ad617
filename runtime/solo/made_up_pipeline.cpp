// Makes up the task around a component that is tried: which streams and globals it has, and their
// sizes. Values are made up in made_up_inputs.cpp, settings in made_up_settings.cpp.

#include "solo/lone_trial.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/check_request.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::solo {

namespace {

std::int64_t size_for(std::string_view name, const Guess& guess) {
    constexpr std::int64_t kColors = 3;
    for (const std::string_view word : {"height", "width", "side"}) {
        if (name.find(word) != std::string_view::npos) {
            return guess.side;
        }
    }
    return name.find("channel") != std::string_view::npos ? kColors : guess.size;
}

// Returns the n-th of the globals that are not sizes.
Value constant_of(const Guess& guess, std::size_t n) {
    std::vector<Value> words;
    Value numbers;
    for (std::int64_t i = 0; i < guess.size; ++i) {
        std::string word(1, static_cast<char>('a' + i));
        words.emplace_back(word);
        numbers.set(std::move(word), i);
    }
    switch (guess.constants[n % guess.constants.size()]) {
        case Guess::Constant::kNumber:
            return guess.size;
        case Guess::Constant::kWords:
            return Value::list(std::move(words));
        case Guess::Constant::kNumbersOfWords:
            return numbers;
    }
    return guess.size;
}

// Returns the globals, by their names in the pipeline, that the component reads and does not write.
std::set<std::string> read_globals(const pipeline::Node& node) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        const plugin::Global& global = node.component->globals[i];
        if (global.access != plugin::GlobalAccess::kRead || !node.has_global[i]) {
            continue;
        }
        for (const auto& [declared, name] : node.globals) {
            if (declared == global.name || global.name.starts_with('$')) {
                names.insert(name);
            }
        }
    }
    for (const plugin::Global& global : node.component->globals) {
        if (global.access == plugin::GlobalAccess::kWrite) {
            names.erase(global.name);
        }
    }
    return names;
}

// The sizes of a plan around one component: those that it requires, and made-up ones.
class Sizes {
public:
    Sizes(const pipeline::Plan& plan, const Guess& guess) : plan_(plan), guess_(guess) {
        const pipeline::Node& node = plan.nodes.front();
        for (const plugin::Global& global : node.component->globals) {
            const auto name = node.globals.find(global.name);
            const auto symbol =
                plan.global_symbols.find(name == node.globals.end() ? global.name : name->second);
            if (global.is_written() && symbol != plan.global_symbols.end()) {
                published_.insert(symbol->second);
            }
        }
    }

    // Returns "" for a size that the component will publish.
    [[nodiscard]] std::string of(int symbol) const {
        const pipeline::Symbol& known = plan_.symbols[static_cast<std::size_t>(symbol)];
        if (!known.size && published_.contains(symbol)) {
            return "";
        }
        return std::to_string(known.size ? *known.size : size_for(known.name, guess_));
    }

    [[nodiscard]] std::string shape_of(const pipeline::Binding& input) const {
        if (!input.has_shape) {
            return fmt::format("B, {}", guess_.size);
        }
        std::vector<std::string> texts;
        for (const pipeline::Dimension& dimension : input.shape) {
            if (dimension.symbol == pipeline::kBatchSymbol) {
                texts.emplace_back("B");
            } else if (dimension.symbol < 0) {
                texts.push_back(std::to_string(dimension.size.value_or(guess_.size)));
            } else {
                const std::string size = of(dimension.symbol);
                texts.push_back(size.empty() ? "*" : size);
            }
        }
        return join(texts, ", ");
    }

private:
    const pipeline::Plan& plan_;
    const Guess& guess_;
    std::set<int> published_;  // the symbols of sizes that the component itself publishes
};

// Returns the task that writes the component's streams. Without a plan, they have any shape; with a
// plan made that way, they and the globals have the sizes that the component requires there.
Feeder feeder_for(const pipeline::Draft& draft, const std::set<std::string>& unwired,
                  const pipeline::Plan* plan, const Guess& guess) {
    std::optional<Sizes> sizes;
    if (plan != nullptr) {
        sizes.emplace(*plan, guess);
    }
    Feeder feeder;
    std::set<std::string> written = {"", "indices"};
    for (std::size_t i = 0; i < draft.node.inputs.size(); ++i) {
        const std::string& stream = draft.node.inputs[i].wire.stream;
        if (unwired.contains(draft.node.inputs[i].name) || !written.insert(stream).second) {
            continue;
        }
        const plugin::Element element = draft.port(draft.node.inputs[i]).element;
        feeder.write(stream,
                     element == plugin::Element::kAny ? plugin::Element::kFloating : element,
                     sizes ? sizes->shape_of(plan->nodes.front().inputs[i]) : "...");
    }
    for (const std::string& name : read_globals(draft.node)) {
        const bool is_size = sizes && plan->global_symbols.contains(name);
        feeder.publish(name, is_size ? sizes->of(plan->global_symbols.at(name)) : "");
    }
    return feeder;
}

// Returns the optional inputs that are not to be wired. Their streams get their usual names, which
// nothing writes.
std::set<std::string> take_unwired(experiment::ComponentEntry& entry) {
    std::set<std::string> ports;
    std::erase_if(entry.names.streams, [&](const experiment::Renaming& one) {
        return one.to == engine::kUnwired && ports.insert(one.from).second;
    });
    return ports;
}

}  // namespace

MadeUpPipeline::MadeUpPipeline(const LoneEntry& lone, Guess made_up_guess)
    : LonePlan(lone, {.batch_size = kMadeUpBatch}),
      guess(std::move(made_up_guess)),
      settings(lone.entry.settings) {
    if (lone.component.kind == plugin::Kind::kTask) {
        assemble();
        return;
    }
    experiment::ComponentEntry& entry = experiment.pipeline.components.front();
    const std::set<std::string> unwired = take_unwired(entry);
    Diagnostics problems;
    const auto draft =
        pipeline::draft_component(entry, experiment.pipeline, {catalog, lone.home, problems});
    if (!draft || !problems.ok()) {
        throw NoPlan(problems);
    }
    assemble(feeder_for(*draft, unwired, nullptr, guess));
    const Feeder feeder = feeder_for(*draft, unwired, &plan, guess);
    assemble(feeder);
    std::size_t constants = 0;
    for (const plugin::Global& global : feeder.globals) {
        const auto symbol = plan.global_symbols.find(global.name);
        if (symbol == plan.global_symbols.end()) {
            globals.push_back({global.name, {}, constant_of(guess, constants++)});
        } else if (const auto size = plan.symbols[static_cast<std::size_t>(symbol->second)].size) {
            globals.push_back({global.name, {}, Value(*size)});
        }
    }
}

std::string MadeUpPipeline::text() const {
    std::string text;
    if (catalog.plugins.size() > 1) {
        for (const plugin::Port& port : catalog.plugins.back().manifest.components.front().ports) {
            text += port.shape + ";";
        }
    }
    for (const Member& global : globals) {
        text += fmt::format("{} = {};", global.key, inline_toml(global.value));
    }
    return text;
}

}  // namespace ptp::solo
