// The conversion of a stream's value for programs that embed the engine.

#include "engine/component/stream_value.hpp"

#include "base/error.hpp"

#include <ATen/DLConvertor.h>
#include <fmt/core.h>

namespace ptp::engine {

KeptValue kept(const Slot& slot) {
    KeptValue value{.element = slot.element};
    if (is_tensor(slot.element)) {
        value.tensor = slot.tensor.defined() ? slot.tensor.detach() : at::Tensor();
    } else if (slot.element == PTP_STRING && slot.text.is_written()) {
        for (std::uint64_t i = 0; i < slot.text.string_count; ++i) {
            value.strings.emplace_back(slot.text.string(i));
        }
    }
    return value;
}

StreamValue value_of(const KeptValue& kept, const std::string& stream) {
    StreamValue value;
    if (kept.element == PTP_STRING) {
        value.strings = kept.strings;
        return value;
    }
    if (!is_tensor(kept.element)) {
        throw RunError(kConfigurationError,
                       fmt::format("the stream '{}' is a list of {}, which cannot be read here",
                                   stream, kept.element == PTP_TOKENS ? "token lists" : "tensors"));
    }
    if (!kept.tensor.defined()) {
        throw RunError(kConfigurationError,
                       fmt::format("the stream '{}' was not written in this step", stream));
    }
    const bool is_bool = kept.tensor.scalar_type() == at::kBool;
    value.tensor = at::toDLPack(is_bool ? kept.tensor.to(at::kByte) : kept.tensor);
    return value;
}

at::Tensor copy_of(const DLManagedTensor& view) {
    DLManagedTensor borrowed = view;
    borrowed.deleter = [](DLManagedTensor*) {};
    DLTensor& tensor = borrowed.dl_tensor;  // at::fromDLPack() does not read its offset
    if (tensor.data != nullptr) {
        tensor.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
    }
    tensor.byte_offset = 0;
    return at::fromDLPack(&borrowed).clone();
}

}  // namespace ptp::engine
