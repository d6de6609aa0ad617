// Tensors for plugins that do not use libtorch: a view of what comes in, and memory for what goes
// out.
#pragma once

#include <ptp/abi.h>
#include <ptp/error.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ptp {

namespace detail {

struct ElementType {
    std::uint8_t code;
    std::uint8_t bits;
    bool operator==(const ElementType&) const = default;
};

template <class T>
constexpr ElementType element_type() {
    static_assert(std::is_arithmetic_v<T>, "ptp: the elements of a tensor are numbers or bool");
    constexpr auto bits = static_cast<std::uint8_t>(sizeof(T) * 8);
    if (std::same_as<T, bool>) {
        return {6, bits};
    }
    if (std::floating_point<T>) {
        return {2, bits};
    }
    return {static_cast<std::uint8_t>(std::signed_integral<T> ? 0 : 1), bits};
}

// "float32"
inline std::string type_text(ElementType type) {
    const char* name = type.code == 0   ? "int"
                       : type.code == 1 ? "uint"
                       : type.code == 2 ? "float"
                       : type.code == 4 ? "bfloat"
                                        : "";
    return type.code == 6 ? "bool" : name + std::to_string(type.bits);
}

}  // namespace detail

// A tensor in memory, not owned. Valid during the call that got it.
class TensorView {
public:
    // The name of the port is for messages, and must outlive the view.
    explicit TensorView(const ptp_tensor_view& view, const char* port = nullptr)
        : view_(view), port_(port) {}

    std::span<const std::int64_t> shape() const {
        return {view_.shape, static_cast<std::size_t>(view_.rank)};
    }
    std::int64_t size(std::size_t dimension) const { return view_.shape[dimension]; }
    // Returns the distance to the next element in each dimension: a transposed or sliced tensor
    // is the memory of another one.
    std::vector<std::int64_t> strides() const {
        std::vector<std::int64_t> result(shape().size(), 1);
        for (auto d = result.size(); view_.strides == nullptr && d-- > 1;) {
            result[d - 1] = result[d] * view_.shape[d];
        }
        if (view_.strides != nullptr) {
            result.assign(view_.strides, view_.strides + view_.rank);
        }
        return result;
    }
    std::size_t count() const { return product(shape()); }
    bool is_on_cpu() const { return view_.device_type == 1; }

    template <class T>
    bool holds() const {
        return detail::ElementType{view_.type_code, view_.type_bits} == detail::element_type<T>();
    }

    // Returns whether the elements are in row-major order without gaps; true without elements.
    bool is_contiguous() const {
        if (count() == 0) {
            return true;
        }
        std::int64_t expected = 1;
        for (auto d = shape().size(); view_.strides != nullptr && d-- > 0;) {
            if (view_.shape[d] != 1 && view_.strides[d] != expected) {
                return false;
            }
            expected *= view_.shape[d];
        }
        return true;
    }

    // The elements in row-major order, without copying; throws DataError if they are not of type T,
    // not on the CPU, or not laid out like that. Use copy() where other components may cut or
    // transpose what comes in.
    template <class T>
    std::span<const T> elements() const {
        require<T>();
        if (!is_contiguous()) {
            throw DataError(title() +
                            " is not in row-major order, which elements() needs; copy() "
                            "returns its elements in that order");
        }
        return {data<T>(), count()};
    }

    // Returns a copy of a tensor that is laid out in any way.
    template <class T>
    std::vector<T> copy() const {
        require<T>();
        if (is_contiguous()) {
            return std::vector<T>(data<T>(), data<T>() + count());
        }
        const std::vector<std::int64_t> steps = strides();
        std::vector<std::int64_t> place(steps.size(), 0);
        std::vector<T> result;
        result.reserve(count());
        for (std::int64_t offset = 0; result.size() < count();) {
            result.push_back(data<T>()[offset]);
            for (auto d = steps.size(); d-- > 0;) {
                offset += steps[d];
                if (++place[d] < view_.shape[d]) {
                    break;
                }
                offset -= steps[d] * std::exchange(place[d], 0);
            }
        }
        return result;
    }

    static std::size_t product(std::span<const std::int64_t> shape) {
        return static_cast<std::size_t>(
            std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
    }

private:
    std::string title() const {
        return port_ == nullptr ? "a tensor" : "the input '" + std::string(port_) + "'";
    }

    template <class T>
    void require() const {
        if (!holds<T>()) {
            throw DataError(title() + " has elements of the type " +
                            detail::type_text({view_.type_code, view_.type_bits}) +
                            ", and is read "
                            "as " +
                            detail::type_text(detail::element_type<T>()));
        }
        if (!is_on_cpu()) {
            throw DataError(title() + " is on a CUDA device, and is read as memory of the CPU");
        }
    }

    template <class T>
    const T* data() const {
        return reinterpret_cast<const T*>(static_cast<const char*>(view_.data) + view_.byte_offset);
    }

    ptp_tensor_view view_;
    const char* port_;
};

// A row-major CPU tensor that owns its memory: what forward() returns without libtorch.
class TensorData {
public:
    TensorData() = default;  // no tensor

    // Zeros: TensorData::zeros<float>({2, 3}).
    template <class T>
    static TensorData zeros(std::vector<std::int64_t> shape) {
        TensorData result;
        result.type_ = detail::element_type<T>();
        result.shape_ = std::move(shape);
        result.bytes_.resize(TensorView::product(result.shape_) * sizeof(T));
        result.is_defined_ = true;
        return result;
    }

    // Concatenates the parts, which must all have the type and the size of the first.
    static TensorData concatenate(const std::vector<TensorData>& parts,
                                  std::vector<std::int64_t> shape) {
        TensorData result;
        result.type_ = parts.at(0).type_;
        result.shape_ = std::move(shape);
        for (const TensorData& part : parts) {
            if (part.type_ != result.type_ || part.shape_ != parts[0].shape_) {
                throw DataError("samples of one batch have tensors of different types or shapes");
            }
            result.bytes_.insert(result.bytes_.end(), part.bytes_.begin(), part.bytes_.end());
        }
        result.is_defined_ = true;
        return result;
    }

    bool is_defined() const { return is_defined_; }
    std::span<const std::int64_t> shape() const { return shape_; }
    detail::ElementType type() const { return type_; }
    std::span<const std::byte> bytes() const { return bytes_; }

    // Returns the elements. Throws DataError if T is not the type that the tensor was created with.
    template <class T>
    std::span<T> elements() {
        if (detail::element_type<T>() != type_) {
            throw DataError("a tensor is used as another type than it was made with");
        }
        return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
    }

private:
    bool is_defined_ = false;
    detail::ElementType type_{};
    std::vector<std::int64_t> shape_;
    std::vector<std::byte> bytes_;
};

}  // namespace ptp
