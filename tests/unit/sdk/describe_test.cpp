// The description that the host reads, as made from a class.

#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>
#include <ptp/component.hpp>

#include <doctest/doctest.h>

#include <string>

namespace describe_test {

namespace {

enum class Cell { kLSTM, kGRU };

struct Inner {
    int64_t width = 3;

    static constexpr auto settings() {
        return std::tuple{ptp::setting("width", &Inner::width, {.help = "Width"})};
    }
};

class Sample {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "Sample";
    static constexpr const char* summary = "For a test";
    static constexpr std::array ports{
        ptp::input("first", PTP_FLOAT, "B, 3", "One"),
        ptp::input("second", PTP_BOOL, "B", "Two").when("flag").optional(),
        ptp::output("third", PTP_FLOAT, "B, width", "Three")};
    static constexpr std::array globals{ptp::publishes("width", "Four").value("$inner")};
    static constexpr std::array statistics{
        ptp::mean("speed", "Five").weighted_by("support").decimals(2).spread(),
        ptp::sum("support", "Six").hidden().integer()};

    struct Config {
        bool flag = true;
        double rate = 0.5;
        std::filesystem::path file = "~/x";
        std::optional<int64_t> limit;
        std::vector<std::vector<double>> table{{1}, {}};
        Cell cell = Cell::kGRU;
        Inner inner{.width = 7};
        std::vector<Inner> layers;
        ptp::Layers stack;
        std::vector<ptp::Layers> branches;
        ptp::Data anything;
        std::string needed;
        std::optional<std::vector<std::filesystem::path>> samples;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("flag", &Config::flag, {.help = "A flag"}),
                ptp::setting("rate", &Config::rate, {.help = "A rate", .range = "[0, 1]"}),
                ptp::setting("file", &Config::file, {}),
                ptp::setting("limit", &Config::limit, {}),
                ptp::setting("table", &Config::table, {.length = "[1, 2]"}),
                ptp::setting("cell", &Config::cell, {.choices = "LSTM|GRU"}),
                ptp::setting("inner", &Config::inner, {}),
                ptp::setting("layers", &Config::layers, {.takes_list_or_one = true}),
                ptp::setting("stack", &Config::stack, {}),
                ptp::setting("branches", &Config::branches, {.is_required = true}),
                ptp::setting("anything", &Config::anything, {}),
                ptp::setting("needed", &Config::needed, {.is_required = true}),
                ptp::setting("samples", &Config::samples, {.takes_unlabeled = true})};
        }
    };

    ptp::TensorData forward(const ptp::TensorView&, const ptp::TensorView*) { return {}; }
    std::array<double, 2> collect(uint64_t) { return {}; }
};

std::string text(const char* chars) {
    return chars == nullptr ? "(none)" : chars;
}

}  // namespace

TEST_CASE("describe: a setting's type, nesting and default follow from its member") {
    struct Case {
        const char* name;
        ptp_setting_type type;
        uint32_t depth;
        uint32_t flags;
        const char* fallback;
    };
    const Case cases[] = {
        {"flag", PTP_SETTING_BOOL, 0, 0, "true"},
        {"rate", PTP_SETTING_REAL, 0, 0, "0.5"},
        {"file", PTP_SETTING_PATH, 0, 0, "\"~/x\""},
        {"limit", PTP_SETTING_INTEGER, 0, 0, "(none)"},
        {"table", PTP_SETTING_REAL, 2, 0, "[[1.0], []]"},
        {"cell", PTP_SETTING_ENUMERATION, 0, 0, "\"GRU\""},
        {"inner", PTP_SETTING_TABLE, 0, 0, "{}"},
        {"layers", PTP_SETTING_TABLE, 1, PTP_SETTING_LIST_OR_ONE, "[]"},
        {"stack", PTP_SETTING_LAYERS, 0, 0, "[]"},
        {"branches", PTP_SETTING_LAYERS, 1, PTP_SETTING_REQUIRED, "(none)"},
        {"anything", PTP_SETTING_ANY, 0, 0, "(none)"},
        {"needed", PTP_SETTING_STRING, 0, PTP_SETTING_REQUIRED, "(none)"},
        {"samples", PTP_SETTING_PATH, 1, PTP_SETTING_UNLABELED, "(none)"},
    };
    const ptp_component_info& info = ptp::component<Sample>();
    REQUIRE(info.setting_count == std::size(cases));
    for (size_t i = 0; i < std::size(cases); ++i) {
        const ptp_setting_info& setting = *info.settings[i];
        CAPTURE(cases[i].name);
        CHECK(text(setting.name) == cases[i].name);
        CHECK(setting.type == cases[i].type);
        CHECK(setting.list_depth == cases[i].depth);
        CHECK(setting.flags == cases[i].flags);
        CHECK(text(setting.default_value) == cases[i].fallback);
    }
    CHECK(text(info.settings[1]->range) == "[0, 1]");
    CHECK(text(info.settings[4]->length) == "[1, 2]");
    CHECK(text(info.settings[5]->choices) == "LSTM|GRU");
}

TEST_CASE("describe: members of a table take their defaults from the table's own default") {
    const ptp_component_info& info = ptp::component<Sample>();
    REQUIRE(info.settings[6]->member_count == 1);
    CHECK(text(info.settings[6]->members[0]->default_value) == "7");
    REQUIRE(info.settings[7]->member_count == 1);
    CHECK(text(info.settings[7]->members[0]->default_value) == "3");
}

TEST_CASE("describe: ports, globals and statistics are as declared") {
    const ptp_component_info& info = ptp::component<Sample>();
    REQUIRE(info.port_count == 3);
    CHECK(text(info.ports[1]->name) == "second");
    CHECK(info.ports[1]->direction == PTP_INPUT);
    CHECK(info.ports[1]->element == PTP_BOOL);
    CHECK(info.ports[1]->flags == PTP_PORT_OPTIONAL);
    CHECK(text(info.ports[1]->when) == "flag");
    CHECK(text(info.ports[2]->shape) == "B, width");
    REQUIRE(info.global_count == 1);
    CHECK(info.globals[0]->access == PTP_GLOBAL_WRITE);
    CHECK(text(info.globals[0]->value) == "$inner");
    REQUIRE(info.statistic_count == 2);
    CHECK(text(info.statistics[0]->weight) == "support");
    CHECK(info.statistics[0]->decimals == 2);
    CHECK(info.statistics[0]->flags == PTP_STATISTIC_SPREAD);
    CHECK(info.statistics[1]->aggregation == PTP_AGGREGATE_SUM);
    CHECK(info.statistics[1]->flags == (PTP_STATISTIC_HIDDEN | PTP_STATISTIC_INTEGER));
}

TEST_CASE("describe: abilities are those that the class has") {
    const ptp_component_info& info = ptp::component<Sample>();
    CHECK(info.extension(PTP_EXTENSION_STATISTICS) != nullptr);
    for (const char* id : {PTP_EXTENSION_TASK, PTP_EXTENSION_PARAMETERS, PTP_EXTENSION_MODE,
                           PTP_EXTENSION_STATE, "ptp.unknown/1"}) {
        CAPTURE(id);
        CHECK(info.extension(id) == nullptr);
    }
    CHECK((info.forward != nullptr));
    CHECK(&ptp::component<Sample>() == &info);
}

}  // namespace describe_test
