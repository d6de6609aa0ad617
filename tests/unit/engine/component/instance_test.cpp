#include "engine/component/instance.hpp"

#include "base/error.hpp"
#include "engine/component/executor.hpp"
#include "engine/component/slot.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/parameters.h>
#include <ptp/ext/state.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <stdexcept>

namespace instance_test {

using ptp::RunError;
using ptp::engine::Components;
using ptp::plugin::Element;
using ptp::plugin::Kind;

namespace {

// What a run does with one component that writes the stream `s` [B, 3].
struct One {
    explicit One(const ptp_component_info& info, Element element = Element::kFloating) {
        plan.add_stream("s", element, {-1, 3});
        plan.add_node("it", Kind::kModel, info, {}, {{"out", 0}});
    }
    ptp::test::EnginePlan plan;
};

void forward(ptp::engine::Instance& instance, ptp::engine::Slot& slot) {
    ptp_step step{};
    ptp_value* outputs[] = {slot.value()};
    instance.forward(step, nullptr, outputs);
}

at::Tensor shared_tensor;
const ptp_host* given_host = nullptr;

ptp_status remember_host(const ptp_host* host, const ptp_setup*, void** out) {
    given_host = host;
    *out = &given_host;
    return PTP_OK;
}

}  // namespace

TEST_CASE("instance: an exception that a plugin lets out is the plugin's fault") {
    ptp_component_info info = ptp::test::idle_component();
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status { throw std::runtime_error("oh\ndear"); };
    One one(info);
    const Components components = one.plan.create();
    ptp::engine::Slot slot;
    CHECK_THROWS_WITH_AS(forward(*components.nodes[0], slot),
                         "plugin 'test_plugin' 1.0: 'it' (Idle): forward() let an exception out: "
                         "std::runtime_error: oh",
                         RunError);
}

TEST_CASE("instance: so is one out of extension(), and one out of destroy() ends nothing") {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char*) -> const void* { throw std::runtime_error("no idea"); };
    One one(info);
    CHECK_THROWS_WITH_AS(one.plan.create(),
                         "plugin 'test_plugin' 1.0: 'it' (Idle): extension() let an exception out: "
                         "std::runtime_error: no idea",
                         RunError);
    ptp_component_info other = ptp::test::idle_component();
    other.destroy = [](void*) { throw std::runtime_error("too late"); };
    CHECK_NOTHROW(One(other).plan.create());
}

TEST_CASE("instance: its generator is freed with it") {
    ptp_component_info info = ptp::test::idle_component();
    One one(info);
    const Components components = one.plan.create();
    const at::Generator generator = components.nodes[0]->generators().front();
    // The owner of the object is one of these; one that libtorch clones has none.
    CHECK(generator.getIntrusivePtr().weak_use_count() == 1);
}

TEST_CASE("instance: a plugin without libtorch makes and sees tensors as memory") {
    ptp_component_info info = ptp::test::idle_component();
    info.create = remember_host;
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const* outputs) -> ptp_status {
        const std::int64_t shape[] = {2, 3};
        ptp_tensor_view view;
        const ptp_status status =
            given_host->tensor_allocate(given_host->context, outputs[0], 2, 32, 2, shape, &view);
        for (int i = 0; status == PTP_OK && i < 6; ++i) {
            static_cast<float*>(view.data)[i] = static_cast<float>(i);
        }
        ptp_tensor_view seen;
        given_host->tensor_view(given_host->context, outputs[0], &seen);
        return seen.data == view.data && seen.rank == 2 && seen.shape[1] == 3 &&
                       seen.strides[0] == 3
                   ? status
                   : PTP_ERROR_INTERNAL;
    };
    One one(info);
    const Components components = one.plan.create();
    ptp::engine::Slot slot;
    forward(*components.nodes[0], slot);
    REQUIRE(slot.tensor.defined());
    CHECK((slot.tensor.sizes() == at::IntArrayRef({2, 3})));
    CHECK(slot.tensor[1][2].item<float>() == 5);
}

TEST_CASE("instance: services that are used wrongly say so, and that it is the plugin's fault") {
    struct Case {
        ptp_status (*forward)(void*, const ptp_step*, const ptp_value* const*, ptp_value* const*);
        const char* message;
        Element output = Element::kFloating;
    };
    const Case cases[] = {
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             const std::int64_t shape[] = {-1};
             ptp_tensor_view view;
             return given_host->tensor_allocate(given_host->context, outputs[0], 9, 32, 1, shape,
                                                &view);
         },
         "tensor_allocate: unknown type 9 with 32 bits"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             ptp_tensor_view view;
             return given_host->tensor_allocate(given_host->context, outputs[0], 2, 32, 65, nullptr,
                                                &view);
         },
         "tensor_allocate: rank 65: must be in [0, 64]"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             ptp_tensor_view view;
             return given_host->tensor_allocate(given_host->context, outputs[0], 2, 32, 1, nullptr,
                                                &view);
         },
         "tensor_allocate: the shape is missing"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             return given_host->resize_list(given_host->context, outputs[0], 3);
         },
         "resize_list: not a list output of this call"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             const ptp_text text{};
             return given_host->set_text(given_host->context, outputs[0], &text);
         },
         "set_text: not a text output of this call"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const*) {
             std::int64_t size = 0;
             return given_host->size(given_host->context, "B", &size);
         },
         "asks for a size after create()"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             ptp_tensor_view view;
             return given_host->tensor_view(given_host->context, outputs[0], &view);
         },
         "tensor_view: the tensor is undefined"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             ptp_tensor_view view;
             return given_host->tensor_view(given_host->context, outputs[0], &view);
         },
         "tensor_view: not a tensor of this call", Element::kString},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             ptp_tensor_view view;
             return given_host->tensor_allocate(given_host->context, outputs[0], 2, 32, 0, nullptr,
                                                &view);
         },
         "tensor_allocate: not a tensor output of this call", Element::kString},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             const ptp_text text{};
             return given_host->set_text(given_host->context, outputs[0], &text);
         },
         "set_text: token lists need rows", Element::kTokens},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             const std::uint64_t rows[] = {0, 0};
             ptp_text text{};
             text.rows = rows;
             return given_host->set_text(given_host->context, outputs[0], &text);
         },
         "set_text: strings have no rows", Element::kString},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const* outputs) {
             return given_host->resize_list(given_host->context, outputs[0], (1U << 24U) + 1);
         },
         "resize_list: 16777217 tensors, more than 16777216", Element::kTensorList},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const*) {
             const ptp_data* value = nullptr;
             return given_host->global(given_host->context, "classes", &value);
         },
         "reads the global 'classes', after create()"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const*) {
             ptp_data value{};
             value.type = PTP_DATA_INTEGER;
             return given_host->publish(given_host->context, "classes", &value);
         },
         "publishes the global 'classes', after create()"},
        {[](void*, const ptp_step*, const ptp_value* const*, ptp_value* const*) -> ptp_status {
             given_host->fail(given_host->context, PTP_ERROR_DATA, "is odd");
             return 77;
         },
         "forward() gave the unknown status 77: is odd"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.message);
        ptp_component_info info = ptp::test::idle_component();
        info.create = remember_host;
        info.forward = c.forward;
        One one(info, c.output);
        const Components components = one.plan.create();
        ptp::engine::Slot slot;
        const std::string expected =
            std::string("plugin 'test_plugin' 1.0: 'it' (Idle): ") + c.message;
        try {
            forward(*components.nodes[0], slot);
            FAIL("was let through");
        } catch (const RunError& error) {
            CHECK(error.what() == expected);
            CHECK(error.code() == ptp::kPluginError);
        }
    }
}

TEST_CASE("instance: services that are used wrongly while it is made are the plugin's fault") {
    struct Case {
        ptp_status (*create)(const ptp_host*, const ptp_setup*, void**);
        const char* message;
    };
    const Case cases[] = {
        {[](const ptp_host* host, const ptp_setup*, void**) {
             std::int64_t size = 0;
             return host->size(host->context, "width", &size);
         },
         "asks for the size of 'width', which none of its ports names"},
        {[](const ptp_host* host, const ptp_setup*, void**) {
             const ptp_data* value = nullptr;
             return host->global(host->context, "classes", &value);
         },
         "reads the global 'classes', which it does not declare"},
        {[](const ptp_host* host, const ptp_setup*, void**) {
             ptp_data value{};
             value.type = PTP_DATA_INTEGER;
             return host->publish(host->context, "classes", &value);
         },
         "publishes the global 'classes', which it does not declare"},
    };
    for (const Case& c : cases) {
        ptp_component_info info = ptp::test::idle_component();
        info.create = c.create;
        One one(info);
        const std::string expected =
            std::string("plugin 'test_plugin' 1.0: 'it' (Idle): ") + c.message;
        CHECK_THROWS_WITH_AS(one.plan.create(), expected.c_str(), RunError);
    }
}

TEST_CASE("instance: state that cannot be saved or restored is refused") {
    static const ptp_data* exported = nullptr;
    static ptp_data odd{};
    odd.type = 99;
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_state state = {
            sizeof(ptp_state), 2,
            [](void*, const ptp_data** out) -> ptp_status {
                *out = exported;
                return PTP_OK;
            },
            [](void*, std::uint32_t, const ptp_data*) -> ptp_status { return PTP_OK; }};
        return std::string_view(id) == PTP_EXTENSION_STATE ? &state : nullptr;
    };
    One one(info);
    const Components components = one.plan.create();
    CHECK_THROWS_WITH_AS(static_cast<void>(components.nodes[0]->export_state()),
                         "plugin 'test_plugin' 1.0: 'it' (Idle): export_state() gave nothing",
                         RunError);
    exported = &odd;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(components.nodes[0]->export_state()),
        "plugin 'test_plugin' 1.0: 'it' (Idle): export_state() gave data: unknown type 99",
        RunError);
    CHECK_THROWS_WITH_AS(components.nodes[0]->import_state({3, {}}),
                         "'it' (Idle): its saved state has version 3, the component reads up to 2",
                         RunError);
}

TEST_CASE("instance: its generator depends on the run's seed and the instance's name") {
    ptp_component_info info = ptp::test::idle_component();
    info.create = remember_host;
    const auto draw = [&info](std::uint64_t seed, const char* name) {
        ptp::test::EnginePlan plan;
        plan.component_context.seed = seed;
        plan.add_node(name, Kind::kModel, info, {}, {});
        const Components components = plan.create();
        return given_host->random(given_host->context);
    };
    CHECK(draw(1, "a") == draw(1, "a"));
    CHECK(draw(1, "a") != draw(2, "a"));
    CHECK(draw(1, "a") != draw(1, "b"));
}

TEST_CASE("instance: a promised global that is not published is the plugin's fault") {
    ptp_component_info info = ptp::test::idle_component();
    One one(info);
    ptp::plugin::Component declared = *one.plan.plan.nodes[0].component;
    declared.globals.push_back({.access = ptp::plugin::GlobalAccess::kWrite,
                                .name = "size",
                                .value = {},
                                .when = {},
                                .help = {}});
    one.plan.plan.nodes[0].component = &declared;
    one.plan.plan.nodes[0].has_global = {true};
    CHECK_THROWS_WITH_AS(
        one.plan.create(),
        "plugin 'test_plugin' 1.0: 'it' (Idle): create() has not published the global 'size'",
        RunError);
}

TEST_CASE("instance: a tensor that is undefined is named") {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters parameters = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                at::Tensor undefined;
                return visit(user, "weight", PTP_PARAMETER,
                             reinterpret_cast<ptp_value*>(&undefined));
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
    };
    One one(info);
    const Components components = one.plan.create();
    CHECK_THROWS_WITH_AS(static_cast<void>(components.nodes[0]->tensors()),
                         "plugin 'test_plugin' 1.0: 'it' (Idle): its tensor 'weight' is undefined",
                         RunError);
}

TEST_CASE("instance: parameters are on the device of the run") {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters parameters = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                at::Tensor elsewhere = at::empty({2}, at::TensorOptions(at::kMeta));
                return visit(user, "weight", PTP_PARAMETER,
                             reinterpret_cast<ptp_value*>(&elsewhere));
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
    };
    One one(info);
    const Components components = one.plan.create();
    CHECK_THROWS_WITH_AS(
        static_cast<void>(components.nodes[0]->tensors()),
        "plugin 'test_plugin' 1.0: 'it' (Idle): its parameter 'weight' is on meta, must be on cpu\n"
        "    fix: create it on the device of ptp_setup; in C++ the SDK of this version moves module() "
        "there",
        RunError);
}

TEST_CASE("instance: names of tensors are unique") {
    ptp_component_info info = ptp::test::idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters parameters = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                shared_tensor = at::zeros({2});
                auto* value = reinterpret_cast<ptp_value*>(&shared_tensor);
                visit(user, "weight", PTP_PARAMETER, value);
                return visit(user, "weight", PTP_PARAMETER, value);
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
    };
    One one(info);
    const Components components = one.plan.create();
    CHECK_THROWS_WITH_AS(static_cast<void>(components.nodes[0]->tensors()),
                         "plugin 'test_plugin' 1.0: 'it' (Idle): has two tensors named 'weight'",
                         RunError);
}

TEST_CASE("executor: wrong data in an element of a batch name the sample") {
    ptp_component_info info = ptp::test::idle_component();
    info.create = remember_host;
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status {
        given_host->fail(given_host->context, PTP_ERROR_DATA, "lengths[1] = 0: must be in [1, 7]");
        return PTP_ERROR_DATA;
    };
    One one(info);
    one.plan.add_task(ptp::test::idle_component(), {});
    const Components components = one.plan.create();
    ptp::engine::Frame frame(one.plan.plan);
    ptp::engine::Executor executor(one.plan.plan, components, frame, at::kCPU);
    frame.samples().indices = at::tensor({7, 3}, at::kLong);
    ptp_step step{};
    step.batch_size = 2;
    CHECK_THROWS_WITH_AS(executor.run(*components.tasks[0], step, true),
                         "'it' (Idle): lengths[1] = 0: must be in [1, 7]\n    sample: 3", RunError);
}

}  // namespace instance_test
