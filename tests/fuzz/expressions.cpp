#include "pipeline/expression.hpp"

#include "base/duration.hpp"
#include "common/command.hpp"
#include "experiment/load/override.hpp"
#include "experiment/schedule/lambda_lr.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"
#include "pipeline/evaluate.hpp"
#include "ptp-runs/columns.hpp"
#include "schema/range.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ptp::fuzz {

namespace {

template <class Parse>
void try_expression(Parse parse) {
    try {
        parse();
    } catch (const pipeline::ExpressionError&) {
    } catch (const pipeline::ComputationError&) {
    }
}

// Names stand for sizes at the edges, whatever they are.
class Sizes : public pipeline::FormulaScope {
public:
    [[nodiscard]] std::optional<std::int64_t> size(const std::string& name) const override {
        using Limits = std::numeric_limits<std::int64_t>;
        constexpr std::array<std::optional<std::int64_t>, 6> kEdges{
            Limits::min(), -1, 0, 3, Limits::max(), std::nullopt};
        return kEdges[name.size() % kEdges.size()];
    }

    [[nodiscard]] pipeline::InputSizes input(const std::string& port) const override {
        const pipeline::Numbers sizes{2, std::nullopt, size(port)};
        return {.is_list = port.size() % 2 == 0, .streams = {sizes, std::nullopt, {}}};
    }
};

plugin::Setting setting(const char* name) {
    plugin::Setting named;
    named.name = name;
    return named;
}

// "$a", "$bb" and "$ccc"; other settings are absent.
template <class Use>
void with_settings(Use use) {
    plugin::Component component;
    component.settings = {setting("a"), setting("bb"), setting("ccc")};
    const std::vector<std::optional<Value>> values{Value(std::numeric_limits<std::int64_t>::max()),
                                                   Value::list({2, "x", -1}), Value("x")};
    use(pipeline::Settings{component, values});
}

void compute_formula(std::string_view input) {
    try_expression([&] {
        const pipeline::Formula formula = pipeline::parse_formula(input);
        with_settings([&](const pipeline::Settings& settings) {
            pipeline::compute(formula, settings, Sizes());
        });
    });
}

void decide_relation(std::string_view input) {
    try_expression([&] {
        const pipeline::Formula relation = pipeline::parse_relation(input);
        with_settings([&](const pipeline::Settings& settings) {
            pipeline::holds(relation, settings, Sizes());
        });
    });
}

}  // namespace

void expressions(std::string_view input) {
    try_expression([&] { pipeline::parse_shape(input); });
    try_expression([&] { pipeline::parse_value(input); });
    try_expression([&] { pipeline::parse_condition(input); });
    compute_formula(input);
    decide_relation(input);
    if (const auto range = schema::Range::parse(input)) {
        expect(range->low() <= range->high(), "a range is not empty");
    }
    if (const auto seconds = duration_from(input)) {
        expect(*seconds > 0, "a duration is more than nothing");
    }
    schedule::formula_problem(input);
    experiment::read_key_path(input);
    try {
        runs::read_condition(std::string(input), {});
    } catch (const tools::UsageError&) {
    }
}

}  // namespace ptp::fuzz
