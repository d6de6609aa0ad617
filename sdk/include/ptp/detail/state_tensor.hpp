// A tensor as data: { type = "float32", shape = [2, 3], bytes = "..." }, with the bytes in
// row-major order, little-endian, as base64; an undefined tensor is an empty table.
#pragma once

#include <ptp/data.hpp>
#include <ptp/detail/base64.hpp>
#include <ptp/values.hpp>

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::detail {

static_assert(std::endian::native == std::endian::little, "ptp: the lowest byte comes first");

struct TensorParts {
    std::string_view type;
    std::vector<std::int64_t> shape;
    std::vector<std::byte> bytes;
};

inline Data tensor_data(std::string_view type, std::span<const std::int64_t> shape,
                        std::span<const std::byte> bytes) {
    Data::List sizes(shape.begin(), shape.end());
    return Data::Table{{"type", type}, {"shape", std::move(sizes)}, {"bytes", to_base64(bytes)}};
}

// Throws ConfigError for data that was not made by tensor_data().
inline TensorParts tensor_parts(const Data& data) {
    const Data* type = data.find("type");
    const Data* shape = data.find("shape");
    const Data* bytes = data.find("bytes");
    if (type == nullptr || shape == nullptr || bytes == nullptr) {
        throw ConfigError("expected a tensor with type, shape and bytes");
    }
    TensorParts parts{type->as_text(), {}, from_base64(bytes->as_text())};
    constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
    std::int64_t elements = 1;
    for (const Data& size : shape->as_list()) {
        parts.shape.push_back(size.as_integer());
        const std::int64_t factor = size.as_integer() == 0 ? 1 : size.as_integer();
        if (factor < 0 || factor > kMaxElements / elements) {
            throw ConfigError("a tensor has an impossible shape");
        }
        elements *= factor;
    }
    return parts;
}

inline void require_byte_count(const TensorParts& parts, std::size_t wanted) {
    if (parts.bytes.size() != wanted) {
        throw ConfigError("a tensor has ", parts.bytes.size(), " bytes, its shape needs ", wanted);
    }
}

[[noreturn]] inline void throw_type(std::string_view type) {
    throw ConfigError("a tensor of type ", type, " cannot be kept in the state");
}

#ifdef PTP_LIBTORCH_FINGERPRINT

struct StateType {
    at::ScalarType type;
    std::string_view name;
};
inline constexpr StateType kStateTypes[] = {{at::kFloat, "float32"}, {at::kDouble, "float64"},
                                            {at::kHalf, "float16"},  {at::kLong, "int64"},
                                            {at::kInt, "int32"},     {at::kShort, "int16"},
                                            {at::kChar, "int8"},     {at::kByte, "uint8"},
                                            {at::kBool, "bool"},     {at::kBFloat16, "bfloat16"}};

inline Data save_tensor(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return Data::Table();
    }
    for (const StateType& known : kStateTypes) {
        if (known.type == tensor.scalar_type()) {
            const at::Tensor plain = tensor.detach().cpu().contiguous();
            const auto* first = static_cast<const std::byte*>(plain.data_ptr());
            return tensor_data(known.name, plain.sizes(), {first, plain.nbytes()});
        }
    }
    throw_type(c10::toString(tensor.scalar_type()));
}

inline void restore_tensor(const Data& data, at::Tensor& tensor) {
    if (data.as_table().empty()) {
        tensor = at::Tensor();
        return;
    }
    const TensorParts parts = tensor_parts(data);
    for (const StateType& known : kStateTypes) {
        if (known.name == parts.type) {
            at::Tensor plain = at::empty(parts.shape, at::TensorOptions().dtype(known.type));
            require_byte_count(parts, plain.nbytes());
            if (!parts.bytes.empty()) {
                std::memcpy(plain.data_ptr(), parts.bytes.data(), parts.bytes.size());
            }
            tensor = tensor.defined() ? plain.to(tensor.device()) : plain;
            return;
        }
    }
    throw_type(parts.type);
}

#else

inline std::string_view state_type(ElementType type) {
    constexpr std::string_view kNames[] = {"int8",  "int16",   "int32",   "int64",
                                           "uint8", "float32", "float64", "bool"};
    constexpr ElementType kTypes[] = {{0, 8}, {0, 16}, {0, 32}, {0, 64},
                                      {1, 8}, {2, 32}, {2, 64}, {6, 8}};
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
        if (kTypes[i] == type) {
            return kNames[i];
        }
    }
    return "";
}

inline Data save_tensor(const TensorData& tensor) {
    if (!tensor.is_defined()) {
        return Data::Table();
    }
    const std::string_view type = state_type(tensor.type());
    if (type.empty()) {
        throw_type("with " + std::to_string(tensor.type().bits) + " bits");
    }
    return tensor_data(type, tensor.shape(), tensor.bytes());
}

template <class T>
bool restore_as(const TensorParts& parts, TensorData& tensor) {
    if (state_type(element_type<T>()) != parts.type) {
        return false;
    }
    require_byte_count(parts, TensorView::product(parts.shape) * sizeof(T));
    tensor = TensorData::zeros<T>(parts.shape);
    if (!parts.bytes.empty()) {
        std::memcpy(tensor.elements<T>().data(), parts.bytes.data(), parts.bytes.size());
    }
    return true;
}

inline void restore_tensor(const Data& data, TensorData& tensor) {
    if (data.as_table().empty()) {
        tensor = TensorData();
        return;
    }
    const TensorParts parts = tensor_parts(data);
    const bool is_restored =
        restore_as<float>(parts, tensor) || restore_as<double>(parts, tensor) ||
        restore_as<std::int64_t>(parts, tensor) || restore_as<std::int32_t>(parts, tensor) ||
        restore_as<std::int16_t>(parts, tensor) || restore_as<std::int8_t>(parts, tensor) ||
        restore_as<std::uint8_t>(parts, tensor) || restore_as<bool>(parts, tensor);
    if (!is_restored) {
        throw_type(parts.type);
    }
}

#endif

}  // namespace ptp::detail
