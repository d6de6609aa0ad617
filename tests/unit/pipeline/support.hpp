// Components and experiments for the tests of this folder, written down in a few words.

#pragma once

#include "pipeline/assemble.hpp"
#include "pipeline/draw/draw.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

// Builds a declaration:
// make(Kind::kModel, "Net").in("inputs", "B, 28").out("predictions", "B, 10").
class Make {
public:
    Make(plugin::Kind kind, std::string name) {
        component_.kind = kind;
        component_.name = std::move(name);
    }

    Make& in(std::string name, std::string shape,
             plugin::Element element = plugin::Element::kFloating);
    Make& out(std::string name, std::string shape,
              plugin::Element element = plugin::Element::kFloating);
    Make& loss(std::string name);
    Make& reads(std::string name);
    Make& reads_if_named(std::string name);
    Make& reads_if_published(std::string name);
    Make& writes(std::string name, std::string value = "");
    Make& writes_if_named(std::string name, std::string value = "");
    Make& needs(std::string relation, std::string message, std::string when = "");
    Make& samples(std::string count);
    Make& statistic(std::string name);
    Make& integer(std::string name, std::optional<std::string> default_value = {});
    Make& integers(std::string name, std::optional<std::string> default_value = {});
    Make& strings(std::string name, std::optional<std::string> default_value = {});
    Make& flag(std::string name, bool default_value = false);
    Make& setting(plugin::Setting setting);
    // Of the port, global or statistic added last.
    Make& when(std::string condition);
    // Of the port added last.
    Make& purpose(plugin::Purpose purpose);  // of the last port or global
    Make& optional();
    Make& named_by(std::string setting);
    Make& meaning(std::string words);

    operator plugin::Component() const { return component_; }

private:
    enum class Last { kPort, kGlobal, kStatistic };

    plugin::Component component_;
    Last last_ = Last::kPort;
};

// Settings for Make::setting().
plugin::Setting setting_of(plugin::SettingType type, std::string name,
                           std::optional<std::string> default_value = {});
plugin::Setting choice_of(std::string name, std::vector<std::string> choices,
                          std::optional<std::string> default_value = {});
plugin::Setting layers_of(std::string name, std::uint32_t list_depth = 0, bool is_required = true);

// One plugin with these components.
plugin::Catalog catalog_of(std::vector<plugin::Component> components,
                           const std::string& plugin = "test_plugin");

// The components that most tests use:
//   Images  task: inputs "B, 1, image_height, image_width", targets; publishes image_*, num_classes
//   Net     model: inputs "B, 1, 32, 32" -> predictions "B, prediction_size"
//   Dense   model: inputs "B, input_size" -> predictions "B, prediction_size"
//   Loss    predictions "B, classes", targets "B" -> loss
//   Reshape inputs "$input_dims" -> outputs "$output_dims"
//   Squash  inputs "..." -> outputs "B, *", the same values
plugin::Catalog usual_catalog();

struct Outcome {
    plugin::Catalog catalog;  // the plan points into it
    std::optional<pipeline::Plan> plan;
    std::string problems;            // all of them, a line each
    pipeline::Picture failure = {};  // of the experiment, where there is no plan
};

// Reads "e.toml" with this text and assembles it.
Outcome assemble_text(std::string_view toml, plugin::Catalog catalog = usual_catalog(),
                      const std::vector<std::string>& processed = {});

// The same for another purpose.
Outcome assemble_for(const pipeline::Purpose& purpose, std::string_view toml,
                     plugin::Catalog catalog = usual_catalog());

// A [training] section with the task, then `rest`; the lines of `rest` begin at kFirstLine.
inline constexpr int kFirstLine = 8;
std::string experiment_text(std::string_view rest);

// The names of the plan's nodes in order, "net loss".
std::string order_text(const pipeline::Plan& plan);

const pipeline::Node& node_named(const pipeline::Plan& plan, std::string_view name);

}  // namespace ptp::test
