#include "engine/conformance/made_up_task.hpp"

#include "base/text.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

using plugin::Element;

bool is_text(Element element) {
    return element == Element::kString || element == Element::kTokens;
}

bool is_of_an_image(const std::string& name) {
    return std::ranges::any_of(std::vector{"height", "width", "side"}, [&](const char* word) {
        return name.find(word) != std::string::npos;
    });
}

std::int64_t size_for(const std::string& name, const Guess& guess) {
    constexpr std::int64_t kColors = 3;
    if (is_of_an_image(name)) {
        return guess.side;
    }
    return name.find("channel") != std::string::npos ? kColors : guess.size;
}

// Returns the symbols of sizes that the component itself publishes.
std::set<int> published_symbols(const pipeline::Plan& plan, const pipeline::Node& node) {
    std::set<int> symbols;
    for (const plugin::Global& global : node.component->globals) {
        const auto name = node.globals.find(global.name);
        const auto symbol =
            plan.global_symbols.find(name == node.globals.end() ? global.name : name->second);
        if (global.is_written() && symbol != plan.global_symbols.end()) {
            symbols.insert(symbol->second);
        }
    }
    return symbols;
}

// The sizes of a plan around one component.
class Sizes {
public:
    Sizes(const pipeline::Plan& plan, const Guess& guess)
        : plan_(plan), guess_(guess), published_(published_symbols(plan, plan.nodes.front())) {}

    // Returns nullopt for sizes that the component will publish.
    [[nodiscard]] std::optional<std::int64_t> of(int symbol) const {
        const pipeline::Symbol& known = plan_.symbols[static_cast<std::size_t>(symbol)];
        if (known.size || published_.contains(symbol)) {
            return known.size;
        }
        return size_for(known.name, guess_);
    }

    [[nodiscard]] std::string text_of(const pipeline::Dimension& dimension) const {
        if (dimension.symbol == pipeline::kBatchSymbol) {
            return "B";
        }
        if (dimension.symbol < 0) {
            return fmt::format("{}", dimension.size.value_or(guess_.size));
        }
        const auto size = of(dimension.symbol);
        return size ? fmt::format("{}", *size) : "*";
    }

    [[nodiscard]] std::string shape_of(const pipeline::Binding& input) const {
        if (!input.has_shape) {
            return fmt::format("B, {}", guess_.size);
        }
        std::vector<std::string> texts;
        for (const pipeline::Dimension& dimension : input.shape) {
            texts.push_back(text_of(dimension));
        }
        return join(texts, ", ");
    }

private:
    const pipeline::Plan& plan_;
    const Guess& guess_;
    std::set<int> published_;
};

plugin::Port made_up_port(const std::string& stream, Element element) {
    plugin::Port port;
    port.direction = plugin::Direction::kOutput;
    port.element = element == Element::kAny ? Element::kFloating : element;
    port.name = stream;
    port.shape = is_text(element) ? "B" : "...";
    port.help = "Made up";
    return port;
}

}  // namespace

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

plugin::CatalogEntry made_up_task(const pipeline::Draft& draft, const Guess& guess,
                                  const pipeline::Plan* plan,
                                  const std::set<std::string>& unwired) {
    std::optional<Sizes> sizes;
    if (plan != nullptr) {
        sizes.emplace(*plan, guess);
    }
    plugin::Component task;
    task.kind = plugin::Kind::kTask;
    task.name = kMadeUpTask;
    task.summary = "Made up";
    std::set<std::string> written;
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
        const std::string& stream = draft.inputs[i].stream;
        if (stream.empty() || unwired.contains(draft.node.inputs[i].name) || stream == "indices" ||
            !written.insert(stream).second) {
            continue;
        }
        plugin::Port port = made_up_port(stream, draft.port(draft.node.inputs[i]).element);
        if (sizes && !is_text(port.element)) {
            port.shape = sizes->shape_of(plan->nodes.front().inputs[i]);
        }
        task.ports.push_back(std::move(port));
    }
    for (const std::string& name : read_globals(draft.node)) {
        plugin::Global global;
        global.access = plugin::GlobalAccess::kWrite;
        global.name = name;
        global.help = "Made up";
        if (sizes && plan->global_symbols.contains(name)) {
            const auto size = sizes->of(plan->global_symbols.at(name));
            global.value = size ? fmt::format("{}", *size) : "";
        }
        task.globals.push_back(std::move(global));
    }
    plugin::CatalogEntry entry;
    entry.manifest.name = "made_up";
    entry.manifest.components.push_back(std::move(task));
    return entry;
}

}  // namespace ptp::engine
