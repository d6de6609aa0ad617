// Reads tensors, buffers and numbers that a script returns, as memory.

#include "tensor_format.hpp"
#include "tensor_object.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace ptp::python {

namespace {

// Releases an object from any thread, unless Python has ended.
std::shared_ptr<void> released_with_lock(void* owned, void (*release)(void*)) {
    return {owned, [release](void* kept) {
                if (Py_IsInitialized() != 0) {
                    const Lock lock;
                    release(kept);
                }
            }};
}

Memory memory_of_capsule(PyObject* capsule) {
    auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
    if (managed == nullptr) {
        throw Raised();
    }
    require_success(PyCapsule_SetName(capsule, kUsedCapsule));
    Memory memory;
    memory.view = managed->tensor;
    memory.owner = released_with_lock(managed, [](void* kept) {
        auto* taken = static_cast<ManagedTensor*>(kept);
        if (taken->deleter != nullptr) {
            taken->deleter(taken);
        }
    });
    return memory;
}

struct Copy {
    std::vector<char> bytes;
    std::vector<std::int64_t> shape;
};

Memory memory_of_copy(std::shared_ptr<Copy> copy, std::string_view format) {
    // "@l" and "<f" are of this machine, too.
    if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
        format.remove_prefix(1);
    }
    const auto* found =
        std::ranges::find_if(kFormats, [&](const Format& known) { return known.name == format; });
    if (found == std::end(kFormats)) {
        throw DataError("a buffer from Python has the format '", format, "', which no tensor has");
    }
    Memory memory;
    memory.view = {.data = copy->bytes.data(),
                   .device_type = 1,
                   .device_id = 0,
                   .rank = static_cast<std::int32_t>(copy->shape.size()),
                   .type_code = found->code,
                   .type_bits = found->bits,
                   .type_lanes = 1,
                   .shape = copy->shape.data(),
                   .strides = nullptr,
                   .byte_offset = 0};
    memory.owner = std::move(copy);
    return memory;
}

class Buffer {
public:
    Buffer(PyObject* object, int flags) {
        require_success(PyObject_GetBuffer(object, &buffer_, flags));
    }
    ~Buffer() { PyBuffer_Release(&buffer_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Py_buffer& get() { return buffer_; }

private:
    Py_buffer buffer_{};
};

std::shared_ptr<Copy> copy_of(Py_buffer& buffer) {
    auto copy = std::make_shared<Copy>();
    copy->bytes.resize(static_cast<std::size_t>(buffer.len));
    require_success(PyBuffer_ToContiguous(copy->bytes.data(), &buffer, buffer.len, 'C'));
    return copy;
}

Memory copy_of_object(PyObject* object) {
    Buffer buffer(object, PyBUF_FULL_RO);
    auto copy = copy_of(buffer.get());
    copy->shape.assign(buffer.get().shape, buffer.get().shape + buffer.get().ndim);
    return memory_of_copy(std::move(copy),
                          buffer.get().format == nullptr ? "B" : buffer.get().format);
}

}  // namespace

Memory memory_of_object(PyObject* object) {
    if (PyObject_HasAttrString(object, "__dlpack__") != 0) {
        PyObject* const capsule = PyObject_CallMethod(object, "__dlpack__", nullptr);
        if (capsule != nullptr) {
            const Object owned(capsule);
            return memory_of_capsule(capsule);
        }
        // Read-only arrays nevertheless have a buffer.
        if (PyObject_CheckBuffer(object) == 0) {
            throw Raised();
        }
        PyErr_Clear();
    }
    return PyObject_CheckBuffer(object) != 0 ? copy_of_object(object) : Memory();
}

Memory memory_of_buffer(PyObject* buffer, const char* format, PyObject* shape) {
    Buffer bytes(buffer, PyBUF_FULL_RO);
    auto copy = copy_of(bytes.get());
    const Object sizes(PySequence_Fast(shape, "a shape is a list"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sizes.get()); ++i) {
        copy->shape.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(sizes.get(), i)));
    }
    return memory_of_copy(std::move(copy), format);
}

}  // namespace ptp::python
