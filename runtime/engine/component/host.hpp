// The host's services for one instance: the functions behind the table ptp_host.

#pragma once

#include "base/explanation.hpp"
#include "engine/component/globals.hpp"
#include "pipeline/plan.hpp"

#include <ptp/abi.h>
#include <ptp/ext/draft/pictures.h>

#include <ATen/core/Generator.h>
#include <c10/core/Device.h>
#include <spdlog/common.h>
#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Marks a line of the log as a result that the experiment requested: the console shows it although
// it is only information.
inline constexpr spdlog::source_loc kResultOfComponent{"result of a component", 1, ""};

class CallRecorder;

// A task's name in the state of a training is "task/<section>".
inline constexpr const char* kTaskPrefix = "task/";

// The state in a checkpoint of components that are created again: a table with the state of each,
// by its name, and one with the globals. Empty without a checkpoint.
struct SavedComponents {
    Value states = Value::table();  // by component name: { version, state }
    Value globals = Value::table();
    Value data = Value::table();  // the facts about them, by section: data_facts()
};

// A component uses a service against its contract; what() begins with what it does.
class ContractViolation : public std::logic_error {
    using std::logic_error::logic_error;
};

// The surroundings that all instances of a run share; must outlive them.
struct ComponentContext {
    pipeline::Plan& plan;  // learns sizes while components are created
    Globals& globals;
    std::shared_ptr<spdlog::logger> log;
    std::string run_folder;
    at::Device device = at::kCPU;
    std::uint64_t seed = 0;
    CallRecorder* recorder = nullptr;        // (optional) of one component's calls
    const SavedComponents* saved = nullptr;  // (optional) must outlive the creation alone
};

// Returns a log that drops everything, for components that run apart from a run.
std::shared_ptr<spdlog::logger> silent_log(const char* name);

// The names that a declared global of a node represents: its own, or those in the setting that it
// names ("$keys").
std::vector<std::string> declared_names(const pipeline::Node& node, std::size_t global);

// Does not move: the table points to it.
class Host {
public:
    Host(ComponentContext& component_context, const pipeline::Node& node,
         const ptp_component_info& info);
    ~Host() = default;
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    [[nodiscard]] const ptp_host* table() const { return &table_; }

    // Called when create() has returned: refuses requests of sizes and globals from then on.
    void finish_creation() { is_creating_ = false; }

    // Returns whether this instance has published the global of this declared name.
    [[nodiscard]] bool has_published(const std::string& name) const {
        return published_.contains(name);
    }

    // Returns the integer that the component has read or published for a purpose while it was
    // created, also where the pipeline has no name for it; nullopt if there is none.
    [[nodiscard]] std::optional<std::int64_t> integer_for(plugin::Purpose purpose) const {
        const auto found = integers_.find(purpose);
        return found == integers_.end() ? std::nullopt : std::optional(found->second);
    }

    // Publishes a global whose value is in the declaration; returns false if it is not known.
    bool publish_declared(const plugin::Global& global);

    // Explains why create() has failed if the message names the size that it requested last and
    // that is not known; nullopt if the message is about something else.
    [[nodiscard]] std::optional<Explanation> unknown_size(std::string_view message) const;

    // The services, as the table's functions call them, throw ContractViolation; global() and
    // publish() throw std::runtime_error if the experiment is to blame.
    void size(const char* dimension, std::int64_t* out) const;
    void global(const char* name, const ptp_data** out) const;
    void publish(const char* name, const ptp_data* value);
    void saved_state(std::uint32_t* version, const ptp_data** out);
    void saved_global(const char* name, const ptp_data** out);
    std::uint64_t random();
    at::Generator& generator() { return generator_; }
    at::Generator& bit_generator() { return bit_generator_; }
    void log(ptp_log_level level, const char* message);
    void show(const ptp_picture* picture);
    void gather(const ptp_value* rows, ptp_value* all, std::uint64_t* first);
    // Notes, during create(), that the component asks for the ability to gather rows; returns
    // whether it has asked in time.
    bool ask_for_whole_batch();
    [[nodiscard]] bool sees_whole_batch() const { return sees_whole_batch_; }
    [[nodiscard]] const std::string& data_folder() const { return data_folder_; }
    [[nodiscard]] const std::string& run_folder() const { return component_context_.run_folder; }

private:
    // Returns the place of a declared global during create(). Throws ContractViolation.
    [[nodiscard]] std::size_t declared_global(const char* name, bool is_written) const;
    // Returns the value that the task of [training] has published, for a task of the same type in
    // another section: it is what a checkpoint has later. nullptr if there is none.
    [[nodiscard]] const ptp_data* published_by_training(const std::string& used) const;
    [[nodiscard]] std::string conflict_fix(const std::string& name, const std::string& used,
                                           const Value& value) const;
    void note_integer(const plugin::Global& global, const ptp_data& value) const {
        if (global.purpose && value.type == PTP_DATA_INTEGER) {
            integers_.emplace(*global.purpose, value.integer);
        }
    }
    void publish_value(const std::string& name, const Value& value);
    void learn(int symbol, std::int64_t size);
    [[nodiscard]] const ptp_data& kept(const Value* value);

    ComponentContext& component_context_;
    const pipeline::Node& node_;
    std::shared_ptr<spdlog::logger> log_;
    at::Generator generator_;      // on the run's device
    at::Generator bit_generator_;  // the same one, or a separate one on the CPU
    std::string data_folder_;      // of the loaded plugin; "" if it has none
    std::set<std::string> published_;
    mutable std::map<plugin::Purpose, std::int64_t> integers_;  // see integer_for()
    bool is_creating_ = true;
    bool sees_whole_batch_ = false;
    mutable std::string unknown_size_;  // the last one that create() requested
    bool picture_limit_logged_ = false;
    DataTree absent_;
    std::deque<DataTree> saved_;                 // what create() was shown of a checkpoint
    std::map<std::string, DataTree> constants_;  // used instead of globals, by their declared names
    ptp_host table_;
};

// Returns the table with `host` as its context. Keeps only the address.
ptp_host host_table(Host& host);

}  // namespace ptp::engine
