#include "pipeline/expression.hpp"

#include "config/duration.hpp"
#include "config/override.hpp"
#include "config/range.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/targets.hpp"
#include "runs/condition.hpp"

#include <string>

namespace ptp::fuzz {

namespace {

template <class Parse>
void try_expression(Parse parse) {
    try {
        parse();
    } catch (const pipeline::ExpressionError&) {
    }
}

}  // namespace

void expressions(std::string_view input) {
    try_expression([&] { pipeline::parse_shape(input); });
    try_expression([&] { pipeline::parse_dimension(input); });
    try_expression([&] { pipeline::parse_condition(input); });
    if (const auto range = config::Range::parse(input)) {
        expect(range->low() <= range->high(), "a range is not empty");
    }
    if (const auto seconds = config::duration_from(input)) {
        expect(*seconds > 0, "a duration is more than nothing");
    }
    config::read_key_path(input);
    runs::read_condition(std::string(input), {});
}

}  // namespace ptp::fuzz
