// Packs the number of tensors, the type, the number of dimensions and the sizes of each, all as
// integers, and then the content of the tensors.

#include "engine/distributed/packed_state.hpp"

#include "base/error.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kSize = "size";

constexpr std::int64_t kUndefined = -1;  // the type of an undefined tensor

[[noreturn]] void refuse_packed() {
    throw RunError(kDataError, "another process has sent a state that cannot be read");
}

// Returns a tensor that shares this memory.
at::Tensor bytes_at(const void* data, std::size_t size) {
    return at::from_blob(const_cast<void*>(data),  // NOLINT: it is only read
                         {static_cast<std::int64_t>(size)}, at::kByte);
}

}  // namespace

at::Tensor packed_tensors(const std::vector<at::Tensor>& tensors) {
    std::vector<std::int64_t> numbers = {static_cast<std::int64_t>(tensors.size())};
    std::vector<at::Tensor> parts(1);
    for (const at::Tensor& tensor : tensors) {
        if (!tensor.defined()) {
            numbers.push_back(kUndefined);
            continue;
        }
        numbers.insert(numbers.end(),
                       {static_cast<std::int64_t>(tensor.scalar_type()), tensor.dim()});
        numbers.insert(numbers.end(), tensor.sizes().begin(), tensor.sizes().end());
        parts.push_back(tensor.detach().cpu().contiguous().view({-1}).view(at::kByte));
    }
    parts.front() = bytes_at(numbers.data(), numbers.size() * sizeof(std::int64_t));
    return at::cat(parts);
}

std::vector<at::Tensor> unpacked_tensors(const at::Tensor& packed) {
    std::string_view left(static_cast<const char*>(packed.data_ptr()), packed.nbytes());
    const auto take = [&left](void* into, std::size_t size) {
        if (size > left.size()) {
            refuse_packed();
        }
        left.copy(static_cast<char*>(into), size);
        left.remove_prefix(size);
    };
    const auto number = [&take] {
        std::int64_t value = 0;
        take(&value, sizeof(value));
        return value;
    };
    std::vector<at::Tensor> tensors;
    for (std::int64_t count = number(); count > 0; --count) {
        at::Tensor& tensor = tensors.emplace_back();
        if (const std::int64_t type = number(); type != kUndefined) {
            std::vector<std::int64_t> sizes;
            for (std::int64_t dimensions = number(); dimensions > 0; --dimensions) {
                sizes.push_back(number());
            }
            tensor = at::empty(sizes, static_cast<at::ScalarType>(type));
        }
    }
    for (const at::Tensor& tensor : tensors) {
        if (tensor.defined()) {
            take(tensor.data_ptr(), tensor.nbytes());
        }
    }
    return tensors;
}

// Packs the record and the names as TOML, the first of the tensors.
std::string packed_state(const SavedState& state) {
    std::vector<Value> names;
    std::vector<at::Tensor> tensors(1);
    for (const auto& [name, tensor] : state.tensors) {
        names.emplace_back(name);
        tensors.push_back(tensor);
    }
    const std::string header =
        to_toml(Value::table({{"record", state.record}, {"names", Value::list(std::move(names))}}));
    tensors.front() = bytes_at(header.data(), header.size());
    const at::Tensor packed = packed_tensors(tensors);
    return {static_cast<const char*>(packed.data_ptr()), packed.nbytes()};
}

SavedState unpacked_state(const std::string& packed) {
    std::vector<at::Tensor> tensors = unpacked_tensors(bytes_at(packed.data(), packed.size()));
    Diagnostics problems;
    const auto header =
        tensors.empty() || !tensors.front().defined()
            ? std::nullopt
            : read_toml(std::string_view(static_cast<const char*>(tensors.front().data_ptr()),
                                         tensors.front().nbytes()),
                        "state", problems);
    const Value* const record = header ? header->find("record") : nullptr;
    const Value* const names = header ? header->find("names") : nullptr;
    if (record == nullptr || names == nullptr || names->items().size() + 1 != tensors.size()) {
        refuse_packed();
    }
    SavedState state;
    state.record = *record;
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        state.tensors.emplace_back(names->items()[i - 1].as_string(), std::move(tensors[i]));
    }
    return state;
}

void add_ranks(SavedState& whole, Collective& collective, const char* what,
               c10::function_ref<SavedState()> own) {
    const std::vector<std::string> others =
        collective.from_others(what, [&own] { return packed_state(own()); });
    if (others.empty()) {
        return;
    }
    SavedState ranks;
    ranks.record.set(kSize, others.size() + 1);
    for (std::size_t i = 0; i < others.size(); ++i) {
        add_part(ranks, std::to_string(i + 1), unpacked_state(others[i]));
    }
    add_part(whole, kRanksPart, std::move(ranks));
}

std::uint64_t rank_count(const SavedState& whole) {
    return whole.record.find(kRanksPart) == nullptr
               ? 1
               : static_cast<std::uint64_t>(integer_in(part_of(whole, kRanksPart).record, kSize));
}

SavedState part_of_rank(const SavedState& whole, std::uint64_t rank) {
    return part_of(part_of(whole, kRanksPart), std::to_string(rank));
}

std::optional<SavedState> own_part(const SavedState& whole, const Collective& collective) {
    const bool has_own = collective.rank() > 0 && rank_count(whole) == collective.size();
    return has_own ? std::optional(part_of_rank(whole, collective.rank())) : std::nullopt;
}

}  // namespace ptp::engine
