// A host for one component: provides what a test specifies, and records what the component does.
#pragma once

#include <ptp/abi.h>
#include <ptp/ext/draft/data_folder.h>
#include <ptp/ext/draft/observation.h>
#include <ptp/ext/draft/pictures.h>
#include <ptp/ext/draft/saved.h>
#include <ptp/ext/draft/whole_batch.h>
#include <ptp/data.hpp>
#include <ptp/random.hpp>
#include <ptp/testing/slot.hpp>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::testing {

// The parts that the rest of an experiment would provide.
struct Wiring {
    std::map<std::string, std::int64_t> sizes = {};  // of dimensions; others are not known
    std::map<std::string, std::vector<std::int64_t>> shapes = {};  // of streams; likewise
    std::map<std::string, Data> globals = {};                      // others were not published
    std::map<std::string, ptp_element> elements = {};  // of streams at PTP_ANY ports; else float
    std::vector<std::string> optional_inputs = {};     // optional ports that are wired
    std::string name = "component";                    // of the instance
    std::string section = {};                          // of a task
    std::string run_folder = "/nonexistent";
    std::uint64_t seed = 1;
    bool takes_pictures = true;  // a host that is older does not
    bool is_observed = false;    // all calls of forward() are
    bool gathers = true;         // likewise
    Data saved_state = {};       // of a checkpoint, in the version 1
    std::map<std::string, Data> saved_globals = {};
    std::string data_folder = {};  // "": PLUGIN.data beside the plugin, if it has one
    std::string device = "cpu";    // or "cuda:0", where inputs and outputs are then
};

// The pictures and numbers that a component has shown.
struct ShownPicture {
    std::string tag;
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    std::uint32_t channels = 0;
    std::vector<std::uint8_t> pixels;
};

class Host {
public:
    explicit Host(Wiring wiring)
        : wiring_(std::move(wiring)), random_(wiring_.seed), generator_(new_generator(wiring_)) {
        functions_ = {.struct_size = sizeof(ptp_host),
                      .context = this,
                      .fail = fail,
                      .log = log,
                      .size = size,
                      .global = global,
                      .publish = publish,
                      .generator = generator,
                      .random = random,
                      .run_folder = run_folder,
                      .set_text = set_text,
                      .resize_list = resize_list,
                      .tensor_view = tensor_view,
                      .tensor_allocate = tensor_allocate,
                      .extension = extension,
                      .fail_with = fail_with};
    }
    ~Host() = default;
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    const ptp_host& functions() const { return functions_; }
    const Wiring& wiring() const { return wiring_; }
    const std::map<std::string, Data>& published() const { return published_; }
    const std::vector<std::string>& log_lines() const { return log_lines_; }
    const std::vector<ShownPicture>& pictures() const { return pictures_; }

    void reseed(std::uint64_t seed) {
        random_ = Random(seed);
        generator_.set_current_seed(seed);
    }

    // Throws an exception with the component's message if a call of it has failed.
    void require(ptp_status status) {
        const std::lock_guard lock(mutex_);
        const std::vector<std::string> messages = std::move(messages_);
        messages_.clear();
        if (messages.size() != (status == PTP_OK ? 0u : 1u)) {
            throw std::logic_error("a failing call calls fail() once, any other never");
        }
        if (status == PTP_ERROR_CONFIG) {
            throw ConfigError(messages[0]);
        }
        if (status == PTP_ERROR_DATA) {
            throw DataError(messages[0]);
        }
        if (status != PTP_OK) {
            throw std::runtime_error(messages[0]);
        }
    }

private:
    static Host& self(void* context) { return *static_cast<Host*>(context); }

    static void fail(void* context, ptp_status, const char* message) {
        const std::lock_guard lock(self(context).mutex_);
        self(context).messages_.emplace_back(message);
    }

    static void fail_with(void* context, const ptp_failure* failure) {
        const std::string setting =
            failure->setting == nullptr ? "" : "setting '" + std::string(failure->setting) + "': ";
        fail(context, failure->status, (setting + failure->message).c_str());
    }

    static void log(void* context, ptp_log_level, const char* message) {
        const std::lock_guard lock(self(context).mutex_);
        self(context).log_lines_.emplace_back(message);
    }

    static ptp_status size(void* context, const char* dimension, std::int64_t* out) {
        const auto& sizes = self(context).wiring_.sizes;
        const auto found = sizes.find(dimension);
        *out = found == sizes.end() ? -1 : found->second;
        return PTP_OK;
    }

    static ptp_status global(void* context, const char* name, const ptp_data** out) {
        const auto& globals = self(context).wiring_.globals;
        const auto found = globals.find(name);
        const Data value = found == globals.end() ? Data() : found->second;
        *out = self(context).given_.emplace_back(value).root();
        return PTP_OK;
    }

    static ptp_status publish(void* context, const char* name, const ptp_data* value) {
        const auto [place, is_new] = self(context).published_.emplace(name, Data(*value));
        if (!is_new && place->second != Data(*value)) {
            fail(context, PTP_ERROR_CONFIG, "a global is published twice");
            return PTP_ERROR_CONFIG;
        }
        return PTP_OK;
    }

    static ptp_generator* generator(void* context) {
        return reinterpret_cast<ptp_generator*>(&self(context).generator_);
    }

    static std::uint64_t random(void* context) { return self(context).random_.bits(); }

    static const char* run_folder(void* context) {
        return self(context).wiring_.run_folder.c_str();
    }

    // Slots are distinguished by where their values are; the host of a test is asked by one thread
    // for each.
    static ptp_status set_text(void*, ptp_value* output, const ptp_text* text) {
        slot_of(output).set(*text);
        return PTP_OK;
    }

    static ptp_status resize_list(void*, ptp_value* output, std::uint64_t count) {
        slot_of(output).resize(count);
        return PTP_OK;
    }

    static ptp_status tensor_view(void*, const ptp_value* value, ptp_tensor_view* out) {
        const auto& tensor = *reinterpret_cast<const at::Tensor*>(value);
        view(tensor, *out);
        return PTP_OK;
    }

    static void view(const at::Tensor& tensor, ptp_tensor_view& out) {
        const auto type = tensor.scalar_type();
        const bool is_unsigned = type == at::kByte;
        const int code = type == at::kBool            ? 6
                         : tensor.is_floating_point() ? 2
                         : is_unsigned                ? 1
                                                      : 0;
        // A view's sizes are not const, as in DLPack; they are only read.
        out = {.data = tensor.data_ptr(),
               .device_type = 1,
               .device_id = 0,
               .rank = static_cast<std::int32_t>(tensor.dim()),
               .type_code = static_cast<std::uint8_t>(code),
               .type_bits = static_cast<std::uint8_t>(tensor.element_size() * 8),
               .type_lanes = 1,
               .shape = const_cast<std::int64_t*>(tensor.sizes().data()),      // NOLINT
               .strides = const_cast<std::int64_t*>(tensor.strides().data()),  // NOLINT
               .byte_offset = 0};
    }

    static at::ScalarType scalar_type(std::uint8_t code, std::uint8_t bits) {
        if (code == 2) {
            return bits == 64 ? at::kDouble : at::kFloat;
        }
        if (code == 0) {
            return bits == 64 ? at::kLong : at::kInt;
        }
        return code == 6 ? at::kBool : at::kByte;
    }

    static ptp_status tensor_allocate(void*, ptp_value* output, std::uint8_t code,
                                      std::uint8_t bits, std::int32_t rank,
                                      const std::int64_t* shape, ptp_tensor_view* out) {
        auto& tensor = *reinterpret_cast<at::Tensor*>(output);
        tensor = at::empty(at::IntArrayRef(shape, static_cast<std::size_t>(rank)),
                           at::TensorOptions().dtype(scalar_type(code, bits)));
        view(tensor, *out);
        return PTP_OK;
    }

    static const void* extension(void* context, const char* id) {
        static const ptp_pictures pictures{.struct_size = sizeof(ptp_pictures), .show = show};
        static const ptp_saved saved{
            .struct_size = sizeof(ptp_saved), .state = saved_state, .global = saved_global};
        static const ptp_data_folder data{.struct_size = sizeof(ptp_data_folder),
                                          .path = data_folder};
        static const ptp_observation observation{
            .struct_size = sizeof(ptp_observation), .reserved = 0, .is_observed = is_observed};
        if (std::string_view(id) == PTP_HOST_OBSERVATION) {
            return &observation;
        }
        if (std::string_view(id) == PTP_HOST_SAVED) {
            return &saved;
        }
        if (std::string_view(id) == PTP_HOST_DATA_FOLDER) {
            return &data;
        }
        static const ptp_whole_batch whole{
            .struct_size = sizeof(ptp_whole_batch), .reserved = 0, .gather = gather};
        if (std::string_view(id) == PTP_HOST_WHOLE_BATCH) {
            return self(context).wiring_.gathers ? &whole : nullptr;
        }
        const bool is_known = std::string_view(id) == PTP_HOST_PICTURES;
        return is_known && self(context).wiring_.takes_pictures ? &pictures : nullptr;
    }

    static std::int32_t is_observed(void* context) {
        return self(context).wiring_.is_observed ? 1 : 0;
    }

    // A test is one process: all rows are its own.
    static ptp_status gather(void*, const ptp_value* rows, ptp_value* all, std::uint64_t* first) {
        *reinterpret_cast<at::Tensor*>(all) = *reinterpret_cast<const at::Tensor*>(rows);
        *first = 0;
        return PTP_OK;
    }

    static const char* data_folder(void* context) {
        const std::string& folder = self(context).wiring_.data_folder;
        return folder.empty() ? nullptr : folder.c_str();
    }

    static ptp_status saved_state(void* context, std::uint32_t* version, const ptp_data** out) {
        *version = 1;
        *out = self(context).given_.emplace_back(self(context).wiring_.saved_state).root();
        return PTP_OK;
    }

    static ptp_status saved_global(void* context, const char* name, const ptp_data** out) {
        const auto& globals = self(context).wiring_.saved_globals;
        const auto found = globals.find(name);
        const Data value = found == globals.end() ? Data() : found->second;
        *out = self(context).given_.emplace_back(value).root();
        return PTP_OK;
    }

    static ptp_status show(void* context, const ptp_picture* picture) {
        const std::size_t size = std::size_t{picture->height} * picture->width * picture->channels;
        self(context).pictures_.push_back({picture->tag == nullptr ? "" : picture->tag,
                                           picture->height,
                                           picture->width,
                                           picture->channels,
                                           {picture->pixels, picture->pixels + size}});
        return PTP_OK;
    }

    // The slots of the call that this thread makes; see Component.
    static std::vector<Slot*>& active() {
        thread_local std::vector<Slot*> slots;
        return slots;
    }

    static Slot& slot_of(ptp_value* value) {
        for (Slot* slot : active()) {
            if (slot->value() == value) {
                return *slot;
            }
        }
        throw std::logic_error("an output that is not one of this call");
    }

    friend class Component;

    Wiring wiring_;
    std::mutex mutex_;  // guards messages_ and log_lines_
    std::vector<std::string> messages_;
    std::vector<std::string> log_lines_;
    std::vector<ShownPicture> pictures_;
    std::map<std::string, Data> published_;
    std::deque<detail::DataTree> given_;
    Random random_;
    // Returns a generator of the component's device.
    static at::Generator new_generator(const Wiring& wiring) {
        const at::Device device(wiring.device);
        if (device.is_cpu()) {
            return at::make_generator<at::CPUGeneratorImpl>(wiring.seed);
        }
        at::Generator generator = at::globalContext().defaultGenerator(device).clone();
        generator.set_current_seed(wiring.seed);
        return generator;
    }

    at::Generator generator_;
    ptp_host functions_{};
};

}  // namespace ptp::testing
