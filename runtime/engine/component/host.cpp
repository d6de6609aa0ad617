// Implements what a component can ask the host for: sizes, globals, saved state, random numbers,
// the log and pictures. The C table that leads here is in host_table.cpp.

#include "engine/component/host.hpp"

#include "base/random.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/component/call.hpp"
#include "engine/component/picture.hpp"
#include "engine/component/slot.hpp"
#include "engine/component/whole_batch.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/companions.hpp"
#include "plugin/purpose.hpp"
#include "run/keys.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/from_blob.h>
#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <mutex>
#include <utility>

namespace ptp::engine {

namespace {

// Returns a new generator. One that libtorch clones is never freed: its reference is not counted.
at::Generator new_generator(at::Device device, std::uint64_t seed) {
    if (device.is_cpu()) {
        return at::make_generator<at::CPUGeneratorImpl>(seed);
    }
    at::Generator generator = at::globalContext().defaultGenerator(device).clone();
    generator.set_current_seed(seed);
    return generator;
}

Value host_value(const ptp_data& data) {
    try {
        return to_value(data);
    } catch (const std::invalid_argument& error) {
        throw ContractViolation(std::string("publishes ") + error.what());
    }
}

std::string name_in_pipeline(const pipeline::Node& node, const std::string& name) {
    const auto found = node.globals.find(name);
    return found == node.globals.end() ? name : found->second;
}

spdlog::level::level_enum to_level(ptp_log_level level) {
    switch (level) {
        case PTP_LOG_DEBUG:
            return spdlog::level::debug;
        case PTP_LOG_INFO:
        case PTP_LOG_RESULT:
            return spdlog::level::info;
        case PTP_LOG_WARNING:
            return spdlog::level::warn;
        default:
            return spdlog::level::err;
    }
}

}  // namespace

std::uint64_t checked_size(const ptp_picture& picture) {
    const bool has_pixels = picture.height > 0 && picture.width > 0;
    if (!has_pixels || (picture.channels != 1 && picture.channels != 3)) {
        throw ContractViolation(
            fmt::format("show: a picture of {} x {} pixels with {} channels: must have a "
                        "pixel or more, and 1 or 3 channels",
                        picture.height, picture.width, picture.channels));
    }
    if (picture.pixels == nullptr) {
        throw ContractViolation("show: the pixels are missing");
    }
    if (picture.tag != nullptr && !is_utf8(picture.tag)) {
        throw ContractViolation("show: the tag is not UTF-8");
    }
    const std::uint64_t pixels = std::uint64_t{picture.height} * picture.width;
    return pixels > kMaxPictureBytes ? pixels : pixels * picture.channels;
}

Picture copy_of(const ptp_picture& picture, const std::string& component, const ptp_step& step) {
    assert(checked_size(picture) > 0);
    const std::array<std::int64_t, 3> sizes = {picture.height, picture.width, picture.channels};
    std::string tag = fmt::format("{}/{}", component, step.section);
    if (picture.tag != nullptr) {
        tag += fmt::format("/{}", picture.tag);
    }
    // libtorch has no tensor of read-only memory; this one is only read.
    auto* pixels = const_cast<std::uint8_t*>(picture.pixels);  // NOLINT
    return {step.episode, std::move(tag),
            at::from_blob(pixels, sizes, at::kByte).clone().permute({2, 0, 1})};
}

std::shared_ptr<spdlog::logger> silent_log(const char* name) {
    return std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::null_sink_mt>());
}

std::vector<std::string> declared_names(const pipeline::Node& node, std::size_t global) {
    const std::string& declared = node.component->globals[global].name;
    if (!declared.starts_with('$')) {
        return {declared};
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        if (node.component->settings[i].name != declared.substr(1) || !node.settings[i]) {
            continue;
        }
        for (const Value& item : node.settings[i]->items()) {
            names.push_back(item.as_string());
        }
    }
    return names;
}

Host::Host(ComponentContext& component_context, const pipeline::Node& node,
           const ptp_component_info& info)
    : component_context_(component_context),
      node_(node),
      log_(component_context.log->clone(node.name)),
      data_folder_(
          plugin::data_folder(plugin::file_of_code(reinterpret_cast<const void*>(info.create)))
              .string()),
      table_(host_table(*this)) {
    const std::uint64_t seed =
        derived(derived(component_context.seed, "generator"), node.path + "/" + node.name);
    generator_ = new_generator(component_context.device, seed);
    for (const auto& [name, value] : node.constants) {
        constants_.try_emplace(name, value);
    }
    bit_generator_ = component_context.device.is_cpu() ? generator_ : new_generator(at::kCPU, seed);
}

void Host::size(const char* dimension, std::int64_t* out) const {
    if (!is_creating_) {
        throw ContractViolation("asks for a size after create()");
    }
    const auto found = node_.symbols.find(dimension);
    if (found == node_.symbols.end()) {
        std::vector<std::string> known;
        for (const auto& [name, symbol] : node_.symbols) {
            known.push_back(name);
        }
        throw ContractViolation(
            fmt::format("asks for the size of '{}', which none of its ports names{}", dimension,
                        hint(dimension, known)));
    }
    const auto& symbol = component_context_.plan.symbol(found->second);
    *out = symbol.size.value_or(-1);
    unknown_size_ = symbol.size ? "" : dimension;
}

std::optional<Explanation> Host::unknown_size(std::string_view message) const {
    const bool is_named =
        !unknown_size_.empty() &&
        message.find(fmt::format("the size '{}'", unknown_size_)) != std::string_view::npos;
    return is_named ? std::optional(
                          pipeline::unknown_size(component_context_.plan, node_, unknown_size_))
                    : std::nullopt;
}

std::size_t Host::declared_global(const char* name, bool is_written) const {
    const char* const does = is_written ? "publishes" : "reads";
    if (!is_creating_) {
        throw ContractViolation(fmt::format("{} the global '{}', after create()", does, name));
    }
    const std::vector<plugin::Global>& globals = node_.component->globals;
    for (std::size_t i = 0; i < globals.size(); ++i) {
        if (globals[i].is_written() == is_written &&
            std::ranges::count(declared_names(node_, i), name) > 0) {
            return i;
        }
    }
    throw ContractViolation(
        fmt::format("{} the global '{}', which it does not declare", does, name));
}

void Host::global(const char* name, const ptp_data** out) const {
    const std::size_t index = declared_global(name, false);
    const plugin::Global& one = node_.component->globals[index];
    if (const auto constant = constants_.find(name); constant != constants_.end()) {
        *out = &constant->second.root();
        note_integer(one, **out);
        return;
    }
    const bool is_named = one.access == plugin::GlobalAccess::kRead || node_.globals.contains(name);
    if (!node_.has_global[index] || !is_named ||
        !pipeline::suits_targets(component_context_.plan, node_, one)) {
        *out = &absent_.root();
        return;
    }
    const std::string used = name_in_pipeline(node_, name);
    const ptp_data* value = component_context_.globals.find(used);
    if (value == nullptr) {
        throw std::runtime_error(fmt::format("the global '{}' has not been published", used));
    }
    *out = value;
    note_integer(one, *value);
}

void Host::publish(const char* name, const ptp_data* value) {
    const plugin::Global& global = node_.component->globals[declared_global(name, true)];
    const Value copy = host_value(*value);
    note_integer(global, *value);
    const auto declared = pipeline::declared_value(component_context_.plan, node_, global);
    if (declared && declared->value && *declared->value != copy) {
        throw ContractViolation(fmt::format("publishes {} = {}, but declares it as {} ({})", name,
                                            short_text(copy), short_text(*declared->value),
                                            declared->text));
    }
    if (global.access != plugin::GlobalAccess::kWriteIfNamed || node_.globals.contains(name)) {
        publish_value(name, copy);
        return;
    }
    // Even a global without a name in the pipeline is a size of the component's streams.
    const auto own = node_.symbols.find(name);
    if (own != node_.symbols.end() && copy.is_integer() && copy.as_integer() >= 1) {
        learn(own->second, copy.as_integer());
    }
}

// Returns the fix if the tasks of two sections publish different values, or "".
std::string Host::conflict_fix(const std::string& name, const std::string& used,
                               const Value& value) const {
    const std::string& first = *component_context_.globals.publisher(used);
    const auto& tasks = component_context_.plan.tasks;
    const bool are_sections = std::ranges::any_of(
        tasks, [&](const pipeline::Node& task) { return pipeline::node_text(task) == first; });
    if (!are_sections || node_.component->kind != plugin::Kind::kTask || !value.is_table()) {
        return "";
    }
    using plugin::Purpose;
    const pipeline::Settings settings = pipeline::checked_settings(node_);
    const auto& declared = node_.component->settings;
    const auto* const makes_words = plugin::find_purpose(declared, Purpose::kVocabulary);
    const Value* const is_set = makes_words == nullptr ? nullptr : settings.find(makes_words->name);
    const auto* const global = find_named(node_.component->globals, name);
    const bool has_classes = global != nullptr && global->purpose == Purpose::kClassNames;
    if (is_set != nullptr && *is_set == Value(true) && !has_classes) {
        return fmt::format("\n    fix: set {} = true in [{}] alone", makes_words->name,
                           tasks.front().section);
    }
    if (plugin::find_purpose(declared, Purpose::kClassNames) == nullptr ||
        plugin::find_purpose(tasks.front().component->settings, Purpose::kClassNames) == nullptr) {
        return "";
    }
    return "\n    fix: " + fix_of_classes(tasks.front(), node_,
                                          *component_context_.globals.values().find(used), value);
}

bool Host::publish_declared(const plugin::Global& global) {
    const auto declared = pipeline::declared_value(component_context_.plan, node_, global);
    if (!declared || !declared->value) {
        return false;
    }
    publish_value(global.name, *declared->value);
    return true;
}

void Host::publish_value(const std::string& name, const Value& copy) {
    const std::string used = name_in_pipeline(node_, name);
    const std::string publisher = pipeline::node_text(node_);
    if (const auto conflict = component_context_.globals.publish(used, copy, publisher)) {
        throw std::runtime_error(*conflict + conflict_fix(name, used, copy));
    }
    published_.insert(name);
    const auto symbol = component_context_.plan.global_symbols.find(used);
    if (!copy.is_integer() || symbol == component_context_.plan.global_symbols.end()) {
        return;
    }
    learn(symbol->second, copy.as_integer());
}

void Host::learn(int symbol, std::int64_t size) {
    if (const auto conflict = pipeline::learn_size(component_context_.plan, symbol, size,
                                                   "published by " + pipeline::node_text(node_))) {
        throw std::runtime_error(*conflict);
    }
    pipeline::derive_learnt_sizes(component_context_.plan);
}

void Host::saved_state(std::uint32_t* version, const ptp_data** out) {
    if (!is_creating_) {
        throw ContractViolation("asks for its saved state after create()");
    }
    const std::string name =
        node_.section.empty() ? node_.name : std::string(kTaskPrefix) + node_.section;
    const auto* const saved = component_context_.saved;
    const Value* entry = saved == nullptr ? nullptr : saved->states.find(name);
    const Value* state = entry == nullptr ? nullptr : entry->find("state");
    if (state != nullptr) {
        *version = static_cast<std::uint32_t>(run::integer_in(*entry, "version"));
    }
    *out = &kept(state);
}

void Host::saved_global(const char* name, const ptp_data** out) {
    const std::size_t index = declared_global(name, true);
    const bool is_used =
        node_.component->globals[index].access != plugin::GlobalAccess::kWriteIfNamed ||
        node_.globals.contains(name);
    const SavedComponents* saved = component_context_.saved;
    const std::string used = name_in_pipeline(node_, name);
    const Value* const of_checkpoint =
        saved == nullptr || !is_used ? nullptr : saved->globals.find(used);
    const ptp_data* const of_training =
        of_checkpoint == nullptr && is_used ? published_by_training(used) : nullptr;
    *out = of_training != nullptr ? of_training : &kept(of_checkpoint);
}

const ptp_data* Host::published_by_training(const std::string& used) const {
    const auto& tasks = component_context_.plan.tasks;
    const std::string* const publisher = component_context_.globals.publisher(used);
    const bool is_meant = !node_.section.empty() && !tasks.empty() && publisher != nullptr &&
                          tasks.front().section != node_.section &&
                          tasks.front().component == node_.component &&
                          *publisher == pipeline::node_text(tasks.front());
    return is_meant ? component_context_.globals.find(used) : nullptr;
}

// Returns a value that the component may read as long as it exists; nullptr is an absent one.
const ptp_data& Host::kept(const Value* value) {
    return value == nullptr ? absent_.root() : saved_.emplace_back(*value).root();
}

std::uint64_t Host::random() {
    const std::lock_guard<std::mutex> lock(bit_generator_.mutex());
    return bit_generator_.get<at::CPUGeneratorImpl>()->random64();
}

void Host::log(ptp_log_level level, const char* message) {
    const spdlog::source_loc origin =
        level == PTP_LOG_RESULT ? kResultOfComponent : spdlog::source_loc();
    log_->log(origin, to_level(level), spdlog::string_view_t(message));
}

void Host::show(const ptp_picture* shown) {
    const ptp_picture& picture = *shown;
    const Call* call = Call::current();
    if (call == nullptr || call->values().step == nullptr) {
        throw ContractViolation("show: only forward() shows pictures");
    }
    std::uint64_t size = checked_size(picture);
    std::vector<Picture>* pictures = call->values().pictures;
    if (pictures == nullptr) {
        return;
    }
    for (const Picture& other : *pictures) {
        size += static_cast<std::uint64_t>(other.pixels.numel());
    }
    if (size <= kMaxPictureBytes) {
        pictures->push_back(copy_of(picture, node_.name, *call->values().step));
    } else if (!std::exchange(picture_limit_logged_, true)) {
        log_->warn(fmt::format(
            "a picture of {} x {} pixels with {} channels is not recorded: the pictures of an "
            "episode, or of a pass over a set, may have {} MiB together",
            picture.height, picture.width, picture.channels, kMaxPictureBytes >> 20U));
    }
}

bool Host::ask_for_whole_batch() {
    sees_whole_batch_ = sees_whole_batch_ || is_creating_;
    return sees_whole_batch_;
}

void Host::gather(const ptp_value* rows, ptp_value* all, std::uint64_t* first) {
    const Call* call = Call::current();
    if (call == nullptr || call->values().step == nullptr) {
        throw ContractViolation("gather: only forward() gathers rows");
    }
    const at::Tensor& own = as_tensor(rows);
    const auto samples = static_cast<std::int64_t>(call->values().step->batch_size);
    if (!own.defined() || own.dim() == 0 || own.size(0) != samples) {
        throw ContractViolation(
            fmt::format("gather: {}: must have a row for each of the {} samples of the call",
                        !own.defined() ? "an undefined tensor"
                                       : fmt::format("a tensor of [{}]", join(own.sizes(), ", ")),
                        samples));
    }
    WholeBatch* whole = call->values().whole_batch;
    const WholeBatch::Rows gathered =
        whole == nullptr ? WholeBatch::Rows{own, 0} : whole->gather(own, node_.name);
    as_tensor(all) = gathered.rows;
    *first = gathered.first;
}

}  // namespace ptp::engine
