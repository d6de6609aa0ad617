// Packs a saved state into bytes, and unpacks it: first the record as TOML, with the names, types
// and sizes of the tensors, then a 0 byte, then the content of the tensors.

#include "engine/distributed/packed_state.hpp"

#include "base/error.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <ATen/ops/empty.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

[[noreturn]] void refuse_packed() {
    throw RunError(kDataError, "another process has sent a state that cannot be read");
}

Value list_of(at::IntArrayRef sizes) {
    std::vector<Value> items;
    for (const std::int64_t size : sizes) {
        items.emplace_back(size);
    }
    return Value::list(std::move(items));
}

at::Tensor empty_as(const Value& entry) {
    std::vector<std::int64_t> sizes;
    for (const Value& size : entry.find("sizes")->items()) {
        sizes.push_back(size.as_integer());
    }
    return at::empty(sizes, static_cast<at::ScalarType>(entry.find("type")->as_integer()));
}

}  // namespace

std::string packed_state(const SavedState& state) {
    std::vector<Value> entries;
    std::string content;
    for (const auto& [name, tensor] : state.tensors) {
        const at::Tensor plain = tensor.detach().cpu().contiguous();
        entries.push_back(Value::table({{"name", name},
                                        {"type", static_cast<std::int64_t>(plain.scalar_type())},
                                        {"sizes", list_of(plain.sizes())}}));
        content.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
    }
    const Value header =
        Value::table({{"record", state.record}, {"tensors", Value::list(std::move(entries))}});
    return to_toml(header) + '\0' + content;
}

SavedState unpacked_state(const std::string& packed) {
    const std::size_t end = packed.find('\0');
    Diagnostics problems;
    const auto header = end == std::string::npos
                            ? std::nullopt
                            : read_toml(std::string_view(packed).substr(0, end), "state", problems);
    if (!header || header->find("record") == nullptr || header->find("tensors") == nullptr) {
        refuse_packed();
    }
    SavedState state;
    state.record = *header->find("record");
    std::size_t next = end + 1;
    for (const Value& entry : header->find("tensors")->items()) {
        at::Tensor tensor = empty_as(entry);
        if (packed.size() - next < tensor.nbytes()) {
            refuse_packed();
        }
        packed.copy(static_cast<char*>(tensor.data_ptr()), tensor.nbytes(), next);
        next += tensor.nbytes();
        state.tensors.emplace_back(entry.find("name")->as_string(), std::move(tensor));
    }
    return state;
}

}  // namespace ptp::engine
