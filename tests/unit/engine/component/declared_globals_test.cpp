// What a component publishes is what it declares, and what it declares is published.

#include "base/error.hpp"
#include "engine/component/instance.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/task.h>

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace declared_globals_test {

using ptp::RunError;
using ptp::engine::Components;
using ptp::plugin::GlobalAccess;
using ptp::plugin::Kind;

namespace {

ptp_status publish(const ptp_host* host, std::int64_t number, void** out) {
    static int nobody = 0;
    ptp_data value{};
    value.type = PTP_DATA_INTEGER;
    value.integer = number;
    *out = &nobody;
    return host->publish(host->context, "size", &value);
}

// A component that declares the global "size" as 2 times the setting `width`, which is 3.
struct Declared {
    explicit Declared(ptp_status (*create)(const ptp_host*, const ptp_setup*, void**) = nullptr,
                      GlobalAccess access = GlobalAccess::kWrite,
                      std::string value = "2 * $width") {
        ptp_component_info info = ptp::test::idle_component();
        if (create != nullptr) {
            info.create = create;
        }
        plan.plan.symbols.push_back({"size", std::nullopt, ""});
        plan.plan.global_symbols["size"] = 2;
        ptp::pipeline::Node& node = plan.add_node("it", Kind::kModel, info, {}, {});
        component = *node.component;
        ptp::plugin::Setting width;
        width.type = ptp::plugin::SettingType::kInteger;
        width.name = "width";
        component.settings.push_back(width);
        component.globals.push_back(
            {.access = access, .name = "size", .value = std::move(value), .when = {}, .help = {}});
        node.component = &component;
        node.settings = {ptp::Value(3)};
        node.has_global = {true};
        if (access == GlobalAccess::kWrite) {
            node.globals["size"] = "size";
        }
    }

    std::optional<std::int64_t> published() const {
        const ptp_data* value = plan.globals.find("size");
        return value == nullptr ? std::nullopt : std::optional(value->integer);
    }

    ptp::plugin::Component component;
    ptp::test::EnginePlan plan;
};

}  // namespace

TEST_CASE("declared globals: a component that publishes something else is refused as it lies") {
    Declared lying([](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        return publish(host, 7, out);
    });
    try {
        static_cast<void>(lying.plan.create());
        FAIL("was let through");
    } catch (const RunError& error) {
        CHECK(std::string(error.what()) ==
              "plugin 'test_plugin' 1.0: 'it' (Idle): publishes size = 7, but declares it as 6 (2 "
              "* $width)");
        CHECK(error.code() == ptp::kPluginError);
    }
    Declared honest([](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        return publish(host, 6, out);
    });
    const Components components = honest.plan.create();
    CHECK(honest.published() == 6);
}

TEST_CASE("declared globals: what a component leaves to the host is published with its size") {
    Declared silent;
    const Components components = silent.plan.create();
    CHECK(silent.published() == 6);
    CHECK(silent.plan.plan.symbols[2].size == 6);
}

TEST_CASE("declared globals: one that is published if named is not without a name") {
    Declared silent(nullptr, GlobalAccess::kWriteIfNamed);
    const Components without = silent.plan.create();
    CHECK(silent.published() == std::nullopt);

    Declared eager([](const ptp_host* host, const ptp_setup*,
                      void** out) -> ptp_status { return publish(host, 6, out); },
                   GlobalAccess::kWriteIfNamed);
    const Components of_eager = eager.plan.create();
    CHECK(eager.published() == std::nullopt);

    Declared named(nullptr, GlobalAccess::kWriteIfNamed);
    named.plan.plan.nodes[0].globals["size"] = "size";
    const Components of_named = named.plan.create();
    CHECK(named.published() == 6);
}

TEST_CASE("declared globals: a value that nobody knows yet is reported as that") {
    Declared silent(nullptr, GlobalAccess::kWrite, "2 * *");
    try {
        static_cast<void>(silent.plan.create());
        FAIL("was let through");
    } catch (const RunError& error) {
        CHECK(std::string(error.what()) ==
              "'it' (Idle): the global 'size' (2 * *) is not known before the data flows");
        CHECK(error.code() == ptp::kConfigurationError);
    }
}

TEST_CASE("declared globals: a constant of the experiment is read like a global") {
    ptp_component_info info = ptp::test::idle_component();
    static std::int64_t seen = 0;
    info.create = [](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        static int nobody = 0;
        *out = &nobody;
        const ptp_data* value = nullptr;
        const ptp_status status = host->global(host->context, "prediction_size", &value);
        seen = status == PTP_OK ? value->integer : -1;
        return status;
    };
    ptp::test::EnginePlan plan;
    ptp::pipeline::Node& node = plan.add_node("it", Kind::kModel, info, {}, {});
    ptp::plugin::Component component = *node.component;
    component.globals.push_back({.access = GlobalAccess::kRead,
                                 .name = "prediction_size",
                                 .value = {},
                                 .when = {},
                                 .help = {}});
    node.component = &component;
    node.has_global = {true};
    node.constants["prediction_size"] = ptp::Value(10);
    const Components components = plan.create();
    CHECK(seen == 10);
}

TEST_CASE("declared globals: a task has as many samples as it declares") {
    static const ptp_task task{.struct_size = sizeof(ptp_task),
                               .flags = 0,
                               .size = [](void*, std::int64_t* out) -> ptp_status {
                                   *out = 7;
                                   return PTP_OK;
                               },
                               .fetch = nullptr};
    ptp_component_info info = ptp::test::idle_component();
    info.forward = nullptr;
    info.extension = [](const char* id) -> const void* {
        return std::string_view(id) == PTP_EXTENSION_TASK ? &task : nullptr;
    };
    ptp::test::EnginePlan plan;
    ptp::pipeline::Node& node = plan.add_task(info, {});
    ptp::plugin::Component component = *node.component;
    component.sample_count = "2 * 3 + 1";
    node.component = &component;
    const Components components = plan.create();
    CHECK(components.tasks[0]->size() == 7);
    component.sample_count = "8";
    CHECK_THROWS_WITH_AS(static_cast<void>(components.tasks[0]->size()),
                         "plugin 'test_plugin' 1.0: the task of [training] (Idle): has 7 samples, "
                         "but declares 8 (8)",
                         RunError);
}

}  // namespace declared_globals_test
