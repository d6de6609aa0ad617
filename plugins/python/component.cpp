// Creates an instance of a Python class, converts its arguments, and calls its methods.

#include "component.hpp"

#include "data_object.hpp"
#include "host_module.hpp"
#include "interpreter.hpp"
#include "room.hpp"
#include "value_object.hpp"

#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>
#include <ptp/data.hpp>
#include <ptp/detail/host.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::python {

namespace {

// The connection of a port: whether it has a stream, and the type of its values.
struct Way {
    bool has_stream = false;
    ptp_element element = 0;
};

struct Component {
    const ptp_host* host = nullptr;
    const ptp_component_info* info = nullptr;
    std::vector<Way> inputs;
    std::vector<Way> outputs;
    std::string device;
    PyObject* object = nullptr;  // ptp_runtime.Instance
    std::uint32_t state_version = 1;
    std::optional<ptp::detail::DataTree> exported;
};

// Runs `action` with the lock; exceptions of Python and C++ are reported to the host.
template <class Action>
ptp_status with_python(const ptp_host& host, Action action) noexcept {
    return ptp::detail::guarded(host, [&] {
        const Modules& loaded = modules();
        const Lock lock;
        try {
            action(loaded);
        } catch (const Raised&) {
            throw_as_error(loaded.runtime);
        }
    });
}

// Returns the parameter of ptp_runtime.Instance: port, stream, element and shape of each.
Object facts_of(const ptp_binding* const* bindings, std::uint32_t count, std::vector<Way>& ways) {
    Object list(PyList_New(count));
    for (std::uint32_t i = 0; i < count; ++i) {
        const ptp_binding& binding = *bindings[i];
        ways.push_back({binding.stream != nullptr, binding.element});
        Object shape = Object::shared(Py_None);
        if (binding.stream != nullptr && binding.rank >= 0) {
            shape = Object(PyList_New(binding.rank));
            for (std::int32_t k = 0; k < binding.rank; ++k) {
                PyList_SET_ITEM(shape.get(), k,
                                Object(PyLong_FromLongLong(binding.dimensions[k])).release());
            }
        }
        PyList_SET_ITEM(list.get(), i,
                        Object(Py_BuildValue("(IziO)", binding.port, binding.stream,
                                             binding.element, shape.get()))
                            .release());
    }
    return list;
}

void make_object(Component& made, const ptp_setup& setup, const Modules& loaded) {
    Object settings(PyList_New(setup.setting_count));
    for (std::uint32_t i = 0; i < setup.setting_count; ++i) {
        PyList_SET_ITEM(settings.get(), i, object_of(*setup.settings[i]).release());
    }
    const Object inputs = facts_of(setup.inputs, setup.input_count, made.inputs);
    const Object outputs = facts_of(setup.outputs, setup.output_count, made.outputs);
    const Object host = host_object(*made.host);
    made.object =
        Object(PyObject_CallMethod(loaded.runtime, "Instance", "OsOO(sssOO)", loaded.script,
                                   made.info->name, host.get(), settings.get(), setup.name,
                                   setup.section, setup.device, inputs.get(), outputs.get()))
            .release();
}

Passing passing_of(const Component& component, const Modules& loaded, bool is_step) {
    return {*component.host, loaded.tensor_type, loaded.as_array,
            is_step ? component.device : std::string()};
}

Object input_objects(const Component& component, const Passing& passing,
                     const ptp_value* const* inputs) {
    Object values(PyList_New(static_cast<Py_ssize_t>(component.inputs.size())));
    for (std::size_t i = 0; i < component.inputs.size(); ++i) {
        Object value = inputs[i] == nullptr || !component.inputs[i].has_stream
                           ? Object::shared(Py_None)
                           : object_of(passing, component.inputs[i].element, *inputs[i]);
        PyList_SET_ITEM(values.get(), static_cast<Py_ssize_t>(i), value.release());
    }
    return values;
}

void set_outputs(const Component& component, const Passing& passing, PyObject* results,
                 ptp_value* const* outputs) {
    for (std::size_t i = 0; i < component.outputs.size(); ++i) {
        if (outputs[i] == nullptr || !component.outputs[i].has_stream) {
            continue;
        }
        PyObject* const result = PySequence_GetItem(results, static_cast<Py_ssize_t>(i));
        const Object owned(result);
        set_output(passing, component.outputs[i].element, result, *outputs[i]);
    }
}

template <class Number>
Object number_list(const Number* numbers, std::uint64_t count) {
    Object list(PyList_New(static_cast<Py_ssize_t>(count)));
    for (std::uint64_t i = 0; i < count; ++i) {
        PyObject* const number = std::is_signed_v<Number> ? PyLong_FromLongLong(numbers[i])
                                                          : PyLong_FromUnsignedLongLong(numbers[i]);
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Object(number).release());
    }
    return list;
}

// ---- Abilities ----

ptp_status transform_samples(void* instance, const ptp_samples* samples,
                             const ptp_value* const* inputs, ptp_value* const* outputs) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules& loaded) {
        const Passing passing = passing_of(component, loaded, false);
        const Object values = input_objects(component, passing, inputs);
        const Object indices = number_list(samples->indices, samples->count);
        const Object seeds = number_list(samples->seeds, samples->count);
        const Object results(PyObject_CallMethod(component.object, "transform", "OOOOK",
                                                 values.get(), indices.get(), seeds.get(),
                                                 samples->is_training != 0 ? Py_True : Py_False,
                                                 static_cast<unsigned long long>(samples->epoch)));
        set_outputs(component, passing, results.get(), outputs);
    });
}

ptp_status count_samples(void* instance, std::int64_t* out) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules&) {
        const Object size(PyObject_CallMethod(component.object, "size", nullptr));
        *out = PyLong_AsLongLong(size.get());
    });
}

ptp_status fetch_samples(void* instance, const ptp_fetch* fetch, ptp_value* const* outputs) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules& loaded) {
        const Object indices = number_list(fetch->indices, fetch->count);
        const Object seeds = number_list(fetch->seeds, fetch->count);
        std::vector<std::int64_t> elements;
        for (const Way& way : component.outputs) {
            elements.push_back(way.has_stream ? way.element : PTP_STRING);
        }
        const Object element_list = number_list(elements.data(), elements.size());
        const Object results(
            PyObject_CallMethod(component.object, "fetch", "OOOKO", indices.get(), seeds.get(),
                                fetch->is_training != 0 ? Py_True : Py_False,
                                static_cast<unsigned long long>(fetch->epoch), element_list.get()));
        set_outputs(component, passing_of(component, loaded, false), results.get(), outputs);
    });
}

ptp_status reset_statistics(void* instance, std::uint64_t set) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules&) {
        const Object nothing(PyObject_CallMethod(component.object, "reset", "K",
                                                 static_cast<unsigned long long>(set)));
    });
}

ptp_status read_statistics(void* instance, const char* method, std::uint64_t set, double* out) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules&) {
        const Object numbers(PyObject_CallMethod(component.object, method, "K",
                                                 static_cast<unsigned long long>(set)));
        for (std::uint32_t i = 0; i < component.info->statistic_count; ++i) {
            out[i] = PyFloat_AsDouble(PyList_GET_ITEM(numbers.get(), i));
        }
    });
}

ptp_status collect_statistics(void* instance, std::uint64_t set, double* out_values) {
    return read_statistics(instance, "collect", set, out_values);
}

ptp_status aggregate_statistics(void* instance, std::uint64_t set, double* out_values) {
    return read_statistics(instance, "aggregate", set, out_values);
}

ptp_status export_python_state(void* instance, const ptp_data** out) {
    auto& component = *static_cast<Component*>(instance);
    return with_python(*component.host, [&](const Modules&) {
        const Object state(PyObject_CallMethod(component.object, "getstate", nullptr));
        component.exported.emplace(Data(Data::Table{{"state", data_of(state.get())}}));
        *out = component.exported->root();
    });
}

ptp_status import_python_state(void* instance, std::uint32_t version, const ptp_data* state) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules&) {
        const Object table = object_of(*state);
        PyObject* const saved = PyDict_GetItemString(table.get(), "state");
        const Object nothing(PyObject_CallMethod(component.object, "setstate", "OI",
                                                 saved == nullptr ? Py_None : saved, version));
    });
}

constexpr ptp_sample_transform kSampleTransform{.struct_size = sizeof(ptp_sample_transform),
                                                .transform = transform_samples};
constexpr ptp_task kTask{.struct_size = sizeof(ptp_task),
                         .flags = PTP_TASK_CONCURRENT,
                         .size = count_samples,
                         .fetch = fetch_samples};
constexpr ptp_statistics kStatistics{.struct_size = sizeof(ptp_statistics),
                                     .reset = reset_statistics,
                                     .collect = collect_statistics,
                                     .aggregate = aggregate_statistics};

// The versions of the classes differ, so that each class has a struct.
const ptp_state& state_ability(std::uint32_t index) noexcept {
    static const std::array<ptp_state, kMaxComponents> all = [] {
        std::array<ptp_state, kMaxComponents> made{};
        for (std::size_t i = 0; i < script().extras.size(); ++i) {
            made[i] = {.struct_size = sizeof(ptp_state),
                       .version = script().extras[i].state_version,
                       .export_state = export_python_state,
                       .import_state = import_python_state};
        }
        return made;
    }();
    return all[index];
}

}  // namespace

ptp_status create_component(std::uint32_t index, const ptp_host* host, const ptp_setup* setup,
                            void** out_instance) {
    return with_python(*host, [&](const Modules& loaded) {
        auto made = std::make_unique<Component>();
        made->host = host;
        made->info = script().info.components[index];
        made->device = setup->device;
        make_object(*made, *setup, loaded);
        *out_instance = made.release();
    });
}

void destroy_component(void* instance) {
    const auto* component = static_cast<Component*>(instance);
    {
        const Lock lock;
        Py_XDECREF(component->object);
    }
    delete component;
}

ptp_status run_component(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                         ptp_value* const* outputs) {
    const auto& component = *static_cast<const Component*>(instance);
    return with_python(*component.host, [&](const Modules& loaded) {
        const Passing passing = passing_of(component, loaded, true);
        const Object values = input_objects(component, passing, inputs);
        const Object results(
            PyObject_CallMethod(component.object, "forward", "O(OKKsKKK)", values.get(),
                                step->is_training != 0 ? Py_True : Py_False,
                                static_cast<unsigned long long>(step->episode),
                                static_cast<unsigned long long>(step->epoch), step->section,
                                static_cast<unsigned long long>(step->set),
                                static_cast<unsigned long long>(step->batch_index),
                                static_cast<unsigned long long>(step->batch_size)));
        set_outputs(component, passing, results.get(), outputs);
    });
}

const void* extension_of(std::uint32_t index, const char* id) noexcept {
    const ptp_component_info& info = *script().info.components[index];
    const Extras& extras = script().extras[index];
    const std::string_view wanted = id;
    if (wanted == PTP_EXTENSION_TASK && info.kind == PTP_TASK) {
        return &kTask;
    }
    if (wanted == PTP_EXTENSION_STATISTICS && info.statistic_count > 0) {
        return &kStatistics;
    }
    if (wanted == PTP_EXTENSION_SAMPLES && extras.is_per_sample) {
        return &kSampleTransform;
    }
    if (wanted == PTP_EXTENSION_STATE && extras.has_state) {
        return &state_ability(index);
    }
    return nullptr;
}

}  // namespace ptp::python
