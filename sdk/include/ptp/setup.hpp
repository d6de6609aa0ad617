// The host's services for a component's constructor. A Setup lives as long as its component, which
// may keep a reference to it for logging and random numbers.
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/data_folder.h>
#include <ptp/ext/draft/saved.h>
#include <ptp/data.hpp>
#include <ptp/detail/host.hpp>
#include <ptp/picture.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#ifdef PTP_LIBTORCH_FINGERPRINT
#include <ptp/whole_batch.hpp>

#include <ATen/core/Generator.h>
#endif

namespace ptp {

// One port as it is wired.
struct Binding {
    std::string port;
    std::string stream;       // the name of the stream
    ptp_element element = 0;  // what it carries; never PTP_ANY
    std::optional<std::vector<std::int64_t>>
        shape;  // -1 where not known; nothing if any shape may come
};

// The state of a component in a checkpoint: what it exported, in which version.
struct SavedState {
    std::uint32_t version = 0;
    Data state;
};

class Setup {
public:
    Setup(const ptp_host& host, const ptp_setup& setup, const ptp_component_info& component)
        : host_(&host), setup_(&setup), component_(&component) {}
    ~Setup() = default;
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;

    std::string name() const { return setup_->name; }  // of the component's instance
    // Returns the section of a task, "training", else "". A task that takes other samples of the
    // same files in each section declares the part as a setting without a default (`split`), so
    // that sections without it are not taken for the same samples.
    std::string section() const { return setup_->section; }
    std::string device() const { return setup_->device; }  // "cpu", "cuda:0"
    std::filesystem::path run_folder() const { return host_->run_folder(host_->context); }  // [any]

    // The folder PLUGIN.data that lies beside the plugin's file PLUGIN.so and travels with it: what
    // the component reads, as a vocabulary or a table. ConfigError where there is none. [any]
    std::filesystem::path data_folder() const {
        const auto* ability = static_cast<const ptp_data_folder*>(
            host_->extension(host_->context, PTP_HOST_DATA_FOLDER));
        const char* path = ability == nullptr ? nullptr : ability->path(host_->context);
        if (path == nullptr) {
            throw ConfigError(
                "the plugin has no folder of data: it is PLUGIN.data beside the file PLUGIN.so",
                ability == nullptr ? ", and this host does not know of it" : "");
        }
        return path;
    }

    // The size of a dimension that the ports name; ConfigError if it is not known before the data
    // flows.
    std::int64_t size(const std::string& dimension) const {
        if (const auto known = optional_size(dimension)) {
            return *known;
        }
        throw ConfigError(
            "the size '", dimension,
            "' is not fixed before a batch is computed, as the length of texts is not, "
            "and '",
            name(),
            "' needs it; read a stream whose size is fixed, or name a global that "
            "has it");
    }

    // The size at a place of what flows into the first input, counted from the end if negative, for
    // a port that takes any shape; ConfigError if it is not known before the data flows.
    std::int64_t input_size(std::int64_t place) const {
        const std::vector<Binding> all = inputs();
        const std::vector<std::int64_t> shape =
            all.empty() ? std::vector<std::int64_t>()
                        : all.front().shape.value_or(std::vector<std::int64_t>());
        const auto rank = static_cast<std::int64_t>(shape.size());
        const std::int64_t index = place < 0 ? place + rank : place;
        if (index < 0 || index >= rank || shape[static_cast<std::size_t>(index)] < 0) {
            throw ConfigError("dimension ", place,
                              " of its input is not fixed before a batch is computed, as the "
                              "length of texts is not, and '",
                              name(), "' needs it; read a stream whose size is fixed");
        }
        return shape[static_cast<std::size_t>(index)];
    }

    // Returns nullopt if it is not known.
    std::optional<std::int64_t> optional_size(const std::string& dimension) const {
        std::int64_t size = -1;
        detail::checked(host_->size(host_->context, dimension.c_str(), &size));
        return size < 0 ? std::nullopt : std::optional(size);
    }

    // The value of a global that the component reads. T: Data, bool, int64_t, double, std::string.
    template <class T>
    T global(const std::string& global_name) const {
        if (auto value = optional_global<T>(global_name)) {
            return *std::move(value);
        }
        throw ConfigError("the global '", global_name, "' was not published");
    }

    // Returns nullopt for a global that is read only if the experiment names it, if it does not.
    template <class T>
    std::optional<T> optional_global(const std::string& global_name) const {
        const ptp_data* data = nullptr;
        detail::checked(host_->global(host_->context, global_name.c_str(), &data));
        if (data == nullptr || data->type == PTP_DATA_ABSENT) {
            return std::nullopt;
        }
        try {
            return convert<T>(Data(*data));
        } catch (const ConfigError& error) {
            throw ConfigError("the global '", global_name, "': ", error.what());
        }
    }

    // Publishes a global that the component declares as written.
    void publish(const std::string& global_name, Data value) const {
        const detail::DataTree tree(std::move(value));
        detail::checked(host_->publish(host_->context, global_name.c_str(), tree.root()));
    }

    // Returns the state of this component in the checkpoint with which a run is resumed, processed
    // or used to predict; nullopt for a new component, or if the host is older than this function.
    // A component with a saved state needs none of the files that the training read.
    std::optional<SavedState> saved_state() const {
        const auto* saved = saved_by_host();
        const ptp_data* state = nullptr;
        SavedState result;
        if (saved == nullptr) {
            return std::nullopt;
        }
        detail::checked(saved->state(host_->context, &result.version, &state));
        if (state->type == PTP_DATA_ABSENT) {
            return std::nullopt;
        }
        result.state = Data(*state);
        return result;
    }

    // Returns a global that the component declares as written.
    std::optional<Data> saved_global(const std::string& global_name) const {
        const auto* saved = saved_by_host();
        const ptp_data* value = nullptr;
        if (saved == nullptr) {
            return std::nullopt;
        }
        detail::checked(saved->global(host_->context, global_name.c_str(), &value));
        return value->type == PTP_DATA_ABSENT ? std::nullopt : std::optional(Data(*value));
    }

    // The wiring of the ports, in the order of forward's inputs and outputs; those without a stream
    // left out. By port name: one for a single port, one for each stream for a list.
    std::vector<Binding> inputs(std::string_view port = {}) const {
        return bindings(setup_->inputs, setup_->input_count, port);
    }
    std::vector<Binding> outputs(std::string_view port = {}) const {
        return bindings(setup_->outputs, setup_->output_count, port);
    }

    // Shows a picture of the current episode in the run's viewers, TensorBoard for example. Does
    // nothing if the run has no viewer, or if the host is older than this function. [step], in
    // forward()
    void show(const Picture& picture) const { detail::show(*host_, picture); }

    // 64 random bits from the component's own generator, which is part of the training's state.
    // [main] [step]
    std::uint64_t random() const { return host_->random(host_->context); }

#ifdef PTP_LIBTORCH_FINGERPRINT
    // The component's own generator, for functions of libtorch. [main] [step]
    at::Generator& generator() const {
        return *reinterpret_cast<at::Generator*>(host_->generator(host_->context));
    }

    // Gathers the samples of all processes that share a batch, for a component that compares each
    // with all others. Called in the constructor, which keeps the result; ConfigError if the host
    // is older than this function. [main]
    WholeBatch whole_batch() const {
        return WholeBatch(*host_);
    }
#endif

    // Write to the run's log under the component's name. [any]
    void log_debug(const std::string& message) const {
        log(PTP_LOG_DEBUG, message);
    }
    void log_info(const std::string& message) const {
        log(PTP_LOG_INFO, message);
    }
    void log_warning(const std::string& message) const {
        log(PTP_LOG_WARNING, message);
    }
    void log_error(const std::string& message) const {
        log(PTP_LOG_ERROR, message);
    }
    // For results that the experiment asked for, such as a table: on the screen too, unless the run
    // is quiet.
    void log_result(const std::string& message) const {
        log(PTP_LOG_RESULT, message);
    }

private:
    friend class LayerList;  // creates components of its own

    const ptp_saved* saved_by_host() const {
        return static_cast<const ptp_saved*>(host_->extension(host_->context, PTP_HOST_SAVED));
    }

    void log(ptp_log_level level, const std::string& message) const {
        host_->log(host_->context, level, message.c_str());
    }

    template <class T>
    static T convert(Data data) {
        if constexpr (std::is_same_v<T, Data>) {
            return data;
        } else if constexpr (std::is_same_v<T, bool>) {
            return data.as_bool();
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            return data.as_integer();
        } else if constexpr (std::is_same_v<T, double>) {
            return data.as_real();
        } else {
            static_assert(std::is_same_v<T, std::string>,
                          "ptp: a global is read as Data, bool, int64_t, double or std::string");
            return data.as_text();
        }
    }

    std::vector<Binding> bindings(const ptp_binding* const* all, std::uint32_t count,
                                  std::string_view port) const {
        std::vector<Binding> result;
        for (std::uint32_t i = 0; i < count; ++i) {
            const ptp_binding& binding = *all[i];
            const char* port_name = component_->ports[binding.port]->name;
            if (binding.stream == nullptr || (!port.empty() && port != port_name)) {
                continue;
            }
            result.push_back({port_name, binding.stream, binding.element, std::nullopt});
            if (binding.rank >= 0) {
                result.back().shape.emplace(binding.dimensions, binding.dimensions + binding.rank);
            }
        }
        return result;
    }

    const ptp_host* host_;
    const ptp_setup* setup_;
    const ptp_component_info* component_;
};

}  // namespace ptp
