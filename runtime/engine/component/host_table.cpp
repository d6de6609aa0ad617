// The C functions of ptp_host: they check what a component passes, and let no exception out.

#include "base/text.hpp"
#include "engine/component/call.hpp"
#include "engine/component/host.hpp"
#include "engine/component/observation.hpp"
#include "engine/component/slot.hpp"

#include <ptp/ext/draft/data_folder.h>
#include <ptp/ext/draft/observation.h>
#include <ptp/ext/draft/pictures.h>
#include <ptp/ext/draft/saved.h>
#include <ptp/ext/draft/whole_batch.h>

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptp::engine {

namespace {

constexpr std::int32_t kMaxRank = 64;                      // libtorch's own limit, in most of it
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 47;  // a process can address no more
constexpr std::uint64_t kMaxListed = std::uint64_t{1} << 24;

Host& host_of(void* context) {
    return *static_cast<Host*>(context);
}

// Records why the call on this thread fails. Outside of all calls, the log has it.
void note_failure(void* context, ErrorOrigin speaker, const std::string& message,
                  const FailureFacts& facts = {}) {
    if (Call* call = Call::current()) {
        call->fail(message, speaker, facts);
    } else {
        host_of(context).log(PTP_LOG_ERROR, message.c_str());
    }
}

// Runs a service; nothing that it throws reaches the plugin. Returns `status` for a failed one.
template <class Service>
ptp_status guarded(void* context, Service service,
                   ptp_status status = PTP_ERROR_INTERNAL) noexcept {
    try {
        service();
        return PTP_OK;
    } catch (const ContractViolation& error) {
        note_failure(context, ErrorOrigin::kContract, error.what());
    } catch (const c10::Error& error) {
        note_failure(context, ErrorOrigin::kHost, error.what_without_backtrace());
    } catch (const std::exception& error) {
        note_failure(context, ErrorOrigin::kHost, error.what());
    }
    return status;
}

// A function of the table that is a function of Host.
template <auto kService, ptp_status kFailed = PTP_ERROR_INTERNAL, class... Arguments>
ptp_status served(void* context, Arguments... arguments) {
    return guarded(
        context, [&] { (host_of(context).*kService)(arguments...); }, kFailed);
}

// Cleans a plugin's text for terminals, logs and status.json, and limits its length.
std::string plain_text(std::string_view message) {
    constexpr std::size_t kMaxBytes = std::size_t{64} << 10U;
    if (message.size() <= kMaxBytes) {
        return harmless(message);
    }
    std::size_t end = kMaxBytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) {
        --end;  // not within a character
    }
    return harmless(message.substr(0, end)) + " ...";
}

void fail(void* context, ptp_status, const char* message) {
    note_failure(context, ErrorOrigin::kComponent, plain_text(message == nullptr ? "" : message));
}

void fail_with(void* context, const ptp_failure* failure) {
    const auto text = [](const char* given) { return plain_text(given == nullptr ? "" : given); };
    note_failure(context, ErrorOrigin::kComponent, text(failure->message),
                 {.setting = text(failure->setting), .system = failure->system});
}

void log(void* context, ptp_log_level level, const char* message) {
    host_of(context).log(level, plain_text(message == nullptr ? "" : message).c_str());
}

ptp_generator* generator(void* context) {
    return reinterpret_cast<ptp_generator*>(&host_of(context).generator());
}

std::uint64_t random(void* context) {
    return host_of(context).random();
}

const char* run_folder(void* context) {
    return host_of(context).run_folder().c_str();
}

ptp_element output_element(const ptp_value* value) {
    const Call* call = Call::current();
    return call == nullptr ? 0 : call->output_element(value);
}

ptp_status set_text_output(void* context, ptp_value* output, const ptp_text* text) {
    return guarded(context, [&] {
        const ptp_element element = output_element(output);
        if (element != PTP_STRING && element != PTP_TOKENS) {
            throw ContractViolation("set_text: not a text output of this call");
        }
        if ((element == PTP_TOKENS) != (text->rows != nullptr)) {
            throw ContractViolation(element == PTP_TOKENS ? "set_text: token lists need rows"
                                                          : "set_text: strings have no rows");
        }
        try {
            as_text(output).assign(*text);
        } catch (const std::invalid_argument& error) {
            throw ContractViolation(std::string("set_text: ") + error.what());
        }
    });
}

ptp_status resize_list(void* context, ptp_value* output, std::uint64_t count) {
    return guarded(context, [&] {
        if (output_element(output) != PTP_TENSOR_LIST) {
            throw ContractViolation("resize_list: not a list output of this call");
        }
        if (count > kMaxListed) {
            throw ContractViolation(
                fmt::format("resize_list: {} tensors, more than {}", count, kMaxListed));
        }
        as_list(output).resize(count);
    });
}

struct TypeRow {
    at::ScalarType type;
    std::uint8_t code;
    std::uint8_t bits;
};

constexpr TypeRow kTypes[] = {
    {at::kFloat, 2, 32}, {at::kDouble, 2, 64}, {at::kHalf, 2, 16},  {at::kBFloat16, 4, 16},
    {at::kLong, 0, 64},  {at::kInt, 0, 32},    {at::kShort, 0, 16}, {at::kChar, 0, 8},
    {at::kByte, 1, 8},   {at::kBool, 6, 8},
};

void describe(const at::Tensor& tensor, const TypeRow& row, ptp_tensor_view* out) {
    *out = {};
    out->data = tensor.data_ptr();
    out->device_type = tensor.is_cuda() ? 2 : 1;
    out->device_id = tensor.is_cuda() ? static_cast<std::int32_t>(tensor.get_device()) : 0;
    out->rank = static_cast<std::int32_t>(tensor.dim());
    out->type_code = row.code;
    out->type_bits = row.bits;
    out->type_lanes = 1;
    // DLPack's members are not const, though writing to them is not allowed.
    out->shape = const_cast<std::int64_t*>(tensor.sizes().data());      // NOLINT
    out->strides = const_cast<std::int64_t*>(tensor.strides().data());  // NOLINT
}

ptp_status tensor_view(void* context, const ptp_value* value, ptp_tensor_view* out) {
    return guarded(context, [&] {
        const Call* call = Call::current();
        if (call == nullptr || !is_tensor(call->element(value))) {
            throw ContractViolation("tensor_view: not a tensor of this call");
        }
        const at::Tensor& tensor = as_tensor(value);
        if (!tensor.defined()) {
            throw ContractViolation("tensor_view: the tensor is undefined");
        }
        const auto* row = std::ranges::find(kTypes, tensor.scalar_type(), &TypeRow::type);
        if (row == std::end(kTypes)) {
            throw std::runtime_error(fmt::format("tensor_view: tensors of {} cannot be shown",
                                                 c10::toString(tensor.scalar_type())));
        }
        describe(tensor, *row, out);
    });
}

// Returns the sizes of a tensor that memory can hold. Throws ContractViolation for others.
at::IntArrayRef checked_sizes(const std::int64_t* shape, std::int32_t rank, const TypeRow& row) {
    if (rank < 0 || rank > kMaxRank) {
        throw ContractViolation(
            fmt::format("tensor_allocate: rank {}: must be in [0, {}]", rank, kMaxRank));
    }
    if (rank > 0 && shape == nullptr) {
        throw ContractViolation("tensor_allocate: the shape is missing");
    }
    const at::IntArrayRef sizes(shape, static_cast<std::size_t>(rank));
    std::int64_t bytes = row.bits / 8;
    bool is_too_much = false;
    for (const std::int64_t size : sizes) {
        if (size < 0) {
            throw ContractViolation(fmt::format(
                "tensor_allocate: a tensor of [{}]: no size may be negative", join(sizes, ", ")));
        }
        // A tensor with a size of 0 has no elements, but libtorch multiplies the other sizes
        // anyway.
        is_too_much =
            is_too_much || __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
    }
    if (is_too_much || bytes > kMaxBytes) {
        throw ContractViolation(fmt::format(
            "tensor_allocate: a tensor of [{}]: no memory can hold it", join(sizes, ", ")));
    }
    return sizes;
}

ptp_status tensor_allocate(void* context, ptp_value* output, std::uint8_t type_code,
                           std::uint8_t type_bits, std::int32_t rank, const std::int64_t* shape,
                           ptp_tensor_view* out) {
    return guarded(context, [&] {
        if (!is_tensor(output_element(output))) {
            throw ContractViolation("tensor_allocate: not a tensor output of this call");
        }
        const auto* row = std::ranges::find_if(kTypes, [&](const TypeRow& type) {
            return type.code == type_code && type.bits == type_bits;
        });
        if (row == std::end(kTypes)) {
            throw ContractViolation(
                fmt::format("tensor_allocate: unknown type {} with {} bits", type_code, type_bits));
        }
        as_tensor(output) =
            at::empty(checked_sizes(shape, rank, *row), at::TensorOptions(row->type));
        describe(as_tensor(output), *row, out);
    });
}

const char* data_folder(void* context) {
    const std::string& folder = host_of(context).data_folder();
    return folder.empty() ? nullptr : folder.c_str();
}

std::int32_t is_observed(void*) {
    return Observation::is_active() ? 1 : 0;
}

const void* extension(void* context, const char* id) {
    static constexpr ptp_pictures kPictures = {sizeof(ptp_pictures), served<&Host::show>};
    static constexpr ptp_saved kSaved = {sizeof(ptp_saved), served<&Host::saved_state>,
                                         served<&Host::saved_global>};
    static constexpr ptp_data_folder kDataFolder = {sizeof(ptp_data_folder), data_folder};
    static constexpr ptp_observation kObservation = {sizeof(ptp_observation), 0, is_observed};
    static constexpr ptp_whole_batch kWholeBatch = {sizeof(ptp_whole_batch), 0,
                                                    served<&Host::gather>};
    const std::string_view wanted = id;
    if (wanted == PTP_HOST_WHOLE_BATCH) {
        return host_of(context).ask_for_whole_batch() ? &kWholeBatch : nullptr;
    }
    return wanted == PTP_HOST_PICTURES      ? static_cast<const void*>(&kPictures)
           : wanted == PTP_HOST_SAVED       ? static_cast<const void*>(&kSaved)
           : wanted == PTP_HOST_DATA_FOLDER ? static_cast<const void*>(&kDataFolder)
           : wanted == PTP_HOST_OBSERVATION ? &kObservation
                                            : nullptr;
}

}  // namespace

ptp_host host_table(Host& host) {
    ptp_host table{};
    table.struct_size = sizeof(ptp_host);
    table.context = &host;
    table.fail = fail;
    table.log = log;
    table.size = served<&Host::size>;
    // A conflict of globals is the experiment's fault.
    table.global = served<&Host::global, PTP_ERROR_CONFIG>;
    table.publish = served<&Host::publish, PTP_ERROR_CONFIG>;
    table.generator = generator;
    table.random = random;
    table.run_folder = run_folder;
    table.set_text = set_text_output;
    table.resize_list = resize_list;
    table.tensor_view = tensor_view;
    table.tensor_allocate = tensor_allocate;
    table.extension = extension;
    table.fail_with = fail_with;
    return table;
}

}  // namespace ptp::engine
