// The optional abilities of a component, detected by its functions.
#pragma once

#include <ptp/ext/draft/migrate.h>
#include <ptp/ext/draft/onnx.h>
#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>
#include <ptp/detail/sampling.hpp>
#include <ptp/detail/task.hpp>
#include <ptp/migrate.hpp>
#include <ptp/onnx.hpp>
#include <ptp/state.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace ptp::detail {

// True if T has torch::nn::Module& module(): parameters, buffers, train and evaluation mode.
template <class T>
concept HasModule = requires(T& component) {
    component.module();
};

template <class T>
struct Parameters {
    static ptp_status visit(void* instance, ptp_visit visitor, void* user) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            auto& module = self.component.module();
            const auto give = [&](auto& named, ptp_role role) {
                OutputTensor& tensor = named.value();
                checked(visitor(user, named.key().c_str(), role,
                                reinterpret_cast<ptp_value*>(&tensor)));
            };
            auto parameters = module.named_parameters();
            for (auto& named : parameters) {
                give(named, PTP_PARAMETER);
            }
            auto buffers = module.named_buffers();
            for (auto& named : buffers) {
                give(named, PTP_BUFFER);
            }
        });
    }

    static constexpr ptp_parameters kTable{.struct_size = sizeof(ptp_parameters), .visit = visit};
};

template <class T>
concept HasMode = requires(T& component) {
    component.set_training(true);
};

template <class T>
struct Mode {
    static ptp_status set_training(void* instance, std::int32_t is_training) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            if constexpr (HasMode<T>) {
                self.component.set_training(is_training != 0);
            } else {
                self.component.module().train(is_training != 0);
            }
        });
    }

    static constexpr ptp_mode kTable{.struct_size = sizeof(ptp_mode), .set_training = set_training};
};

// True if T has Data export_state() const, void import_state(uint32_t version, const Data&), and
// state_version.
template <class T>
concept ExportsState = requires(T& component, const Data& data) {
    { component.export_state() } -> std::convertible_to<Data>;
    component.import_state(T::state_version, data);
};

// True if T has state() alone, which names the members that are kept.
template <class T>
concept KeepsMembers = HasKeptMembers<T> || SavedAsItsMember<T>;

template <class T>
concept HasState = ExportsState<T> || KeepsMembers<T>;

template <class T>
constexpr std::uint32_t state_version_of() {
    if constexpr (requires { T::state_version; }) {
        return T::state_version;
    } else {
        return 1;
    }
}

template <class T>
struct State {
    static ptp_status export_state(void* instance, const ptp_data** out) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            if constexpr (ExportsState<T>) {
                self.exported.emplace(Data(self.component.export_state()));
            } else {
                self.exported.emplace(save_value(self.component));
            }
            *out = self.exported->root();
        });
    }

    static ptp_status import_state(void* instance, std::uint32_t version, const ptp_data* state) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            if constexpr (ExportsState<T>) {
                self.component.import_state(version, Data(*state));
            } else {
                const bool is_older = version < state_version_of<T>();
                restore_value(
                    Data(*state), self.component,
                    {.completeness = is_older ? Completeness::kOlder : Completeness::kComplete});
            }
        });
    }

    static constexpr ptp_state kTable{.struct_size = sizeof(ptp_state),
                                      .version = state_version_of<T>(),
                                      .export_state = export_state,
                                      .import_state = import_state};
};

// True if T has void migrate(const OldTensors&).
template <class T>
concept HasMigrate = requires(T& component, const OldTensors& old) {
    component.migrate(old);
};

template <class T>
struct Migrate {
    static ptp_status migrate(void* instance, const ptp_old_tensor* tensors, std::uint64_t count) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            self.component.migrate(OldTensors(tensors, count));
        });
    }

    static constexpr ptp_migrate kTable{.struct_size = sizeof(ptp_migrate), .migrate = migrate};
};

// True if T has void onnx(OnnxGraph&), const or not.
template <class T>
concept WritesOnnx = requires(T& component, OnnxGraph& graph) {
    component.onnx(graph);
};

template <class T>
struct Onnx {
    static ptp_status write(void* instance, const ptp_onnx_builder* builder) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            OnnxGraph graph(*builder);
            self.component.onnx(graph);
        });
    }

    static constexpr ptp_onnx kTable{
        .struct_size = sizeof(ptp_onnx), .reserved = 0, .write = write};
};

template <class T>
struct SampleTransform {
    static ptp_status transform(void* instance, const ptp_samples* samples,
                                const ptp_value* const* inputs, ptp_value* const* outputs) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            compute<T>(self, Samples(*samples), inputs, outputs);
        });
    }

    static constexpr ptp_sample_transform kTable{.struct_size = sizeof(ptp_sample_transform),
                                                 .transform = transform};
};

template <class T>
constexpr auto statistics_of() {
    if constexpr (requires { T::statistics; }) {
        return T::statistics;
    } else {
        return std::array<Statistic, 0>{};
    }
}

template <class T>
constexpr std::size_t kStatistics = statistics_of<T>().size();

template <class T>
constexpr bool collects() {
    for (const Statistic& statistic : statistics_of<T>()) {
        if (!statistic.is_set_only()) {
            return true;
        }
    }
    return false;
}

template <class T>
constexpr bool computes() {
    for (const Statistic& statistic : statistics_of<T>()) {
        if (statistic.is_computed()) {
            return true;
        }
    }
    return false;
}

template <class T>
struct Statistics {
    using Values = std::array<double, kStatistics<T>>;

    static ptp_status reset(void* instance, std::uint64_t set) {
        return on_instance<T>(instance, [&]([[maybe_unused]] Instance<T>& self) {
            if constexpr (requires { self.component.reset(set); }) {
                self.component.reset(set);
            }
        });
    }

    static ptp_status collect(void* instance, std::uint64_t set, double* out) {
        return on_instance<T>(instance, [&]([[maybe_unused]] Instance<T>& self) {
            if constexpr (collects<T>()) {
                const Values values = self.component.collect(set);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    out[i] = T::statistics[i].is_set_only() ? out[i] : values[i];
                }
            }
        });
    }

    static ptp_status aggregate(void* instance, std::uint64_t set, double* out) {
        return on_instance<T>(instance, [&]([[maybe_unused]] Instance<T>& self) {
            if constexpr (computes<T>()) {
                const Values values = self.component.aggregate(set);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    out[i] = T::statistics[i].is_computed() ? values[i] : out[i];
                }
            }
        });
    }

    static constexpr ptp_statistics kTable{.struct_size = sizeof(ptp_statistics),
                                           .reset = reset,
                                           .collect = collect,
                                           .aggregate = aggregate};
};

template <class T>
concept HasSampleValues = requires {
    T::sample_values;
};
template <class T>
concept CollectsSamples = requires(T& component, std::uint64_t samples, std::span<double> out) {
    component.collect_samples(samples, out);
    { *T::sample_values.data() } -> std::convertible_to<const char*>;
};

template <class T>
struct SampleValues {
    static_assert(T::sample_values.size() > 0);

    static ptp_status collect(void* instance, std::uint64_t samples, double* out) {
        return on_instance<T>(instance, [&](Instance<T>& self) {
            self.component.collect_samples(
                samples, std::span<double>(out, T::sample_values.size() * samples));
        });
    }

    static constexpr ptp_sample_values kTable{.struct_size = sizeof(ptp_sample_values),
                                              .name_count = T::sample_values.size(),
                                              .names = T::sample_values.data(),
                                              .collect = collect};
};

// Returns the C functions of an ability if the class has it, otherwise null.
template <bool has_ability, template <class> class Ability, class T>
constexpr const void* table_of() {
    if constexpr (has_ability) {
        return &Ability<T>::kTable;
    } else {
        return nullptr;
    }
}

struct NamedTable {
    const char* id;
    const void* table;
};

template <class T>
const void* extension(const char* id) {
    constexpr NamedTable kTables[] = {
        {PTP_EXTENSION_TASK, table_of<T::kind == PTP_TASK, Task, T>()},
        {PTP_EXTENSION_SAMPLING, table_of<HasSampling<T>, Sampling, T>()},
        {PTP_EXTENSION_PARAMETERS, table_of<HasModule<T>, Parameters, T>()},
        {PTP_EXTENSION_MODE, table_of<(HasModule<T> || HasMode<T>), Mode, T>()},
        {PTP_EXTENSION_STATE, table_of<HasState<T>, State, T>()},
        {PTP_EXTENSION_MIGRATE, table_of<HasMigrate<T>, Migrate, T>()},
        {PTP_EXTENSION_ONNX, table_of<WritesOnnx<T>, Onnx, T>()},
        {PTP_EXTENSION_SAMPLES, table_of<is_per_sample<T>(), SampleTransform, T>()},
        {PTP_EXTENSION_STATISTICS, table_of<kStatistics<T> != 0, Statistics, T>()},
        {PTP_EXTENSION_SAMPLE_VALUES, table_of<HasSampleValues<T>, SampleValues, T>()}};
    for (const NamedTable& named : kTables) {
        if (std::strcmp(id, named.id) == 0) {
            return named.table;
        }
    }
    return nullptr;
}

}  // namespace ptp::detail
