// A component under test: created from the plugin's description, run through its C functions.
#pragma once

#include <ptp/ext/draft/sample_values.h>
#include <ptp/ext/mode.h>
#include <ptp/ext/parameters.h>
#include <ptp/ext/samples.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>
#include <ptp/ext/task.h>
#include <ptp/testing/host.hpp>
#include <ptp/testing/settings.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace ptp::testing {

// Settings that are not text any more.
struct SettingTable {
    Data table;
};

class Component {
public:
    Component(const ptp_component_info& info, std::string_view settings, Wiring wiring)
        : Component(info, SettingTable{parse_toml(settings)}, std::move(wiring)) {}
    Component(const ptp_component_info& info, const SettingTable& settings, Wiring wiring)
        : info_(&info),
          host_(std::make_unique<Host>(with_data_folder(std::move(wiring), info))),
          values_(fill_settings(setting_infos(), settings.table)) {
        for (const Data& value : values_) {
            setting_pointers_.push_back(settings_.emplace_back(value).root());
        }
        for (std::uint32_t i = 0; i < info.port_count; ++i) {
            bind(i);
        }
        setup_ = {.struct_size = sizeof(ptp_setup),
                  .name = host_->wiring().name.c_str(),
                  .section = host_->wiring().section.c_str(),
                  .device = host_->wiring().device.c_str(),
                  .settings = setting_pointers_.data(),
                  .setting_count = info.setting_count,
                  .inputs = inputs_.data(),
                  .input_count = static_cast<std::uint32_t>(inputs_.size()),
                  .outputs = outputs_.data(),
                  .output_count = static_cast<std::uint32_t>(outputs_.size())};
        require(info.create(&host_->functions(), &setup_, &instance_));
    }
    ~Component() {
        if (instance_ != nullptr) {
            info_->destroy(instance_);
        }
    }
    Component(const Component&) = delete;
    Component& operator=(const Component&) = delete;

    // The globals it has published, what it has logged and what it has shown.
    const std::map<std::string, Data>& published() const { return host_->published(); }
    const std::vector<std::string>& log_lines() const { return host_->log_lines(); }
    const std::vector<ShownPicture>& pictures() const { return host_->pictures(); }

    // Runs the component on streams, by name; returns its outputs, by name:
    // run({{"predictions", predictions}, {"targets", targets}}).
    Slots run(Slots inputs, ptp_step step = first_step()) {
        const std::vector<const ptp_value*> arguments = arguments_of(inputs);
        return call([&](ptp_value* const* outputs) {
            return info_->forward(instance_, &step, arguments.data(), outputs);
        });
    }

    // Calls a transform that treats each sample for itself: sample i gets seeds[i].
    Slots transform(Slots inputs, const std::vector<std::uint64_t>& seeds,
                    bool is_training = true) {
        std::vector<std::int64_t> indices(seeds.size());
        std::iota(indices.begin(), indices.end(), 0);
        const std::vector<const ptp_value*> arguments = arguments_of(inputs);
        const ptp_samples samples{.struct_size = sizeof(ptp_samples),
                                  .is_training = is_training ? 1 : 0,
                                  .indices = indices.data(),
                                  .seeds = seeds.data(),
                                  .count = seeds.size(),
                                  .epoch = 0};
        const auto& table = ability<ptp_sample_transform>(PTP_EXTENSION_SAMPLES);
        return call([&](ptp_value* const* outputs) {
            return table.transform(instance_, &samples, arguments.data(), outputs);
        });
    }

    // Runs the component on tensors, in the order of its wired inputs; returns its only output, or
    // an undefined tensor if it has no output, such as a statistic.
    template <class... Tensors>
    at::Tensor forward(const Tensors&... tensors) {
        Slots outputs = run(inputs_in_order({tensors...}));
        if (outputs.empty()) {
            return {};
        }
        if (outputs.size() > 1 || !outputs.begin()->second.is_tensor()) {
            throw std::logic_error(std::string(info_->name) + " has the outputs " +
                                   names_of(outputs_) +
                                   ": use run(), because forward() returns one tensor");
        }
        return outputs.begin()->second.tensor();
    }

    // Calls a task.
    std::int64_t size() {
        std::int64_t result = -1;
        require(ability<ptp_task>(PTP_EXTENSION_TASK).size(instance_, &result));
        return result;
    }
    // Samples of a task; sample i gets the seed `seed + i`.
    Slots fetch(const std::vector<std::int64_t>& indices, std::uint64_t seed = 0) {
        std::vector<std::uint64_t> seeds;
        for (const std::int64_t index : indices) {
            seeds.push_back(seed + static_cast<std::uint64_t>(index));
        }
        const ptp_fetch wanted{.struct_size = sizeof(ptp_fetch),
                               .is_training = 1,
                               .indices = indices.data(),
                               .seeds = seeds.data(),
                               .count = indices.size(),
                               .epoch = 0};
        return call([&](ptp_value* const* outputs) {
            return ability<ptp_task>(PTP_EXTENSION_TASK).fetch(instance_, &wanted, outputs);
        });
    }

    // Its parameters and buffers; the tensors are the component's own.
    std::map<std::string, at::Tensor> parameters() { return tensors(PTP_PARAMETER); }
    std::map<std::string, at::Tensor> buffers() { return tensors(PTP_BUFFER); }

    void set_training(bool is_training) {
        require(ability<ptp_mode>(PTP_EXTENSION_MODE).set_training(instance_, is_training ? 1 : 0));
    }

    // Statistics by name; those that the call does not touch are absent.
    using Numbers = std::map<std::string, double>;
    Numbers collect(std::uint64_t set = 0) {
        return numbers([&](double* out) { return statistics().collect(instance_, set, out); });
    }
    Numbers aggregate(std::uint64_t set = 0) {
        return numbers([&](double* out) { return statistics().aggregate(instance_, set, out); });
    }
    void reset(std::uint64_t set = 0) { require(statistics().reset(instance_, set)); }

    // Returns its values for each of the `samples` of the last batch, by name.
    std::map<std::string, std::vector<double>> sample_values(std::uint64_t samples) const {
        const auto& table = ability<ptp_sample_values>(PTP_EXTENSION_SAMPLE_VALUES);
        std::vector<double> values(table.name_count * samples);
        host_->require(table.collect(instance_, samples, values.data()));
        std::map<std::string, std::vector<double>> result;
        for (std::uint32_t i = 0; i < table.name_count; ++i) {
            const auto row = values.begin() + static_cast<std::ptrdiff_t>(i * samples);
            result.emplace(table.names[i],
                           std::vector<double>(row, row + static_cast<std::ptrdiff_t>(samples)));
        }
        return result;
    }

    // Restarts the random numbers that it draws from the host, with this seed in its wiring.
    void reseed(std::uint64_t seed) { host_->reseed(seed); }

    // State that is not tensors.
    Data export_state() {
        const ptp_data* state = nullptr;
        require(ability<ptp_state>(PTP_EXTENSION_STATE).export_state(instance_, &state));
        return Data(*state);
    }
    void import_state(std::uint32_t version, const Data& state) {
        const detail::DataTree tree(state);
        require(
            ability<ptp_state>(PTP_EXTENSION_STATE).import_state(instance_, version, tree.root()));
    }

    bool has_ability(const char* id) const { return info_->extension(id) != nullptr; }

    static ptp_step first_step() {
        return {.struct_size = sizeof(ptp_step),
                .is_training = 1,
                .episode = 0,
                .epoch = 0,
                .section = "training",
                .set = 0,
                .batch_index = 0,
                .batch_size = 1};
    }

private:
    // The code lies in the plugin's file.
    static Wiring with_data_folder(Wiring wiring, const ptp_component_info& info) {
        Dl_info image{};
        if (wiring.data_folder.empty() && dladdr(&info, &image) != 0) {
            const auto folder =
                std::filesystem::absolute(image.dli_fname).replace_extension(".data");
            wiring.data_folder = std::filesystem::is_directory(folder) ? folder.string() : "";
        }
        return wiring;
    }

    SettingInfos setting_infos() const { return {info_->settings, info_->setting_count}; }

    void require(ptp_status status) { host_->require(status); }

    template <class Table>
    const Table& ability(const char* id) const {
        const void* table = info_->extension(id);
        if (table == nullptr) {
            throw std::logic_error(std::string(info_->name) + " has no " + id);
        }
        return *static_cast<const Table*>(table);
    }
    const ptp_statistics& statistics() const {
        return ability<ptp_statistics>(PTP_EXTENSION_STATISTICS);
    }

    static std::string names_of(const std::vector<const ptp_binding*>& bindings) {
        std::string names;
        for (const ptp_binding* binding : bindings) {
            if (binding->stream != nullptr) {
                names += (names.empty() ? "'" : ", '") + std::string(binding->stream) + "'";
            }
        }
        return names.empty() ? "none" : names;
    }

    Slots inputs_in_order(const std::vector<at::Tensor>& tensors) const {
        Slots inputs;
        std::size_t wired = 0;
        for (const ptp_binding* binding : inputs_) {
            if (binding->stream != nullptr && wired++ < tensors.size()) {
                inputs.emplace(binding->stream, tensors[wired - 1]);
            }
        }
        if (wired != tensors.size()) {
            throw std::logic_error(std::string(info_->name) + " has " + std::to_string(wired) +
                                   " inputs (" + names_of(inputs_) + "), the test passes " +
                                   std::to_string(tensors.size()));
        }
        return inputs;
    }

    // The values stay with the slots.
    std::vector<const ptp_value*> arguments_of(Slots& inputs) const {
        for (const auto& input : inputs) {
            const bool is_taken = std::ranges::any_of(inputs_, [&](const ptp_binding* binding) {
                return binding->stream != nullptr && input.first == binding->stream;
            });
            if (!is_taken) {
                throw std::logic_error(std::string(info_->name) + " has no input '" + input.first +
                                       "'; it has " + names_of(inputs_));
            }
        }
        std::vector<const ptp_value*> arguments;
        for (const ptp_binding* binding : inputs_) {
            const bool is_wired = binding->stream != nullptr;
            if (is_wired && !inputs.contains(binding->stream)) {
                throw std::logic_error("the test passes no input '" + std::string(binding->stream) +
                                       "'");
            }
            arguments.push_back(is_wired ? inputs[binding->stream].value() : nullptr);
        }
        return arguments;
    }

    void bind(std::uint32_t index) {
        const ptp_port_info& port = *info_->ports[index];
        const auto& optional = host_->wiring().optional_inputs;
        const bool is_wired = (port.flags & PTP_PORT_OPTIONAL) == 0 ||
                              std::ranges::find(optional, port.name) != optional.end();
        const bool exists = is_wired && condition_holds(port.when, setting_infos(), values_);
        if (!exists || port.streams_setting == nullptr) {
            add_binding(index, exists ? port.name : nullptr);
            return;
        }
        for (std::size_t i = 0; i < values_.size(); ++i) {
            if (info_->settings[i]->name == std::string_view(port.streams_setting)) {
                for (const Data& stream : values_[i].as_list()) {
                    add_binding(index, stream.as_text().c_str());
                }
            }
        }
    }

    void add_binding(std::uint32_t index, const char* stream) {
        const ptp_port_info& port = *info_->ports[index];
        const auto& elements = host_->wiring().elements;
        ptp_element element = port.element;
        if (element == PTP_ANY) {
            const auto found = elements.find(stream == nullptr ? "" : stream);
            element = found == elements.end() ? PTP_FLOAT : found->second;
        }
        const auto& shapes = host_->wiring().shapes;
        const auto shape = shapes.find(stream == nullptr ? "" : stream);
        const bool is_known = shape != shapes.end();
        bindings_.push_back(
            {.struct_size = sizeof(ptp_binding),
             .port = index,
             .stream = stream,
             .element = element,
             .rank = is_known ? static_cast<std::int32_t>(shape->second.size()) : -1,
             .dimensions = is_known ? shape->second.data() : nullptr});
        (port.direction == PTP_INPUT ? inputs_ : outputs_).push_back(&bindings_.back());
    }

    template <class Function>
    Slots call(Function&& function) {
        Slots results;
        std::vector<ptp_value*> values;
        std::vector<Slot*> active;
        for (const ptp_binding* binding : outputs_) {
            if (binding->stream == nullptr) {
                values.push_back(nullptr);
                continue;
            }
            Slot& slot = results[binding->stream] = Slot::empty(binding->element);
            values.push_back(slot.value());
            active.push_back(&slot);
        }
        Host::active() = active;
        const ptp_status status = function(values.data());
        Host::active().clear();
        if (status != PTP_OK) {
            for (const Slot* slot : active) {
                if (slot->tensor().defined() || !slot->strings().empty()) {
                    throw std::logic_error("a failing call has touched its outputs");
                }
            }
        }
        require(status);
        return results;
    }

    std::map<std::string, at::Tensor> tensors(ptp_role wanted) {
        struct Visit {
            std::map<std::string, at::Tensor> found;
            ptp_role wanted;
        } visit{{}, wanted};
        const auto add = [](void* user, const char* name, ptp_role role, ptp_value* tensor) {
            auto& all = *static_cast<Visit*>(user);
            if (role == all.wanted) {
                all.found.emplace(name, *reinterpret_cast<at::Tensor*>(tensor));
            }
            return static_cast<ptp_status>(PTP_OK);
        };
        const auto& table = ability<ptp_parameters>(PTP_EXTENSION_PARAMETERS);
        require(table.visit(instance_, add, &visit));
        return visit.found;
    }

    template <class Function>
    Numbers numbers(Function&& function) {
        constexpr double kUntouched = -987654321.25;
        std::vector<double> values(info_->statistic_count, kUntouched);
        require(function(values.data()));
        Numbers result;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] != kUntouched) {
                result.emplace(info_->statistics[i]->name, values[i]);
            }
        }
        return result;
    }

    const ptp_component_info* info_;
    std::unique_ptr<Host> host_;
    Data::List values_;
    std::deque<detail::DataTree> settings_;
    std::vector<const ptp_data*> setting_pointers_;
    std::deque<ptp_binding> bindings_;
    std::vector<const ptp_binding*> inputs_;
    std::vector<const ptp_binding*> outputs_;
    ptp_setup setup_{};
    void* instance_ = nullptr;
};

}  // namespace ptp::testing
